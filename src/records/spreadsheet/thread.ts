import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openReader } from '../../database/reader.ts'
import { type Cell, csvForms, formatLine } from './csv.ts'
import { sheetCells } from './sheet-cells.ts'
import type { WorkbookSheet } from './workbook.ts'
import type { ExportJob, LoadRows, Progress, SelectedRows, SheetColumn } from './write.ts'

const { database, file, format, language, ids, further, ...main } = workerData as ExportJob

const loadedAtOnce = 200
const askedAtOnce = 100
let written = 0

const stream = createWriteStream('', { fd: file, autoClose: false })
await write().catch(fail)
parentPort?.close()

/** The writer of workbooks and the functions of described sheets are large and loaded only for those. */
async function write(): Promise<void> {
  const client = openReader(database)
  const wanted = client.prepare<unknown[], number>(ids.sql).pluck().all(ids.params)
  const sheets = await Promise.all([main, ...(further ? [further] : [])].map((sheet) => sheetOf(sheet, client, wanted)))
  if (format === 'csv') return writeCsv(sheets[0] as WorkbookSheet)
  return (await import('./workbook.ts')).writeWorkbook(stream, sheets)
}

type Reader = ReturnType<typeof openReader>
type Declared = Pick<ExportJob, 'name' | 'columns' | 'rows'>

async function sheetOf({ name, columns, rows }: Declared, client: Reader, wanted: number[]): Promise<WorkbookSheet> {
  if (!rows) return { name, columns, batches: askForRows(wanted, parentPort as MessagePort) }
  return { name, columns, batches: loadInSlices(wanted, await rowLoader(client, rows, columns)) }
}

async function rowLoader(client: Reader, declared: NonNullable<ExportJob['rows']>, columns: SheetColumn[]): Promise<LoadRows> {
  if ('sql' in declared) return rowSelector(client, declared, columns)
  const { rowDescriber } = await import('./describe-rows.ts')
  return rowDescriber(client, declared, language)
}

async function* loadInSlices(wanted: number[], load: LoadRows): AsyncGenerator<Cell[][]> {
  for (const slice of slicesOf(wanted, loadedAtOnce)) {
    yield load(slice)
    tellProgress(slice.length, wanted.length)
    // Lets compression and writing catch up, so that rows do not pile up in memory.
    await yieldToLoop()
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

function tellProgress(more: number, wanted: number): void {
  written += more
  parentPort?.postMessage({ done: written, total: wanted * (further ? 2 : 1) } satisfies Progress)
}

function* slicesOf(wanted: number[], length: number): Generator<number[]> {
  for (let start = 0; start < wanted.length; start += length) yield wanted.slice(start, start + length)
}

function rowSelector(client: Reader, { sql, params, ...places }: SelectedRows, columns: SheetColumn[]): LoadRows {
  const select = client.prepare<unknown[], Cell[]>(sql).raw()
  return (slice) => {
    const found = Map.groupBy(select.all(params.with(places.ids, JSON.stringify(slice))), (row) => row[places.id])
    return slice.flatMap((id) => (found.get(id) ?? []).map((row) => columns.map((column) => cellOf(row, column))))
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
async function writeCsv({ columns, batches }: WorkbookSheet): Promise<void> {
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
  return cell === null || !kind ? cell : sheetCells[kind].inText(cell, csvForms[language])
}
