import { and, eq, gt } from 'drizzle-orm'
import { eachInTurn } from '../../../concurrency/each-in-turn.ts'
import { type Database, findSettings, imports } from '../../../database/index.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import { formatCalendarDate } from '../../../i18n/format.ts'
import { importedRows } from '../../../records/import/import.ts'
import { type LinedRow, readStatementRow, type StatementRow } from './columns.ts'

export type Statement = typeof imports.$inferSelect

/** The list that statements are stored for, among the imports. */
export const statementList = 'payments'

/** Only its owner finds a statement, once all of its rows are stored. */
export const findStatement: FindRecord<Statement> = (db, id, actor) => {
  const own = and(eq(imports.list, statementList), eq(imports.user_id, actor?.id ?? 0), gt(imports.row_count, 0))
  return db
    .select()
    .from(imports)
    .where(and(eq(imports.id, id), own))
    .get()
}

export async function statementRows(db: Database, statement: Statement): Promise<LinedRow[]> {
  const withLine = lineWriter()
  const own = findSettings(db)
  const rows: LinedRow[] = []
  await eachInTurn(await importedRows(db, statement), (row) => void rows.push(withLine(readStatementRow(row, statement.fields, own))))
  return rows
}

/** Adds words that say the same of a row in every statement that holds it; the second of two alike is numbered. */
function lineWriter() {
  const seen = new Map<string, number>()
  return (row: StatementRow): LinedRow => {
    const said = wordsOf(row)
    const amount = row.outgoing ? -row.kopecks : row.kopecks
    const count = (seen.get(`${amount} ${said}`) ?? 0) + 1
    seen.set(`${amount} ${said}`, count)
    const words = count > 1 ? `${said} (${count})` : said
    return { ...row, words, line: `${amount} ${words}` }
  }
}

function wordsOf({ number, date, payer, inn, purpose }: StatementRow): string {
  const parts = [number && `№ ${number}`, formatCalendarDate(date), payer, inn, purpose]
  return parts.filter(Boolean).join(', ').replace(/\s+/g, ' ').slice(0, 450)
}
