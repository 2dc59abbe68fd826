import { count, desc, eq, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, allows, anyOf, group, isGroup } from '../../core/access.ts'
import { bestEffort, type Database, news, newsReads, prepareOnce, users, write } from '../../database/index.ts'
import { extendContentSecurityPolicy } from '../../http/access/headers.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { ownHosts, url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { parseId, queryOf } from '../../http/request/input.ts'
import { fragment, template } from '../../http/request/template.ts'
import { resourceOf } from '../../records/api/resource.ts'
import { cardSteps } from '../../records/card/save.ts'
import { createPage, editPage } from '../../records/card/show.ts'
import type { FormSteps } from '../../records/form/steps.ts'
import { exportList } from '../../records/list/export.ts'
import type { List } from '../../records/list/list.ts'
import { listUrl, showList } from '../../records/list/show.ts'
import { type SwitchCell, toggle } from '../../records/list/toggle.ts'
import { declareRecord } from '../../records/record.ts'
import { articleAccess, mayExport, mayWriteNews } from './access.ts'
import { newsCard } from './card.ts'
import { type NewsRow, newsDeletion, newsList } from './list.ts'
import { findNews, type News, publishDue, resanitizeNews, updateNews } from './news.ts'
import { showPicture, uploadPictures } from './pictures.ts'

/** Large enough for a text slightly over the limit in any encoding, so that the form can reject it. */
const bodyLimit = 8 * 1024 * 1024

const gallery = /^images(?:\[\d+\])?\[file\]$/

const publishedCells = template<SwitchCell>('news/published-cells.njk')

export async function newsRoutes(app: FastifyInstance): Promise<void> {
  const list = newsList(app.db)
  const record = findNews
  const form = { gallery, bodyLimit }
  declareRecord(app, {
    list,
    card: newsCard,
    deletion: newsDeletion,
    search: { texts: (ids) => sql`select ${news.id}, ${news.name}, ${news.excerpt} from ${news} where ${news.id} in ${ids}` },
    api: newsResource,
    menu: { icon: 'news', may: articleAccess, letter: 'n' },
  })
  app.registry.widgets.push({ rule: allOf(articleAccess.list, anyOf(isGroup(group.dealer))), place: 'bottom', ...newsWidget })
  app.addHook('onReady', async () => resanitizeNews(app.db, ownHosts(app)))

  app.get('/news', { access: articleAccess.list }, showNews(list))
  app.get('/news/export', { access: mayExport, answers: 'spreadsheet' }, exportList(list))
  app.get(
    '/news/add',
    { access: articleAccess.add },
    withEditorPolicy((request, reply) => createPage(request, reply, newsCard)),
  )
  app.post('/news/add', action({ access: articleAccess.add, ...form }, withEditor(cardSteps(newsCard, 'create'))))
  app.get('/news/edit/:id', onRecord({ access: articleAccess.view, record }, openNews))
  app.post('/news/edit/:id', action({ access: articleAccess.edit, record, ...form }, withEditor(cardSteps(newsCard, 'edit'))))
  app.post('/news/:id/published', action({ access: articleAccess.edit, record }, toggle(list, 'published', publishedCells, publish)))
  app.post('/news/images', { access: mayWriteNews, gallery }, uploadPictures)
  app.get('/news/images/:key/:size', { access: articleAccess.list, answers: 'file' }, showPicture)
}

function withEditor<R, Prepared>({ showAgain, ...steps }: FormSteps<R, Prepared>): FormSteps<R, Prepared> {
  return { ...steps, showAgain: withEditorPolicy(showAgain) }
}

function publish(context: Context, message: News, published: boolean): void {
  updateNews(context.server.db, message, { published }, context.author)
}

const gridSize = 8
const widgetSize = 6

const articleSources = { 'img-src': 'http: https:', 'media-src': "'self' http: https:", 'style-src-attr': "'unsafe-inline'" }

const editorSources = { 'img-src': 'blob:', 'media-src': "'self' http: https:", 'style-src': "'unsafe-inline'" }

type CardPage = ReturnType<typeof loadCardPage>

const gridPage = template<CardPage & { title: string; back: string }>('news/grid.njk')
const widgetPart = template<{ widget: CardPage }>('news/widget.njk')
const articlePage = template<{ title: string; message: News; image?: string; others: CardPage['cards']; back: string }>('news/article.njk')

