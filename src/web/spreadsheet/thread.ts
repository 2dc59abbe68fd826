import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../database/reader.ts'
import { type Cell, csvForms, formatLine } from './csv.ts'
import type { ExportJob, LoadRows, SelectedRows, SheetColumn } from './write.ts'

const { database, file, format, language, name, columns, ids, rows } = workerData as ExportJob

const loadedAtOnce = 200
const askedAtOnce = 100

const stream = createWriteStream('', { fd: file, autoClose: false })
await write().catch(fail)
parentPort?.close()

/** The writer of workbooks and the functions of described sheets are large and loaded only for those. */
async function write(): Promise<void> {
  const client = openReader(database)
  const wanted = client.prepare<unknown[], number>(ids.sql).pluck().all(ids.params)
  const batches = rows ? loadInSlices(wanted, await rowLoader(client, rows)) : askForRows(wanted, parentPort as MessagePort)
  if (format === 'csv') return writeCsv(batches)
  return (await import('./workbook.ts')).writeWorkbook(stream, name, columns, batches)
}

type Reader = ReturnType<typeof openReader>

async function rowLoader(client: Reader, declared: NonNullable<ExportJob['rows']>): Promise<LoadRows> {
  if ('sql' in declared) return rowSelector(client, declared)
  const { rowDescriber } = await import('./describe-rows.ts')
  return rowDescriber(client, declared, language)
}

async function* loadInSlices(wanted: number[], load: LoadRows): AsyncGenerator<Cell[][]> {
  for (const slice of slicesOf(wanted, loadedAtOnce)) {
    yield load(slice)
    // Lets compression and writing catch up, so that rows do not pile up in memory.
    await nextTurn()
  }
}

/** The main thread makes them a few at a time, so that other requests are served in between. */
async function* askForRows(wanted: number[], main: MessagePort): AsyncGenerator<Cell[][]> {
  for (const slice of slicesOf(wanted, askedAtOnce)) {
    main.postMessage(slice)
    const [found] = await once(main, 'message')
    yield found
  }
}

function* slicesOf(wanted: number[], length: number): Generator<number[]> {
  for (let start = 0; start < wanted.length; start += length) yield wanted.slice(start, start + length)
}

function rowSelector(client: Reader, { sql, params, ...places }: SelectedRows): LoadRows {
  const select = client.prepare<unknown[], Cell[]>(sql).raw()
  return (slice) => {
    const found = new Map(select.all(params.with(places.ids, JSON.stringify(slice))).map((row) => [row[places.id], row]))
    return slice.flatMap((id) => (found.has(id) ? [columns.map((column) => cellOf(found.get(id) as Cell[], column))] : []))
  }
}

function cellOf(row: Cell[], { fields = [], words }: SheetColumn): Cell {
  const parts = fields.map((field) => row[field] ?? null)
  const cell = parts.length === 1 ? (parts[0] ?? null) : parts.filter(Boolean).join(' ')
  return words?.get(String(cell)) ?? cell
}

/** A SqliteError would lose its message between threads. */
function fail({ message, stack, code }: Error & { code?: string }): never {
  throw Object.assign(new Error(message), { stack, code })
}

/** Writes comma-separated values that spreadsheet programs recognize as UTF-8 by the mark at the start. */
async function writeCsv(batches: AsyncIterable<Cell[][]>): Promise<void> {
  stream.write(
    `\ufeff${formatLine(
      columns.map(({ header }) => header),
      language,
    )}`,
  )
  for await (const cells of batches) {
    const lines = cells.map((line) =>
      formatLine(
        line.map((cell, index) => formatCell(cell, columns[index]?.kind)),
        language,
      ),
    )
    if (!stream.write(lines.join(''))) await once(stream, 'drain')
  }
  await new Promise((resolve) => stream.end(resolve))
}

function formatCell(cell: Cell, kind: SheetColumn['kind']): Cell {
  const { moment, date } = csvForms[language]
  if (typeof cell === 'string') return kind === 'date' ? date(cell) : cell
  if (cell === null) return null
  if (kind === 'moment') return moment(cell)
  return kind === 'money' ? cell / 100 : cell
}
