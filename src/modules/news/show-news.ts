import { count, desc, eq, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bestEffort, type Database, news, newsReads, prepareOnce, users, write } from '../../database/index.ts'
import { extendContentSecurityPolicy } from '../../http/access/headers.ts'
import { url } from '../../http/request/addresses.ts'
import { parseId, queryOf } from '../../http/request/input.ts'
import { fragment, template } from '../../http/request/template.ts'
import { backToList } from '../../records/list/show.ts'
import { type News, publishDue } from './news.ts'

const gridSize = 8
const widgetSize = 6
const articleSources = { 'img-src': 'http: https:', 'media-src': "'self' http: https:", 'style-src-attr': "'unsafe-inline'" }

type CardPage = ReturnType<typeof loadCardPage>

const gridPage = template<CardPage & { title: string; back: string }>('news/grid.njk')
const widgetPart = template<{ widget: (CardPage & { pages: number }) | undefined }>('news/widget.njk')
const articlePage = template<{ title: string; message: News; image?: string; others: CardPage['cards']; back: string }>('news/article.njk')

export function showGrid(request: FastifyRequest, reply: FastifyReply) {
  const shown = loadCardPage(request, gridSize, '/news', 'page')
  const back = shown.page > 1 ? `?back=${encodeURIComponent(`?page=${shown.page}`)}` : ''
  return reply.page(gridPage, { title: request.t('News'), ...shown, back })
}

/** Nothing before the first article. */
export const newsWidget = fragment(widgetPart, (request: FastifyRequest) => {
  const shown = loadCardPage(request, widgetSize, '/', 'news')
  const pages = Math.ceil((countPublished(request.server.db).get()?.total ?? 0) / widgetSize)
  return { widget: pages > 0 ? { ...shown, pages } : undefined }
})

export function showArticle(request: FastifyRequest, reply: FastifyReply, message: News) {
  const { server, actor } = request
  if (!actor.impersonator && !request.headers['sec-purpose']) markRead(server.db, actor.id, message.id)
  extendContentSecurityPolicy(reply, articleSources)
  return reply.page(articlePage, {
    title: message.name,
    message,
    image: message.images[0],
    others: others(server.db).all({ user: actor.id, id: message.id }),
    back: backToList(request, 'news'),
  })
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

export const card = {
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

export const published = eq(news.published, sql`1`)

const newest = prepareOnce((db, params) => {
  const rows = db.select(card).from(news).where(published)
  return rows.orderBy(desc(news.created_at), desc(news.id)).limit(params.limit).offset(params.offset).prepare()
})

const countPublished = prepareOnce((db) => db.select({ total: count() }).from(news).where(published).prepare())

// Shuffles ids from the index, without reading the long texts.
export const others = prepareOnce((db, params) => {
  const rows = db.select(card).from(news)
  return rows.where(sql`${news.id} in (select id from news where published = 1 and id <> ${params.id} order by random() limit 2)`).prepare()
})
