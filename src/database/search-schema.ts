import { getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { foldedView, joinTexts } from './folded-view.ts'
import { anyChanged, fullTextTable, type Statement, trigger } from './kept/statement.ts'
import type { Searched } from './schema/columns.ts'

type ColumnOf<Table extends SQLiteTable> = keyof Table['_']['columns'] & string

/** What another table adds to the text of a record. */
interface Added {
  table: string
  columns: string[]
  /** What the rows have that its columns refer to in turn. */
  joins?: Record<string, Added>
}

interface Indexed<Table extends SQLiteTable> extends Searched<Table> {
  /** The list has only the rows of which this holds. */
  only?: Partial<Record<ColumnOf<Table>, number>>
  /** What the records have that these columns refer to. */
  joins?: Partial<Record<ColumnOf<Table>, Added>>
  /** Rows that refer to the record. */
  rows?: Added & { by: string }
}

/** One folded text per record of a list with a trigram index over it, both kept by triggers. */
interface SearchIndexSchema {
  /** The table `id, text, stale`; a text is stale when what it mentions has another name, until it is written anew. */
  texts: string
  /** The view `id, text` of what `texts` should hold. */
  source: string
  fullText: string
  /** Create and fill all of it, in SQL that SQLite 3.40 understands. */
  statements: Statement[]
}

export function added<Table extends SQLiteTable>(
  table: Table,
  columns: ColumnOf<Table>[],
  joins?: Partial<Record<ColumnOf<Table>, Added>>,
): Added {
  return { table: getTableName(table), columns, joins: joins as Added['joins'] }
}

export function addedRows<Table extends SQLiteTable>(
  table: Table,
  by: ColumnOf<Table>,
  columns: ColumnOf<Table>[],
): Added & { by: string } {
  return { ...added(table, columns), by }
}

export function searchIndex<Table extends SQLiteTable>(name: string, searched: Indexed<Table>): SearchIndexSchema {
  const names = { texts: `${name}_texts`, source: `${name}_sources`, fullText: `${name}_texts_fts` }
  const joins = Object.entries(searched.joins ?? {}) as [by: string, join: Added][]
  const statements = [
    foldedView(names.source, sourceQuery(searched, joins)),
    ...textTable(names),
    ...textIndex(names),
    ...recordTriggers(names, searched, joins),
    ...joins.flatMap(([by, join]) =>
      joinTriggers(names.texts, by, join, (id) => `SELECT id FROM ${getTableName(searched.table)} WHERE ${by} ${id}`),
    ),
    ...(searched.rows ? rowTriggers(names, searched.rows) : []),
  ]
  return { ...names, statements }
}

type Names = Omit<SearchIndexSchema, 'statements'>

function sourceQuery<Table extends SQLiteTable>(searched: Indexed<Table>, joins: [string, Added][]): string {
  const { table, columns, phones = [], numbers = [], rows, only = {} } = searched
  const texts = [
    ...columns.map((column) => `record.${column}`),
    ...phones.flatMap((column) => [`record.${column}`, digits(`record.${column}`)]),
    ...numbers.flatMap((column) => [`'#' || record.${column}`, `'№' || record.${column}`]),
    ...joins.flatMap(([by, join]) => joinedTexts(`through_${by}`, join)),
    ...(rows?.columns ?? []).map(
      (column) => `(SELECT group_concat(${column}, char(10)) FROM ${rows?.table} WHERE ${rows?.by} = record.id)`,
    ),
  ]
  const joined = joins.map(([by, join]) => joinedTable('record', by, `through_${by}`, join))
  const conditions = Object.entries(only).map(([column, value]) => `record.${column} = ${value}`)
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
  return `SELECT record.id AS id, ${joinTexts(texts)} AS text
    FROM ${getTableName(table)} AS record${joined.join('')}${where}`
}

function joinedTexts(alias: string, { columns, joins = {} }: Added): string[] {
  const further = Object.entries(joins).flatMap(([by, join]) => joinedTexts(`${alias}_${by}`, join))
  return [...columns.map((column) => `${alias}.${column}`), ...further]
}

function joinedTable(from: string, by: string, alias: string, { table, joins = {} }: Added): string {
  const further = Object.entries(joins).map(([next, join]) => joinedTable(alias, next, `${alias}_${next}`, join))
  return ` LEFT JOIN ${table} AS ${alias} ON ${alias}.id = ${from}.${by}${further.join('')}`
}

function digits(phone: string): string {
  return ['+', '(', ')', '-', ' '].reduce((text, letter) => `replace(${text}, '${letter}', '')`, phone)
}

function textTable({ texts, source }: Names): Statement[] {
  return [
    { name: texts, sql: `CREATE TABLE ${texts} (id INTEGER PRIMARY KEY, text TEXT NOT NULL, stale INTEGER NOT NULL DEFAULT 0)` },
    { name: `${texts}_stale`, sql: `CREATE INDEX ${texts}_stale ON ${texts} (id) WHERE stale` },
    `INSERT INTO ${texts} (id, text) SELECT id, text FROM ${source}`,
  ]
}

function textIndex({ texts, fullText }: Names): Statement[] {
  const remove = `INSERT INTO ${fullText}(${fullText}, rowid, text) VALUES ('delete', old.id, old.text)`
  const add = `INSERT INTO ${fullText}(rowid, text) VALUES (new.id, new.text)`
  return [
    ...fullTextTable(fullText, 'text', texts),
    trigger(`${fullText}_insert`, `AFTER INSERT ON ${texts}`, add),
    trigger(`${fullText}_delete`, `AFTER DELETE ON ${texts}`, remove),
    trigger(`${fullText}_update`, `AFTER UPDATE OF text ON ${texts} WHEN old.text <> new.text`, remove, add),
  ]
}

function recordTriggers<Table extends SQLiteTable>(
  { texts, source }: Names,
  searched: Indexed<Table>,
  joins: [string, Added][],
): Statement[] {
  const { table, columns, phones = [], numbers = [], only = {} } = searched
  const name = getTableName(table)
  const used = [...Object.keys(only), ...columns, ...phones, ...numbers, ...joins.map(([by]) => by)]
  const remove = (row: string) => `DELETE FROM ${texts} WHERE id = ${row}.id`
  const write = [remove('new'), `INSERT INTO ${texts} (id, text) SELECT id, text FROM ${source} WHERE id = new.id`]
  return [
    trigger(`${texts}_insert`, `AFTER INSERT ON ${name}`, ...write),
    trigger(`${texts}_update`, `AFTER UPDATE OF ${used.join(', ')} ON ${name} WHEN ${anyChanged(used)}`, ...write),
    trigger(`${texts}_delete`, `AFTER DELETE ON ${name}`, remove('old')),
  ]
}

/** Of records restored together, one that refers to another may come first: so a new one makes texts stale, too. */
function joinTriggers(texts: string, by: string, { table, columns, joins = {} }: Added, referring: (id: string) => string): Statement[] {
  const stale = `UPDATE ${texts} SET stale = 1 WHERE id IN (${referring('= new.id')})`
  const name = `${texts}_${by}`
  const used = [...columns, ...Object.keys(joins)]
  const further = Object.entries(joins).flatMap(([next, join]) =>
    joinTriggers(texts, `${by}_${next}`, join, (id) => referring(`IN (SELECT id FROM ${table} WHERE ${next} ${id})`)),
  )
  return [
    trigger(`${name}_insert`, `AFTER INSERT ON ${table}`, stale),
    trigger(`${name}_update`, `AFTER UPDATE OF ${used.join(', ')} ON ${table} WHEN ${anyChanged(used)}`, stale),
    ...further,
  ]
}

function rowTriggers({ texts }: Names, { table, by, columns }: Added & { by: string }): Statement[] {
  const stale = (row: string) => `UPDATE ${texts} SET stale = 1 WHERE id = ${row}.${by}`
  const used = [by, ...columns]
  return [
    trigger(`${texts}_${table}_insert`, `AFTER INSERT ON ${table}`, stale('new')),
    trigger(
      `${texts}_${table}_update`,
      `AFTER UPDATE OF ${used.join(', ')} ON ${table} WHEN ${anyChanged(used)}`,
      stale('old'),
      stale('new'),
    ),
    trigger(`${texts}_${table}_delete`, `AFTER DELETE ON ${table}`, stale('old')),
  ]
}
