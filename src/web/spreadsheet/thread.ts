import { createWriteStream } from 'node:fs'
import { workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { Cell, ExportJob } from './sheet.ts'
import { writeWorkbook } from './workbook.ts'

const batch = 500

const { database, file, name, columns, ids, rows } = workerData as ExportJob

await writeWorkbook(createWriteStream('', { fd: file, autoClose: false }), name, columns, records()).catch(fail)

/** In batches: a query open for long would keep SQLite from checkpointing the write-ahead log. */
function* records(): Generator<Cell[][]> {
  const client = new Sqlite(database, { readonly: true })
  client.pragma('temp_store = MEMORY')
  const wanted = client.prepare(ids.sql).pluck().all(ids.params)
  const load = client.prepare(
    `select record.* from json_each(?) as wanted cross join (${rows.sql}) as record on record.id = wanted.value order by wanted.key`,
  )
  for (let start = 0; start < wanted.length; start += batch)
    yield load.raw().all([JSON.stringify(wanted.slice(start, start + batch)), ...rows.params]) as Cell[][]
}

/** A SqliteError would lose its message between threads. */
function fail({ message, stack, code }: Error & { code?: string }): never {
  throw Object.assign(new Error(message), { stack, code })
}
