import { eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance } from 'fastify'
import { allOf, allows, anyOf, group, has, isGroup, isSameId, type Ownership, type Rule } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import {
  type Author,
  categories,
  categoryCompany,
  categoryMarkups,
  companies,
  createRecord,
  type Database,
  manufactures,
  orderItems,
  products,
  stocks,
  updateRecord,
  users,
  whereIn,
} from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { formatCount } from '../../i18n/format.ts'
import { resourceOf } from '../../records/api/resource.ts'
import { text } from '../../records/fields/index.ts'
import { form } from '../../records/form/form.ts'
import type { Card, Fact } from '../../records/kind/card.ts'
import { columnsOf } from '../../records/list/columns.ts'
import { countOf } from '../../records/list/count.ts'
import type { DeletionPart } from '../../records/list/deletion.ts'
import type { EmptyList, List } from '../../records/list/list.ts'
import { addRecord } from '../../records/record.ts'
import { recordDiscountChanges } from '../companies/company.ts'
import labels from './labels.json' with { type: 'json' }

export async function referenceRoutes(app: FastifyInstance): Promise<void> {
  for (const reference of references) {
    const [list, card] = [referenceList(app.db, reference), referenceCard(reference)]
    addRecord(app, {
      list,
      card,
      deletion: referenceDeletion(reference),
      imports: { keys: ['name'] },
      api: resourceOf(reference.schema, card),
      menu: { icon: reference.icon, section: 'Catalog' },
    })
  }
}

function referenceList(db: Database, reference: Reference): List<ReferenceRecord> {
  const { name, table, title, addTitle, may } = reference
  const column = columnsOf(formOf(reference), table as typeof stocks)
  return {
    name,
    title,
    empty: purposes[name],
    add: { path: `/${name}/add`, label: addTitle },
    columns: [column('name', { kind: 'name', sort: table.search, opens: true }), ...(reference.hasAddress ? [column('address')] : [])],
    sizes: [25, 50, 'all'],
    sort: { key: 'name', dir: 'asc' },
    table,
    may,
    searched: 'address' in table ? 'name, address' : 'name',
    find: 'address' in table ? [table.name, table.address] : [table.name],
    rows: { load: (ids) => db.select().from(table).where(whereIn(table.id, ids)).all() as ReferenceRecord[] },
  }
}

function referenceDeletion(reference: Reference): DeletionPart<ReferenceRecord> {
  const { question, done, dependents, recordDependentChanges } = reference
  return {
    question,
    done,
    consequences: dependents,
    before: (request, ids) => void recordDependentChanges?.(request.server.db, ids, 'go', request.author),
    restored: (request, ids) => recordDependentChanges?.(request.server.db, ids, 'are back', request.author),
  }
}

function findReferenceRecord({ table }: Reference): FindRecord<ReferenceRecord> {
  return (db, id) => db.select().from(table).where(eq(table.id, id)).get() as ReferenceRecord | undefined
}

function referenceCard(reference: Reference): Card<ReferenceRecord, ReferenceForm> {
  const { name, table, newTitle, may } = reference
  return {
    list: name,
    path: `/${name}`,
    form: formOf(reference),
    may,
    find: findReferenceRecord(reference),
    titleOf: (record) => record.name,
    formState: (_, record) => ({ mode: record ? 'edit' : 'create', stored: { ...record }, choices: {} }),
    creation: {
      title: newTitle,
      done: '{name} added',
      create: (request, values) => createRecord(request.server.db, table, values, values.name, request.author),
    },
    save: (request, record, values) => {
      const after = { ...record, ...values }
      updateRecord(request.server.db, table, record, values, after.name, request.author)
    },
    head: { facts: (request, record) => countRelated(request, reference, record) },
    related: reference.related,
  }
}

function countRelated({ server, actor }: Context, { related }: Reference, { id }: ReferenceRecord): Fact[] {
  return Object.entries(related).flatMap(([name, filter]) => {
    const list = server.records.get(name)?.list
    if (!list || !allows(list.may.list, actor)) return []
    const query = `${filter}=${id}`
    return { label: list.title, text: formatCount(countOf(server.db, list, actor, query)), href: `/${name}?${query}` }
  })
}

