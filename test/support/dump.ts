import type Sqlite from 'better-sqlite3'

/** Every row of every table as text, in any order; how full-text indexes keep theirs changes in the background. */
export function dumpDatabase(client: Sqlite.Database, ...leaveOut: string[]): Record<string, string[]> {
  const stored = "select name from pragma_table_list where schema = 'main' and type = 'table' and name <> 'sqlite_schema'"
  const tables = client.prepare(stored).pluck().all() as string[]
  const rows = (table: string) => client.prepare(`select * from "${table}"`).raw().safeIntegers().all().map(String).sort()
  return Object.fromEntries(tables.filter((table) => !leaveOut.includes(table)).map((table) => [table, rows(table)]))
}

/** Damaged pages, dangling references, and records that disagree with their history. */
export function integrityErrors(client: Sqlite.Database): string[] {
  const tables = client.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[]
  const isVersioned = client.prepare(`select 1 from pragma_table_info(?) where name = 'version'`)
  // Payments are evidence by themselves and in the ledger, where those who may not see prices do not read of them.
  const versioned = tables.filter((table) => table !== 'payments' && isVersioned.get(table))
  return [
    ...(client.pragma('integrity_check') as { integrity_check: string }[])
      .map((row) => row.integrity_check)
      .filter((text) => text !== 'ok'),
    ...(client.pragma('foreign_key_check') as object[]).map((row) => JSON.stringify(row)),
    ...versioned.flatMap((table) =>
      (client.prepare(versionsWithoutHistory(table)).all({ table }) as object[]).map((row) => `${table} ${JSON.stringify(row)}`),
    ),
    ...(client.prepare(trashWithoutHistory).all() as object[]).map((row) => `trash ${JSON.stringify(row)}`),
  ]
}

const versionsWithoutHistory = (table: string) => `
  select id, version, recorded from (
    select id, version, (select max(record_version) from changes where entity = @table and record_id = "${table}".id) recorded from "${table}")
  where version <> coalesce(recorded, 1)`

const trashWithoutHistory = `
  select entity, record_id from trash
  where not exists (select 1 from changes where action = 'delete' and changes.entity = trash.entity and changes.record_id = trash.record_id)`
