import type { Database } from '../../src/database/open.ts'

/**
 * Counts what is written through a connection, but for the indexes of the search: those are tended in the background.
 * @returns the number of rows inserted, updated or deleted so far
 */
export function countWrites({ $client: client }: Database): () => number {
  const tables = client
    .prepare<[], string>("select name from sqlite_master where type = 'table' and sql not like 'create virtual%'")
    .pluck()
    .all()
    .filter((name) => !/^sqlite_|_texts|_fts/.test(name))
  client.exec('create temp table written (rows integer); insert into temp.written values (0)')
  for (const table of tables)
    for (const event of ['insert', 'update', 'delete'])
      client.exec(
        `create temp trigger count_${event}_${table} after ${event} on main."${table}" begin update temp.written set rows = rows + 1; end`,
      )
  const written = client.prepare<[], number>('select rows from temp.written').pluck()
  return () => written.get() as number
}
