import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, allows, anyOf, group, isDealer, isGroup } from '../../core/access.ts'
import { news } from '../../database/index.ts'
import { extendContentSecurityPolicy } from '../../http/access/headers.ts'
import { action } from '../../http/action.ts'
import { ownHosts } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { resourceOf } from '../../records/api/resource.ts'
import { cardAction } from '../../records/card/save.ts'
import { createPage, editPage } from '../../records/card/show.ts'
import type { FormActionParts } from '../../records/form/form-action.ts'
import type { List } from '../../records/list/list.ts'
import { showList } from '../../records/list/show.ts'
import { type SwitchCell, switchRow } from '../../records/list/toggle.ts'
import { addRecord } from '../../records/record.ts'
import { articleAccess, mayWriteNews } from './access.ts'
import { newsCard } from './card.ts'
import { type NewsRow, newsDeletion, newsList } from './list.ts'
import { findNews, type News, publishDue, resanitizeNews, updateNews } from './news.ts'
import { showPicture, uploadPictures } from './pictures.ts'
import { newsWidget, showArticle, showGrid } from './show-news.ts'

/** Large enough for a text slightly over the limit in any encoding, so that the form can reject it. */
const bodyLimit = 8 * 1024 * 1024
const gallery = /^images(?:\[\d+\])?\[file\]$/
const publishedCells = template<SwitchCell>('news/published-cells.njk')

export async function newsRoutes(app: FastifyInstance): Promise<void> {
  const list = newsList(app.db)
  addRecord(
    app,
    {
      list,
      card: newsCard,
      deletion: newsDeletion,
      search: { texts: (ids) => sql`select ${news.id}, ${news.name}, ${news.excerpt} from ${news} where ${news.id} in ${ids}` },
      api: newsResource,
      menu: { icon: 'news', may: articleAccess, letter: 'n', says: ['announcements'] },
    },
    {
      showList: showNews(list),
      show: openNews,
      showNew: withEditorPolicy((request, reply) => createPage(request, reply, newsCard)),
      saveNew: withEditor(cardAction(newsCard, 'create')),
      save: withEditor(cardAction(newsCard, 'edit')),
      accepts: { gallery, bodyLimit },
    },
  )
  app.registry.widgets.push({ rule: allOf(articleAccess.list, anyOf(isGroup(group.dealer))), place: 'bottom', ...newsWidget })
  app.addHook('onReady', async () => resanitizeNews(app.db, ownHosts(app)))
  app.post(
    '/news/:id/published',
    action({ access: articleAccess.edit, record: findNews }, switchRow(list, 'published', publishedCells, publish)),
  )
  app.post('/news/images', { access: mayWriteNews, gallery }, uploadPictures)
  app.get('/news/images/:key/:size', { access: articleAccess.list, answers: 'file' }, showPicture)
}

function withEditor<R>({ showAgain, ...steps }: FormActionParts<R>): FormActionParts<R> {
  return { ...steps, showAgain: withEditorPolicy(showAgain) }
}

function publish(context: Context, message: News, published: boolean): void {
  updateNews(context.server.db, message, { published }, context.author)
}

const editorSources = { 'img-src': 'blob:', 'media-src': "'self' http: https:", 'style-src': "'unsafe-inline'" }

function showNews(list: List<NewsRow>) {
  const table = showList(list)
  return (request: FastifyRequest, reply: FastifyReply) => {
    if (isDealer(request.actor)) return showGrid(request, reply)
    publishDue(request.server.db)
    return table(request, reply)
  }
}

function openNews(request: FastifyRequest, reply: FastifyReply, message: News) {
  const { actor } = request
  const asksForHistory = queryOf(request).get('tab') === 'history'
  if (!isDealer(actor) && (asksForHistory || allows(articleAccess.edit, actor, message))) {
    extendContentSecurityPolicy(reply, editorSources)
    return editPage(request, reply, newsCard, message)
  }
  return showArticle(request, reply, message)
}

function withEditorPolicy<R extends unknown[], T>(answer: (request: FastifyRequest, reply: FastifyReply, ...record: R) => T) {
  return (request: FastifyRequest, reply: FastifyReply, ...record: R): T => {
    extendContentSecurityPolicy(reply, editorSources)
    return answer(request, reply, ...record)
  }
}

const article = resourceOf('Article', newsCard)

/** The text as its author wrote it is only for those who may change it: others get what pages show of it. */
function jsonOfArticle(context: Context, record: News) {
  const isEditor = allows(articleAccess.edit, context.actor, record)
  return article.json(context, isEditor ? record : { ...record, description: record.shown })
}

const newsResource = { ...article, rowJson: jsonOfArticle, json: jsonOfArticle }
