import { eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Actor, allOf, anyOf, group, has, isGroup, isSameId, type Ownership, type Rule } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import {
  type Author,
  categories,
  categoryCompany,
  categoryMarkups,
  companies,
  type Database,
  manufactures,
  orderItems,
  products,
  stocks,
  users,
} from '../../database/index.ts'
import type { EmptyList } from '../../records/list/empty-list.ts'
import { recordDiscountChanges } from '../companies/company.ts'
import labels from './labels.json' with { type: 'json' }

/** What an empty list says about what would be in it. */
export const purposes: Record<string, EmptyList> = {
  stocks: { title: 'No warehouses yet', text: 'Warehouses are where orders are stored until they are handed over; each company has one.' },
  manufactures: { title: 'No production sites yet', text: 'Production sites are where orders are made; each company has one.' },
  categories: { title: 'No categories yet', text: 'Categories group products, so that a company can have a discount for each.' },
}

/** What people in production read who see their own warehouse alone, and have none. */
export const unplaced: EmptyList = {
  title: 'Your warehouse is not set yet',
  text: 'Administrators say at which warehouse you work. Then it stands here, with its address.',
}

export function isUnplaced({ name }: Reference, { group_id, stock_id }: Actor): boolean {
  return name === 'stocks' && group_id === group.production && stock_id === null
}

type ReferenceTable = typeof stocks | typeof manufactures | typeof categories

export type ReferenceRecord = typeof categories.$inferSelect & { address?: string | null }

type ReferenceRules = Record<'list' | 'view' | 'add' | 'edit' | 'delete', Rule<ReferenceRecord>>

type Labels = (typeof labels)['stocks']

export interface Reference extends Labels {
  name: 'stocks' | 'manufactures' | 'categories'
  /** What a description of the API calls one. */
  schema: string
  table: ReferenceTable
  icon: string
  letter: string
  /** Other words for it. */
  says?: readonly string[]
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

export const references: Reference[] = [
  {
    ...labels.stocks,
    name: 'stocks',
    schema: 'Warehouse',
    table: stocks,
    icon: 'building-warehouse',
    letter: 'k',
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
    letter: 'i',
    says: ['factories, plants, workshops'],
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
    letter: 't',
    says: ['groups, kinds of goods'],
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
