import { and, asc, eq, gt, isNotNull, like, lt, sql } from 'drizzle-orm'
import { publicationAfter, publish, unpublished } from '../../core/publication.ts'
import { type Sanitized, sanitizeDescription, sanitizerVersion } from '../../core/sanitize.ts'
import {
  type Author,
  bestEffort,
  changes,
  createRecord,
  type Database,
  news,
  prepareOnce,
  seeded,
  systemName,
  updateRecord,
  write,
} from '../../database/index.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import type { CreateValues, EditValues } from '../../records/form/form.ts'
import { mayRead } from './access.ts'
import type { newsForm } from './form.ts'

export type News = typeof news.$inferSelect
type NewsChanges = EditValues<typeof newsForm>

/** Publishes the article first if it is due; one that the person may not read counts as not found. */
export const findNews: FindRecord<News> = (db, id, actor) => {
  publishDue(db)
  const message = byId(db).get({ id })
  return message && actor && !mayRead(actor, message) ? undefined : message
}

const byId = prepareOnce((db, params) => db.select().from(news).where(eq(news.id, params.id)).prepare())

export function newsLabel(row: object): string {
  return (row as { name: string }).name
}

type Sanitize = (text: string | null) => Sanitized
const sanitizeForeign: Sanitize = (text) => sanitizeDescription(text, [])

export function createNews(db: Database, values: CreateValues<typeof newsForm>, author: Author, sanitize = sanitizeForeign): number {
  return createRecord(db, news, storedValues(values, unpublished, sanitize), values.name, author)
}

export function updateNews(db: Database, before: News, values: NewsChanges, author: Author, sanitize = sanitizeForeign): void {
  updateRecord(db, news, before, storedValues(values, before, sanitize), values.name ?? before.name, author)
}

function storedValues<V extends NewsChanges>(values: V, before: typeof unpublished, sanitize: Sanitize) {
  const sanitized = values.description === undefined ? {} : sanitize(values.description)
  return { ...values, ...sanitized, ...publicationAfter(before, values, Date.now()) }
}

/** Sanitizes stored articles again after a change of the allow-list or of our names, so that nothing let through before is served. */
export function resanitizeNews(db: Database, ownHosts: readonly string[]): void {
  const name = `news shown ${sanitizerVersion} ${ownHosts.join()}`
  if (db.select().from(seeded).where(eq(seeded.name, name)).get()) return
  write(db, () => {
    for (let batch = readBatch(db, 0); batch.length > 0; batch = readBatch(db, batch.at(-1)?.id ?? 0))
      for (const { id, description } of batch) db.update(news).set(sanitizeDescription(description, ownHosts)).where(eq(news.id, id)).run()
    db.delete(seeded).where(like(seeded.name, 'news shown %')).run()
    db.insert(seeded).values({ name, at: Date.now() }).run()
  })
}

function readBatch(db: Database, after: number) {
  const articles = db.select({ id: news.id, description: news.description }).from(news)
  return articles.where(gt(news.id, after)).orderBy(asc(news.id)).limit(100).all()
}

export function publishDue(db: Database): void {
  const now = Date.now()
  if (!anyDue(db).get(now)) return
  bestEffort(() =>
    write(db, () => {
      recordPublication(db, now)
      const version = sql`${news.version} + 1`
      const published = { ...publish(now), version, updated_at: now }
      db.update(news).set(published).where(dueCondition(now)).run()
    }),
  )
}

function dueCondition(now: number) {
  return and(sql`published = 0`, isNotNull(news.publishedon), lt(news.publishedon, now))
}

// Without the hint SQLite would scan all drafts.
const anyDue = prepareOnce((db) =>
  db.$client.prepare('select 1 from news indexed by news_due where published = 0 and publishedon is not null and publishedon < ? limit 1'),
)

function recordPublication(db: Database, now: number): void {
  db.run(sql`insert into ${changes} (at, actor_name, action, entity, record_id, record_version, label, search, fields)
    select ${now}, ${systemName}, 'update', 'news', ${news.id}, ${news.version} + 1, ${news.name}, fold(concat_ws(char(10), ${news.name}, ${systemName})),
      json_object('published', json('[false,true]'), 'publishedon', json_array(${news.publishedon}, ${now}))
    from ${news} where ${dueCondition(now)}`)
}
