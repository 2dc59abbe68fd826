import { eq, sql } from 'drizzle-orm'
import { publicationAfter, unpublished } from '../../core/publication.ts'
import { sanitizeDescription } from '../../core/sanitize.ts'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'
import { type Author, createRecord, updateRecord } from '../../database/records.ts'
import { news } from '../../database/schema/index.ts'
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

const byId = prepareOnce((db) =>
  db
    .select()
    .from(news)
    .where(eq(news.id, sql.placeholder('id')))
    .prepare(),
)

export function newsLabel(row: object): string {
  return (row as { name: string }).name
}

export function createNews(
  db: Database,
  values: CreateValues<typeof newsForm>,
  author: Author,
  sanitize = (text: string | null) => sanitizeDescription(text, []),
): number {
  const stored = { ...values, ...derivedValues(values, sanitize), ...publicationAfter(unpublished, values, Date.now()) }
  return createRecord(db, news, stored, newsLabel(values), author)
}

export function updateNews(
  db: Database,
  before: News,
  values: NewsChanges,
  author: Author,
  sanitize = (text: string | null) => sanitizeDescription(text, []),
): void {
  const stored = { ...values, ...derivedValues(values, sanitize), ...publicationAfter(before, values, Date.now()) }
  updateRecord(db, news, before, stored, newsLabel({ ...before, ...values }), author)
}

function derivedValues({ description }: NewsChanges, sanitize: (text: string | null) => object) {
  return description === undefined ? {} : sanitize(description)
}