type ReferenceForm = ReturnType<typeof formOf>

function formOf({ table, nameLabel, hasAddress }: Reference) {
  const fields = { name: text(nameLabel, { required: true }), address: text('Address') }
  return form(table, [{ title: 'Data', fields: hasAddress ? fields : { name: fields.name } }])
}

/** What an empty list says about what would be in it. */
const purposes: Record<string, EmptyList> = {
  stocks: { title: 'No warehouses yet', text: 'Warehouses are where orders are stored until they are handed over; each company has one.' },
  manufactures: { title: 'No production sites yet', text: 'Production sites are where orders are made; each company has one.' },
  categories: { title: 'No categories yet', text: 'Categories group products, so that a company can have a discount for each.' },
}

type ReferenceTable = typeof stocks | typeof manufactures | typeof categories

type ReferenceRecord = typeof categories.$inferSelect & { address?: string | null }

type ReferenceRules = Record<'list' | 'view' | 'add' | 'edit' | 'delete', Rule<ReferenceRecord>>

type Labels = (typeof labels)['stocks']

interface Reference extends Labels {
  name: 'stocks' | 'manufactures' | 'categories'
  /** What a description of the API calls one. */
  schema: string
  table: ReferenceTable
  icon: string
  hasAddress: boolean
  may: ReferenceRules
  recordDependentChanges?: (db: Database, ids: number[], what: 'go' | 'are back', author: Author) => void
  dependents: [text: string, column: SQLiteColumn][]
  related: Readonly<Record<string, string>>
}

const ownStock: Ownership<ReferenceRecord> = {
  description: 'the warehouse you work at',
  predicate: (actor, stock) => isSameId(actor.stock_id, stock.id),
  where: (actor) => eq(stocks.id, actor.stock_id ?? 0),
}

const outsideProduction: Ownership<ReferenceRecord> = {
  description: 'users outside production',
  predicate: (actor) => actor.group_id !== group.production,
  where: (actor): SQL => (actor.group_id === group.production ? sql`0` : sql`1`),
}

/** Production sees its own stock without a policy, and only that (specification, page behavior, point 3). */
const stockViewRule = anyOf(isGroup(group.production, ownStock), has('stock_can_view', outsideProduction))

function buildRules(list: Rule<ReferenceRecord>, editPolicy: PolicyKey): ReferenceRules {
  const edit = allOf(list, anyOf<ReferenceRecord>(has(editPolicy)))
  return { list, view: list, add: anyOf<ReferenceRecord>(has(editPolicy)), edit, delete: edit }
}

const references: Reference[] = [
  {
    ...labels.stocks,
    name: 'stocks',
    schema: 'Warehouse',
    table: stocks,
    icon: 'building-warehouse',
    hasAddress: true,
    may: buildRules(stockViewRule, 'stock_can_edit'),
    dependents: [
      ['{count} companies will have no warehouse.', companies.stock_id],
      ['{count} production users will have no warehouse.', users.stock_id],
    ],
    related: { companies: 'stock', orders: 'stock' },
  },
  {
    ...labels.manufactures,
    name: 'manufactures',
    schema: 'ProductionSite',
    table: manufactures,
    icon: 'building-factory-2',
    hasAddress: true,
    may: buildRules(anyOf(has('manufacture_can_view')), 'manufacture_can_edit'),
    dependents: [
      ['{count} companies will have no production site.', companies.manufacture_id],
      ['{count} production users will have no production site.', users.manufacture_id],
    ],
    related: { companies: 'manufacture', orders: 'manufacture' },
  },
  {
    ...labels.categories,
    name: 'categories',
    schema: 'Category',
    table: categories,
    icon: 'category',
    hasAddress: false,
    may: buildRules(anyOf(has('category_can_view')), 'category_can_edit'),
    recordDependentChanges: recordDiscountChanges,
    dependents: [
      ['{count} company category discounts will also be deleted.', categoryCompany.category_id],
      ['{count} category markups will also be deleted.', categoryMarkups.category_id],
      ['{count} order lines will have no category.', orderItems.category_id],
      ['{count} products will have no category.', products.category_id],
    ],
    related: { orders: 'category' },
  },
]
