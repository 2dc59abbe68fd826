import { count, desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'
import { news } from '../../database/schema/index.ts'
import { publishDue } from './publish-due.ts'

export interface NewsCard {
  id: number
  name: string
  created_at: number
  excerpt: string
  image: string | null
}

export function loadPublishedCards(db: Database, size: number, requestedPage: number): { cards: NewsCard[]; page: number; older: boolean } {
  publishDue(db)
  const load = (page: number) => newest(db).all({ limit: size + 1, offset: (page - 1) * size })
  let page = requestedPage
  let cards = load(page)
  if (cards.length === 0 && page > 1) {
    // Counting is needed only when the requested page does not exist.
    page = Math.max(1, Math.ceil((countPublished(db).get()?.total ?? 0) / size))
    cards = load(page)
  }
  return { cards: cards.slice(0, size), page, older: cards.length > size }
}

export function loadOtherCards(db: Database, id: number): NewsCard[] {
  return others(db).all({ id })
}

export function firstImage({ images }: { images: string[] }): string | undefined {
  return images[0]
}

const card = {
  id: news.id,
  name: news.name,
  created_at: news.created_at,
  excerpt: news.excerpt,
  image: sql<string | null>`json_extract(${news.images}, '$[0]')`,
}

const published = eq(news.published, sql`1`)

const newest = prepareOnce((db) =>
  db
    .select(card)
    .from(news)
    .where(published)
    .orderBy(desc(news.created_at), desc(news.id))
    .limit(sql.placeholder('limit'))
    .offset(sql.placeholder('offset'))
    .prepare(),
)

const countPublished = prepareOnce((db) => db.select({ total: count() }).from(news).where(published).prepare())

// Shuffles ids from the index, without reading the long texts.
const others = prepareOnce((db) =>
  db
    .select(card)
    .from(news)
    .where(sql`${news.id} in (select id from news where published = 1 and id <> ${sql.placeholder('id')} order by random() limit 2)`)
    .prepare(),
)
