import { and, eq, getTableColumns, getTableName, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { fold } from '../core/text.ts'
import { diffFields, logChanges, type ReferenceValue, reverseChanges, setReferences } from './audit-log.ts'
import { whereIn } from './conditions.ts'
import { insertRows } from './insert-rows.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import type { Author, RecordTable } from './records.ts'
import { childReferences, findLabels, rulesOf } from './references.ts'
import type { StoredRow } from './schema/audit-log.ts'
import { type RemovedRecord, trash } from './schema/trash.ts'
import { trashCredentials } from './trashed-credentials.ts'

interface Removal {
  table: RecordTable
  list: string
}

/** Deletes records as one batch, which can be restored. Call it in a transaction. */
export function deleteRecords(db: Database, removal: Removal, ids: number[], author: Author): number {
  const batch = crypto.randomUUID()
  deletePart(db, batch, removal, ids, author)
  return closeBatch(db, batch) as number
}

/** Deletes some of the records of a batch. */
export function deletePart(db: Database, batch: string, { list, table }: Removal, ids: number[], author: Author): void {
  const shared = { batch, at: Date.now(), actor_id: author.id, actor_name: author.name, list, entity: getTableName(table) }
  const rows = removeRecords(db, table, ids, author).map(({ row, label, removed }) => {
    return { ...shared, record_id: row.id, label, search: fold(label), facts: [ownershipFacts(row)], removed }
  })
  insertRows(db, trash, trashColumns, rows)
}

const trashColumns = ['batch', 'at', 'actor_id', 'actor_name', 'list', 'entity', 'record_id', 'label', 'facts', 'removed', 'search']

/** Offers a batch for restoring, once all of it is deleted. Returns the id of its first record; none where nothing was deleted. */
export function closeBatch(db: Database, batch: string): number | undefined {
  const all = sql`from ${trash} where batch = ${batch}`
  const facts = sql`select json_group_array(json(value)) from (select distinct value from ${trash}, json_each(facts) where batch = ${batch})`
  const first = db.get<{ id: number } | undefined>(sql`update ${trash} set size = (select count(*) ${all}), facts = (${facts})
    where id = (select min(id) ${all}) returning id`)
  return first?.id
}

/** The id of a batch that can be restored. */
export function restorableBatch(db: Database, batch: string): number | undefined {
  const { id, size, restored_at } = trash
  return db
    .select({ id })
    .from(trash)
    .where(and(eq(trash.batch, batch), isNotNull(size), isNull(restored_at)))
    .get()?.id
}

/** What the rules of deleting may ask of a record; the few kinds of them decide for a batch, however large. */
function ownershipFacts(row: StoredRow): StoredRow {
  const owning = Object.entries(row).filter(
    ([name, value]) => typeof value === 'boolean' || (name.endsWith('_id') && typeof value !== 'string'),
  )
  return Object.fromEntries(owning)
}

interface Removed {
  row: StoredRow
  label: string
  removed: RemovedRecord
}

/**
 * The only function that deletes records: their own rows go with them, references elsewhere become null, and all of it is returned for
 * the trash. A few statements for all of them, because the search indexes are written out once per statement.
 */
function removeRecords(db: Database, table: RecordTable, ids: number[], author: Author): Removed[] {
  const entity = getTableName(table)
  const rows = db.select().from(table).where(whereIn(table.id, ids)).orderBy(table.id).all()
  const labels = findLabels(db, entity, ids)
  const records = rows.map((row) => ({
    row,
    label: labels.get(row.id as number) ?? '',
    removed: { rows: [], references: [] } as RemovedRecord,
  }))
  removeRows(db, table, records, { table, ids: new Set(rows.map((row) => row.id)), author })
  const entries = records.map(({ row, label }) => ({
    ...{ action: 'delete' as const, entity, record_id: row.id as number, record_version: row.version as number, label },
    fields: reverseChanges(diffFields(table, {}, row)),
  }))
  logChanges(db, entries, author)
  return records
}

type OwnedRow = Omit<Removed, 'label'>

interface Context {
  table: SQLiteTable
  ids: ReadonlySet<unknown>
  author: Author
}

function removeRows(db: Database, table: SQLiteTable, owned: OwnedRow[], context: Context): void {
  if (owned.length === 0) return
  if (rulesOf(table).holdsCredentials) trashCredentials(db, table, owned)
  else for (const { row, removed } of owned) removed.rows.push({ table: getTableName(table), row: withoutSecrets(table, row) })
  const { pointing, remove } = statementsFor(db, table)
  for (const reference of pointing) {
    const owners = new Map(owned.map(({ row, removed }) => [row[reference.target], removed]))
    const children = reference.rows.all({ values: JSON.stringify([...owners.keys()]) })
    const ownedChildren = children.map((row) => ({ row, removed: owners.get(row[reference.column.name]) as RemovedRecord }))
    if (reference.cascades) removeRows(db, reference.table, ownedChildren, context)
    else clearReferences(db, reference, ownedChildren, context)
  }
  remove(owned.map(({ row }) => row))
}

function withoutSecrets(table: SQLiteTable, row: StoredRow): StoredRow {
  const columns = getTableColumns(table)
  const blanks = [...rulesOf(table).secret].map((name) => [name, columns[name]?.notNull ? '' : null])
  return { ...row, ...Object.fromEntries(blanks) }
}

function clearReferences(db: Database, { table, column }: Reference, owned: OwnedRow[], { table: top, ids, author }: Context): void {
  const others = owned.filter(({ row }) => table !== top || !ids.has(row.id))
  const changes = others.map(({ row }): ReferenceValue => [row.id as number, row[column.name], null])
  for (const { row, removed } of others) noteReference(removed, getTableName(table), column.name, row)
  setReferences(db, { table, column, changes, author })
}

function noteReference({ references }: RemovedRecord, table: string, column: string, row: StoredRow): void {
  const value = row[column]
  const known = references.find((one) => one.table === table && one.column === column && one.value === value)
  if (known) known.ids.push(row.id as number)
  else references.push({ table, column, value, ids: [row.id as number] })
}

type Reference = Statements['pointing'][number]
type Statements = ReturnType<typeof prepareStatements>

const statements = prepareOnce(() => new Map<SQLiteTable, Statements>())

function statementsFor(db: Database, table: SQLiteTable): Statements {
  const prepared = statements(db).get(table) ?? prepareStatements(db, table)
  statements(db).set(table, prepared)
  return prepared
}

function prepareStatements(db: Database, table: SQLiteTable) {
  const pointing = childReferences(table).map((reference) => ({ ...reference, rows: prepareRows(db, reference) }))
  return { pointing, remove: prepareRemoval(db, table) }
}

function prepareRows(db: Database, { table, column, cascades }: ReturnType<typeof childReferences>[number]) {
  const columns = getTableColumns(table)
  const wanted = cascades ? columns : { id: columns.id as SQLiteColumn, [column.name]: column }
  const order = columns.id ? [columns.id] : []
  const pointing = whereIn(column, sql.placeholder('values'))
  const rows = db.select(wanted).from(table).where(pointing)
  return rows.orderBy(...order).prepare()
}

function prepareRemoval(db: Database, table: SQLiteTable): (rows: StoredRow[]) => void {
  const { id } = getTableColumns(table)
  if (id) {
    const named = whereIn(id, sql.placeholder('ids'))
    const byIds = db.delete(table).where(named).prepare()
    return (rows) => void byIds.run({ ids: JSON.stringify(rows.map((row) => row.id)) })
  }
  const byKey = db.delete(table).where(primaryKeyCondition(table)).prepare()
  return (rows) => {
    for (const row of rows) byKey.run(row)
  }
}

function primaryKeyCondition(table: SQLiteTable): SQL | undefined {
  const { primaryKeys, columns } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return and(...key.map((column) => eq(column, sql.placeholder(column.name))))
}
