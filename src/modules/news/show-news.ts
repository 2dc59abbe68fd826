import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows, group } from '../../core/access.ts'
import { extendContentSecurityPolicy } from '../../web/access/headers.ts'
import { showEdit } from '../../web/card/show.ts'
import { page, part, queryOf } from '../../web/http.ts'
import { listUrl, showList } from '../../web/list/show.ts'
import type { List } from '../../web/list/state.ts'
import { may } from './access.ts'
import { newsCard } from './card.ts'
import { type CardPage, loadCardPage, loadOtherCards, markRead, type NewsCard } from './cards.ts'
import type { NewsRow } from './list.ts'
import type { News } from './news.ts'
import { publishDue } from './publish-due.ts'

const gridSize = 8
const widgetSize = 6

const articleSources = { 'img-src': 'http: https:', 'media-src': "'self' http: https:", 'style-src-attr': "'unsafe-inline'" }

const editorSources = { 'img-src': 'blob: http: https:', 'media-src': "'self' http: https:", 'style-src': "'unsafe-inline'" }

const gridPage = page<CardPage & { title: string; back: string }>('news/grid.njk')
const widgetPart = page<{ widget: CardPage }>('news/widget.njk')
const articlePage = page<{ title: string; message: News; image?: string; others: NewsCard[]; back: string }>('news/article.njk')

export function showNews(list: List<NewsRow>) {
  const table = showList(list)
  return (request: FastifyRequest, reply: FastifyReply) => {
    if (request.actor.group_id === group.dealer) return showGrid(request, reply)
    publishDue(request.server.db)
    return table(request, reply)
  }
}

function showGrid(request: FastifyRequest, reply: FastifyReply) {
  const shown = loadCardPage(request, gridSize, '/news', 'page')
  const back = shown.page > 1 ? `?back=${encodeURIComponent(`?page=${shown.page}`)}` : ''
  return reply.page(gridPage, { title: request.t('News'), ...shown, back })
}

export const newsWidget = part(widgetPart, (request: FastifyRequest) => ({ widget: loadCardPage(request, widgetSize, '/', 'news') }))

export function openNews(request: FastifyRequest, reply: FastifyReply) {
  const { actor } = request
  const message = request.record as News
  const asksForHistory = queryOf(request).get('tab') === 'history'
  if (actor.group_id !== group.dealer && (asksForHistory || allows(may.edit, actor, message))) {
    extendContentSecurityPolicy(reply, editorSources)
    return showEdit(newsCard)(request, reply)
  }
  if (!actor.impersonator && !request.headers['sec-purpose']) markRead(request.server.db, actor.id, message.id)
  extendContentSecurityPolicy(reply, articleSources)
  return reply.page(articlePage, {
    title: message.name,
    message,
    image: message.images[0],
    others: loadOtherCards(request.server.db, actor.id, message.id),
    back: listUrl(request, 'news'),
  })
}

export function withEditorPolicy<T>(answer: (request: FastifyRequest, reply: FastifyReply) => T) {
  return (request: FastifyRequest, reply: FastifyReply): T => {
    extendContentSecurityPolicy(reply, editorSources)
    return answer(request, reply)
  }
}
