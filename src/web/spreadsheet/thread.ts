import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { addFunctions } from '../../database/functions.ts'
import type { Cell, ExportJob } from './write.ts'

const batch = 200

const { database, file, format, name, columns, ids } = workerData as ExportJob

const stream = createWriteStream('', { fd: file, autoClose: false })
await write().catch(fail)
parentPort?.close()

/** Loads the writer of this format only. */
async function write(): Promise<void> {
  if (format === 'csv') return (await import('./csv.ts')).writeCsv(stream, columns, records())
  return (await import('./workbook.ts')).writeWorkbook(stream, name, columns, records())
}

/** The ids are found here, the rows by the main thread, a few at a time, so that other requests are served in between. */
async function* records(): AsyncGenerator<Cell[][]> {
  const client = new Sqlite(database, { readonly: true })
  client.pragma('temp_store = MEMORY')
  addFunctions(client)
  const wanted = client.prepare(ids.sql).pluck().all(ids.params) as number[]
  client.close()
  for (let start = 0; start < wanted.length; start += batch) {
    parentPort?.postMessage(wanted.slice(start, start + batch))
    const [rows] = await once(parentPort as NonNullable<typeof parentPort>, 'message')
    yield rows
  }
}

/** A SqliteError would lose its message between threads. */
function fail({ message, stack, code }: Error & { code?: string }): never {
  throw Object.assign(new Error(message), { stack, code })
}
