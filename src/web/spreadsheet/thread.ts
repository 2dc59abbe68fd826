// A thread of its own: writes the spreadsheet that its job describes into a file.
import { createWriteStream } from 'node:fs'
import { workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { Cell, Job } from './sheet.ts'
import { writeWorkbook } from './workbook.ts'

const batch = 500

const { database, file, name, columns, ids, rows } = workerData as Job

await writeWorkbook(createWriteStream('', { fd: file, autoClose: false }), name, columns, records()).catch(fail)

/** In batches: a query that stays open while a long sheet is written would keep the database from tidying up. */
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

/** The database's own kind of error would reach the other thread without its message. */
function fail({ message, stack, code }: Error & { code?: string }): never {
  throw Object.assign(new Error(message), { stack, code })
}
