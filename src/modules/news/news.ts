import { eq } from 'drizzle-orm'
import { publicationAfter, unpublished } from '../../core/publication.ts'
import { type Sanitized, sanitizeDescription } from '../../core/sanitize.ts'
import { type Author, createRecord, type Database, news, prepareOnce, updateRecord } from '../../database/index.ts'
import type { CreateValues, EditValues } from '../../web/form/form.ts'
import type { FindRecord } from '../../web/http.ts'
import { mayRead } from './access.ts'
import type { newsForm } from './form.ts'
import { publishDue } from './publish-due.ts'

export type News = typeof news.$inferSelect
type NewsChanges = EditValues<typeof newsForm>

/** Publishes the article first if it is due; one that the person may not read counts as not found. */
export const findNews: FindRecord<News> = (db, id, actor) => {
  publishDue(db)
  const message = byId(db).get({ id })
  return message && actor && !mayRead(actor, message) ? undefined : message
}

const byId = prepareOnce((db, given) => db.select().from(news).where(eq(news.id, given.id)).prepare())

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
