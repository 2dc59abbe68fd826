import { eq, getTableColumns } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { entryLabels } from '../../core/labels.ts'
import { ofPrices } from '../../core/prices.ts'
import { companies, type Database, ledgerEntries, prepareOnce, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { isoTime } from '../../records/api/fields-json.ts'
import { choice, date, money, option, text } from '../../records/fields/index.ts'
import { day, integer, kopecks, moment, orNull, string } from '../../records/fields/json-schema.ts'
import type { Subordinate } from '../../records/history/subordinates.ts'
import type { Resource } from '../../records/kind/resource.ts'
import { addRecord } from '../../records/record.ts'
import { mayReadLedger } from './access.ts'
import { ledgerList, shownKind } from './list.ts'

export async function ledgerRoutes(app: FastifyInstance): Promise<void> {
  app.registry.subordinates.push(entryRecords)
  const list = ledgerList()
  addRecord(app, {
    list,
    api: { ...ledgerResource, list: () => list },
    menu: { icon: 'receipt', section: 'Sales', letter: 'b', says: ['debt, balance, settlements, reconciliation'] },
  })
}

/** What the history tells of the ledger. */
const entryRecords: Subordinate = {
  ...ofPrices,
  table: ledgerEntries,
  title: 'Ledger entries',
  fields: {
    company_id: choice('Company'),
    kind: option('Entry', { ...entryLabels, charge: 'Charge or reversal' }),
    amount: money('Amount', {}),
    order_id: choice('Order'),
    date: date('Date'),
    note: text('Note'),
  },
  owners: [{ table: companies, column: ledgerEntries.company_id }],
}

const byIds = prepareOnce((db, params) =>
  db
    .select({ ...getTableColumns(ledgerEntries), kind: shownKind, company_manager_id: companies.manager_id })
    .from(ledgerEntries)
    .innerJoin(companies, eq(companies.id, ledgerEntries.company_id))
    .where(whereIn(ledgerEntries.id, params.ids))
    .prepare(),
)

const findEntry: FindRecord<Entry> = (db, id) => readEntries(db, [id])[0]

/** Nothing in a ledger changes. */
const readEntries = (db: Database, ids: number[]) =>
  byIds(db)
    .all({ ids: JSON.stringify(ids) })
    .map((entry) => ({ ...entry, version: 1, created_at: entry.at, updated_at: entry.at }))

type Entry = ReturnType<typeof readEntries>[number]

function jsonOfEntry(_: Context, { id, company_id, order_id, payment_id, kind, amount, date, note, actor_id, actor_name, at }: Entry) {
  return { id, company_id, order_id, payment_id, kind, amount, date, note, actor_id, actor: actor_name, created_at: isoTime(at) }
}

/** Read only: entries are made by what happens to orders and payments, and by hand on the card of a company. */
const ledgerResource: Resource<Entry, Entry> = {
  name: 'ledger',
  schema: 'LedgerEntry',
  table: { id: ledgerEntries.id, updated_at: ledgerEntries.at },
  find: findEntry,
  may: { list: mayReadLedger, view: mayReadLedger },
  rows: ({ server }, ids) => readEntries(server.db, ids),
  json: jsonOfEntry,
  fields: {
    ...{ id: integer, company_id: integer, order_id: orNull(integer), payment_id: orNull(integer) },
    ...{ kind: { ...string, enum: Object.keys(entryLabels) }, amount: kopecks, date: day, note: orNull(string) },
    ...{ actor_id: orNull(integer), actor: string, created_at: moment },
  },
}
