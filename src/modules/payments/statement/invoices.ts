import { and, eq, sql } from 'drizzle-orm'
import { type Database, documents, prepareOnce, whereIn } from '../../../database/index.ts'

/** Invoices are paid within so many years, each of which may begin with the same numbers. */
const years = 4

/** The order whose invoice has this number: of that day, if one is named, else of the payer, else the newest. */
export function orderInvoiced(db: Database, payers: readonly number[], number: string, day?: string): InvoicedOrder | undefined {
  const invoices = findInvoices(db, number)
  const ofDay = invoices.filter(({ date }) => date === day)
  const likely = ofDay.length > 0 ? ofDay : invoices
  return likely.find(({ company_id }) => payers.includes(company_id ?? 0)) ?? likely[0]
}

type InvoicedOrder = ReturnType<typeof findInvoices>[number]

/** The newest first; whatever has become of them, they name their order. */
function findInvoices(db: Database, number: string) {
  const serials = (number.match(/\d{1,15}/g) ?? []).map(Number)
  const latest = new Date().getFullYear()
  const since = Array.from({ length: years }, (_, ago) => latest - ago)
  const found = bySerial(db).all({ ids: JSON.stringify(since), serials: JSON.stringify(serials) })
  return found.filter((invoice) => invoice.number.toLowerCase() === number.toLowerCase())
}

const bySerial = prepareOnce((db, params) =>
  db
    .select({ number: documents.number, date: documents.date, order_id: documents.order_id, company_id: documents.company_id })
    .from(documents)
    .where(and(eq(documents.kind, 'invoice'), whereIn(documents.year, params.ids), whereIn(documents.serial, sql.placeholder('serials'))))
    .orderBy(sql`${documents.id} desc`)
    .prepare(),
)