function showNews(list: List<NewsRow>) {
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

const newsWidget = fragment(widgetPart, (request: FastifyRequest) => ({ widget: loadCardPage(request, widgetSize, '/', 'news') }))

function openNews(request: FastifyRequest, reply: FastifyReply, message: News) {
  const { actor } = request
  const asksForHistory = queryOf(request).get('tab') === 'history'
  if (actor.group_id !== group.dealer && (asksForHistory || allows(articleAccess.edit, actor, message))) {
    extendContentSecurityPolicy(reply, editorSources)
    return editPage(request, reply, newsCard, message)
  }
  if (!actor.impersonator && !request.headers['sec-purpose']) markRead(request.server.db, actor.id, message.id)
  extendContentSecurityPolicy(reply, articleSources)
  return reply.page(articlePage, {
    title: message.name,
    message,
    image: message.images[0],
    others: others(request.server.db).all({ user: actor.id, id: message.id }),
    back: listUrl(request, 'news'),
  })
}

function withEditorPolicy<R extends unknown[], T>(answer: (request: FastifyRequest, reply: FastifyReply, ...record: R) => T) {
  return (request: FastifyRequest, reply: FastifyReply, ...record: R): T => {
    extendContentSecurityPolicy(reply, editorSources)
    return answer(request, reply, ...record)
  }
}

function loadCardPage({ server, actor, url: address }: FastifyRequest, size: number, path: string, parameter: string) {
  const { db } = server
  publishDue(db)
  const load = (page: number) => newest(db).all({ user: actor.id, limit: size + 1, offset: (page - 1) * size })
  let page = parseId(queryOf({ url: address }).get(parameter)) || 1
  let cards = load(page)
  if (cards.length === 0 && page > 1) {
    // Counting is needed only when the requested page does not exist.
    page = Math.max(1, Math.ceil((countPublished(db).get()?.total ?? 0) / size))
    cards = load(page)
  }
  const link = (number: number) => url(server, path) + (number > 1 ? `?${parameter}=${number}` : '')
  const older = cards.length > size ? link(page + 1) : undefined
  return { cards: cards.slice(0, size), page, newer: page > 1 ? link(page - 1) : undefined, older }
}

function markRead(db: Database, user: number, id: number): void {
  if (wasRead(db).get({ user, id })) return
  bestEffort(() => write(db, () => db.insert(newsReads).values({ user_id: user, news_id: id }).onConflictDoNothing().run()))
}

const wasRead = prepareOnce((db) => db.$client.prepare('select 1 from news_reads where user_id = @user and news_id = @id'))

/** The moment of the last article but two. */
const beforeLastTwo = sql`ifnull((select created_at from news where published order by created_at desc, id desc limit 1 offset 2), 0)`

const card = {
  id: news.id,
  name: news.name,
  created_at: news.created_at,
  excerpt: news.excerpt,
  image: sql<string | null>`json_extract(${news.images}, '$[0]')`,
  /** Whoever is new here has the last two articles to read, not all that was there before. */
  unread:
    sql`${news.created_at} > min((select ${users.created_at} from ${users} where ${users.id} = ${sql.placeholder('user')}), ${beforeLastTwo})
    and not exists (select 1 from ${newsReads} where ${newsReads.user_id} = ${sql.placeholder('user')} and ${newsReads.news_id} = ${news.id})`.mapWith(
      Boolean,
    ),
}

const published = eq(news.published, sql`1`)

const newest = prepareOnce((db, params) => {
  const rows = db.select(card).from(news).where(published)
  return rows.orderBy(desc(news.created_at), desc(news.id)).limit(params.limit).offset(params.offset).prepare()
})

const countPublished = prepareOnce((db) => db.select({ total: count() }).from(news).where(published).prepare())

// Shuffles ids from the index, without reading the long texts.
const others = prepareOnce((db, params) => {
  const rows = db.select(card).from(news)
  return rows.where(sql`${news.id} in (select id from news where published = 1 and id <> ${params.id} order by random() limit 2)`).prepare()
})

const article = resourceOf('Article', newsCard)

/** The text as its author wrote it is only for those who may change it: others get what pages show of it. */
function jsonOfArticle(context: Context, record: News) {
  const isEditor = allows(articleAccess.edit, context.actor, record)
  return article.json(context, isEditor ? record : { ...record, description: record.shown })
}

const newsResource = { ...article, rowJson: jsonOfArticle, json: jsonOfArticle }
