import { and, eq, or, sql } from 'drizzle-orm'
import { allows, isDealer, isStaff } from '../../../core/access.ts'
import { documentKindLabels, documentStateLabels } from '../../../core/labels.ts'
import { ofPrices } from '../../../core/prices.ts'
import type { Database } from '../../../database/index.ts'
import { companies, contains, documents, orders, prepareOnce, whereIn } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { formatCalendarDate } from '../../../i18n/format.ts'
import { betweenDays, rangeFilters, wordFilter } from '../../../records/list/common-filters.ts'
import type { EmptyList } from '../../../records/list/empty-list.ts'
import { type Column, type List, type RowNotes, valuesOf } from '../../../records/list/list.ts'
import { companyFilter } from '../../../records/list/record-filters.ts'
import { readRows } from '../../../records/list/rows.ts'
import { orderAccess } from '../access.ts'
import { neededFirst } from '../needed-first.ts'
import { seesOrders } from '../sees-orders.ts'
import { documentAccess } from './access.ts'

type DocumentRow = ReturnType<ReturnType<typeof rowsByIds>['load']>[number]

const title = 'No documents yet'

/** Where there is no order yet, what comes before the first one. */
function emptyDocuments(context: Context): EmptyList {
  const { server, actor } = context
  const needed = neededFirst(server.db)
  if (needed && allows(needed.rule, actor)) return { title, text: needed.why, add: needed }
  const text = isDealer(actor) ? documentsOfDealers : documentsOfStaff
  return seesOrders(context)
    ? { title, text, way: { path: '/orders', label: 'Orders', rule: orderAccess.list } }
    : { title, text, add: needed ?? { path: '/orders/add', label: 'New order', rule: orderAccess.add } }
}

const documentsOfDealers =
  'Invoices, specifications, and other documents of your orders appear here, to be downloaded and signed. Files that are attached to orders are on their pages.'

const documentsOfStaff =
  'Invoices, specifications, and other documents that are issued for orders appear here. Files that are attached to orders are on their pages.'

/** Staff know dealers by what their company is called, dealers their orders by whom they are for. */
const columns = [
  { key: 'number', label: 'Number', kind: 'identifier', value: documents.number, opens: true },
  { key: 'kind', label: 'Document', kind: 'word', value: documents.kind, words: documentKindLabels },
  { key: 'date', label: 'Date', kind: 'date', told: true, value: documents.date, sort: documents.date },
  { key: 'company', label: 'Company', kind: 'name', value: companies.org, hidden: isDealer },
  { key: 'receiver', label: 'Customer name', kind: 'name', value: orders.receiver, hidden: isStaff },
  { key: 'order', label: 'Order', kind: 'identifier', cell: 'order', told: true, value: documents.order_id },
  { key: 'amount', label: 'Amount', kind: 'money', value: documents.amount, sort: documents.amount, ...ofPrices },
  { key: 'state', label: 'State', kind: 'status', value: documents.state, words: documentStateLabels, cell: 'documentState' },
  { key: 'issuer', label: 'Issued by', kind: 'choice', value: documents.actor_name, hidden: true },
] as const satisfies readonly Column[]

/** What was issued of all orders, the newest first. */
export const documentList = prepareOnce(
  (db): List<DocumentRow> => ({
    name: 'documents',
    title: 'Documents',
    empty: emptyDocuments,
    columns,
    sizes: [25, 50, 100],
    sort: { key: 'date', dir: 'desc' },
    table: documents,
    may: documentAccess,
    filters: [
      wordFilter('kind', 'Document', documentKindLabels, documents.kind),
      wordFilter('state', 'State', documentStateLabels, documents.state),
      companyFilter(documents.company_id),
      ...rangeFilters('date', ['Date of issue', 'Issued from', 'Issued to'], 'date', betweenDays(documents.date)),
    ],
    searchHint: 'number, order, company',
    searchHintForDealers: 'number, order',
    find: (word) =>
      or(
        contains(sql`${documents.number}`, word),
        sql`${documents.order_id} = ${word.replace(/^[#№]/, '')}`,
        sql`${documents.company_id} in (select ${companies.id} from ${companies} where ${contains(sql`${companies.org}`, word)})`,
      ),
    rows: rowsByIds(db),
  }),
)

function rowsByIds(db: Database) {
  const { id, company_id } = documents
  const fields = {
    ...valuesOf(columns),
    ...{ id, company_id },
    manager_id: companies.manager_id,
    company_manufacture_id: companies.manufacture_id,
    company_stock_id: companies.stock_id,
  }
  const rows = db
    .select(fields)
    .from(documents)
    .leftJoin(companies, eq(companies.id, documents.company_id))
    .leftJoin(orders, and(eq(orders.id, documents.order_id), eq(orders.owner_company_id, documents.company_id)))
  return readRows(fields, rows.where(whereIn(documents.id, sql.placeholder('ids'))), (found, context) =>
    found.map((row) => ({ ...row, ...notesOf(row, context) })),
  )
}

type Shown = Pick<typeof documents.$inferSelect, 'id' | 'kind' | 'number' | 'date' | 'state'> & { order: number | null }

function notesOf({ id, kind, number, date, state, order }: Shown, { server, t }: Context): RowNotes {
  return {
    label: [t(documentKindLabels[kind]), number, formatCalendarDate(date)].join(', '),
    hrefs: { number: url(server, `/documents/${id}/file`), order: order ? url(server, `/orders/${order}#issued`) : undefined },
    data: { document: id, kind, number, state },
  }
}
