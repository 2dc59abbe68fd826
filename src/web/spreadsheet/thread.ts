import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../database/reader.ts'
import { type Cell, formatLine } from './csv.ts'
import type { ExportJob } from './write.ts'

const batch = 100

const { database, file, format, name, columns, ids } = workerData as ExportJob

const stream = createWriteStream('', { fd: file, autoClose: false })
await write().catch(fail)
parentPort?.close()

/** The writer of workbooks is large and loaded only for them. */
async function write(): Promise<void> {
  if (format === 'csv') return writeCsv(records())
  return (await import('./workbook.ts')).writeWorkbook(stream, name, columns, records())
}

/** The ids are found here, the rows by the main thread, a few at a time, so that other requests are served in between. */
async function* records(): AsyncGenerator<Cell[][]> {
  const client = openReader(database)
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

/** Writes comma-separated values that spreadsheet programs recognize as UTF-8 by the mark at the start. */
async function writeCsv(batches: AsyncIterable<Cell[][]>): Promise<void> {
  stream.write(`\ufeff${formatLine(columns.map(({ header }) => header))}`)
  for await (const rows of batches) {
    const lines = rows.map((cells) => formatLine(cells.map((cell, index) => (columns[index]?.moment ? formatMoment(cell) : cell))))
    if (!stream.write(lines.join(''))) await once(stream, 'drain')
  }
  await new Promise((resolve) => stream.end(resolve))
}

function formatMoment(moment: Cell): Cell {
  return typeof moment === 'number' ? new Date(moment).toLocaleString('sv').slice(0, 16) : moment
}
