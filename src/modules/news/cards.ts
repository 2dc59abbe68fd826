import { count, desc, eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { bestEffort, type Database, news, newsReads, prepareOnce, users, write } from '../../database/index.ts'
import { queryOf, url } from '../../web/http.ts'
import { publishDue } from './publish-due.ts'

export interface NewsCard {
  id: number
  name: string
  created_at: number
  excerpt: string
  image: string | null
  unread: boolean
}

export interface CardPage {
  cards: NewsCard[]
  page: number
  newer?: string
  older?: string
}

export function loadCardPage({ server, actor, url: address }: FastifyRequest, size: number, path: string, parameter: string): CardPage {
  const { db } = server
  publishDue(db)
  const load = (page: number) => newest(db).all({ user: actor.id, limit: size + 1, offset: (page - 1) * size })
  let page = parsePage(queryOf({ url: address }).get(parameter))
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

function parsePage(text: string | null): number {
  const page = Number(text)
  return Number.isSafeInteger(page) && page > 0 && page < 1e9 ? page : 1
}

export function loadOtherCards(db: Database, user: number, id: number): NewsCard[] {
  return others(db).all({ user, id })
}

export function markRead(db: Database, user: number, id: number): void {
  if (wasRead(db).get({ user, id })) return
  bestEffort(() => write(db, () => db.insert(newsReads).values({ user_id: user, news_id: id }).onConflictDoNothing().run()))
}

const wasRead = prepareOnce((db) => db.$client.prepare('select 1 from news_reads where user_id = @user and news_id = @id'))

const card = {
  id: news.id,
  name: news.name,
  created_at: news.created_at,
  excerpt: news.excerpt,
  image: sql<string | null>`json_extract(${news.images}, '$[0]')`,
  /** What was there before them is no news to anybody. */
  unread: sql`${news.created_at} > (select ${users.created_at} from ${users} where ${users.id} = ${sql.placeholder('user')})
    and not exists (select 1 from ${newsReads} where ${newsReads.user_id} = ${sql.placeholder('user')} and ${newsReads.news_id} = ${news.id})`.mapWith(
    Boolean,
  ),
}

const published = eq(news.published, sql`1`)

const newest = prepareOnce((db, given) => {
  const rows = db.select(card).from(news).where(published)
  return rows.orderBy(desc(news.created_at), desc(news.id)).limit(given.limit).offset(given.offset).prepare()
})

const countPublished = prepareOnce((db) => db.select({ total: count() }).from(news).where(published).prepare())

// Shuffles ids from the index, without reading the long texts.
const others = prepareOnce((db, given) => {
  const rows = db.select(card).from(news)
  return rows.where(sql`${news.id} in (select id from news where published = 1 and id <> ${given.id} order by random() limit 2)`).prepare()
})
