import type Sqlite from 'better-sqlite3'
import type { Database } from '../../src/database/open.ts'

type Row = Record<string, unknown>
export type Content = Record<string, Row[]>

/** The tables that hold people's data: not what SQLite keeps for itself, and not what is kept by triggers. */
export function tablesOf(client: Sqlite.Database): string[] {
  const sql = `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name not like '\\_\\_%' escape '\\' and name not like '%_tallies'`
  return client.prepare(sql).pluck().all() as string[]
}

export function contentOf(client: Sqlite.Database): Content {
  return Object.fromEntries(
    tablesOf(client).map((table) => [table, client.prepare(`select * from "${table}" order by 1, 2`).all() as Row[]]),
  )
}

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
  hidden: number
}

/** What only one kind of text fits. */
const documents: Record<string, string> = {
  'bin.removed': '{"rows":[{"table":"companies","row":{"id":7,"org":"Gone"}}],"references":[]}',
  'changes.fields': '{"org":["Before","After"]}',
}
const known: Record<string, string> = { ...documents, 'planted.name': 'statuses' }

/** Two rows in each table: one with everything that can be there, one with nothing that need not. */
export function plantRows(client: Sqlite.Database, tables = tablesOf(client)): void {
  client.pragma('foreign_keys = OFF')
  for (const table of tables) {
    const columns = (client.pragma(`table_xinfo("${table}")`) as Column[]).filter((column) => !column.hidden)
    const references = (client.pragma(`foreign_key_list("${table}")`) as { from: string }[]).map(({ from }) => from)
    insert(client, table, columns, (column) => known[`${table}.${column.name}`] ?? valueFor(column, 1, references))
    const needed = columns.filter((column) => column.pk || (column.notnull && column.dflt_value === null))
    insert(client, table, needed, (column) => documents[`${table}.${column.name}`] ?? valueFor(column, 2, references))
  }
  client.pragma('foreign_keys = ON')
}

function insert(client: Sqlite.Database, table: string, columns: Column[], choose: (column: Column) => unknown): void {
  const names = columns.map(({ name }) => `"${name}"`)
  // Triggers may have written it already.
  client.prepare(`insert or replace into "${table}" (${names}) values (${names.map(() => '?')})`).run(...columns.map(choose))
}

/** References point at the row of the same number, wherever it is. */
function valueFor({ name, type, dflt_value }: Column, number: number, references: string[]): unknown {
  if (references.includes(name)) return number
  if (/^'[[{]/.test(dflt_value ?? '')) return (dflt_value as string).slice(1, -1)
  if (type.toLowerCase() === 'text') return `${name} ${number}`
  return /^(true|false|0|1)$/.test(dflt_value ?? '') ? 1 : number
}

export const searchTables = (client: Sqlite.Database) =>
  client.prepare(`select name from sqlite_master where sql like 'create virtual table%using fts5%'`).pluck().all() as string[]

/** Everything but tables: their columns may stand in another order. */
export const definitions = (client: Sqlite.Database) =>
  client
    .prepare(`select type, name, tbl_name, sql from sqlite_master where type <> 'table' or sql like 'create virtual%' order by name`)
    .all() as object[]

export const tallies = ({ $client: client }: Database) => ({
  userTallies: client.prepare('select group_id, count from user_tallies where count > 0 order by 1').all() as object[],
  orderTallies: client.prepare('select status_id, month, count from order_tallies where count > 0 order by 1, 2').all() as object[],
})

export const countedTallies = ({ $client: client }: Database) => ({
  userTallies: client.prepare('select group_id, count(*) as count from users group by 1 order by 1').all(),
  orderTallies: client
    .prepare(
      `select ifnull(status_id, 0) as status_id, strftime('%Y-%m', created_at / 1000, 'unixepoch') as month, count(*) as count from orders group by 1, 2 order by 1, 2`,
    )
    .all(),
})
