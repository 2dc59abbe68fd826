import { eq } from 'drizzle-orm'
import { searchText } from '../../core/text.ts'
import { companies, prepareOnce } from '../../database/index.ts'
import type { FindRecord } from '../../web/http.ts'

export type Company = typeof companies.$inferSelect

const byId = prepareOnce((db, given) => db.select().from(companies).where(eq(companies.id, given.id)).prepare())

export const findCompany: FindRecord<Company> = (db, id) => byId(db).get({ id })

export function companyLabel(row: object): string {
  return (row as { org: string }).org
}

export function companySearchText(org: string): string {
  return searchText(org)
}
