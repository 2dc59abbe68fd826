import { randomUUID } from 'node:crypto'
import { mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Query } from 'drizzle-orm'
import { mutex } from '../../concurrency/mutex.ts'
import { startThread } from '../../concurrency/thread.ts'
import type { Language } from '../../i18n/translate.ts'
import type { Cell } from './csv.ts'
import type { sheetCells } from './sheet-cells.ts'

export interface SheetColumn {
  header: string
  width: number
  /** The places of its value, or of its parts, among what is selected. */
  fields?: readonly number[]
  kind?: SheetCellKind
  /** As spreadsheet programs write the format of a number. */
  numFmt?: string
  /** What to write for some values. */
  words?: ReadonlyMap<string, string>
}

export type SheetFormat = 'xlsx' | 'csv'

export interface ExportJob {
  database: string
  file: number
  format: SheetFormat
  /** Of the reader. */
  language: Language
  name: string
  columns: SheetColumn[]
  ids: Query
  /** Without it, the main thread makes the cells. */
  rows?: SelectedRows | DescribedRows
  /** The second sheet of a workbook. */
  further?: FurtherSheet
}

/** Other rows of the same records. */
export type FurtherSheet = Pick<ExportJob, 'name' | 'columns'> & { rows: SelectedRows }

/** Selects the rows of the records whose ids it is given as JSON, with the places of that parameter and of the id of their record. */
export type SelectedRows = Query & { ids: number; id: number }

/** The module of a described sheet, the places of the columns that are exported, and the data for its rows. */
export interface DescribedRows {
  module: string
  seen: number[]
  data: unknown
}

/** Makes cells in the main thread, which is asked for few at a time, so that other requests are served in between. */
export type LoadRows = (ids: number[]) => Cell[][]

type Sheet = Omit<ExportJob, 'file'> & { load?: LoadRows }

/** How many rows are written; rows of `load` are not counted. */
export interface Progress {
  done: number
  total: number
}

type TellProgress = (progress: Progress) => void

/** Enough for a million ids; bounds what a stalled export can use. */
const maxOldGenerationSizeMb = 128
/** Cells are garbage as soon as they are written; with less room, collecting it takes as long as writing them. */
const maxYoungGenerationSizeMb = 24

const exclusively = mutex()

/** Writes a spreadsheet into a new file of the folder, one at a time; to nothing when canceled. */
export function writeSpreadsheet(sheet: Sheet, folder: string, signal: AbortSignal, tell?: TellProgress): Promise<string | undefined> {
  return exclusively(async () => (signal.aborted ? undefined : writeFile(sheet, folder, signal, tell)))
}

async function writeFile({ load, ...job }: Sheet, folder: string, signal: AbortSignal, tell?: TellProgress): Promise<string | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx', 0o600)
  try {
    await runThread({ ...job, file: file.fd }, signal, load, tell)
    if (!signal.aborted) return path
  } catch (error) {
    await unlink(path)
    throw error
  } finally {
    await file.close()
  }
  await unlink(path)
}

function runThread(job: ExportJob, signal: AbortSignal, load?: LoadRows, tell?: TellProgress): Promise<void> {
  const worker = startThread('records/spreadsheet/thread', { workerData: job, maxOldGenerationSizeMb, maxYoungGenerationSizeMb })
  const end = () => void worker.terminate()
  signal.addEventListener('abort', end)
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    const fail = (error: Error) => {
      failure = error
      end()
    }
    worker.once('error', fail)
    worker.on('message', (said: number[] | Progress) => {
      try {
        if (Array.isArray(said)) worker.postMessage(load?.(said))
        else tell?.(said)
      } catch (error) {
        fail(error as Error)
      }
    })
    // Until its exit the thread may still write.
    worker.once('exit', (code) => {
      signal.removeEventListener('abort', end)
      if (code !== 0 && !signal.aborted) failure ??= new Error(`the thread of an export ended with code ${code}`)
      if (failure) reject(failure)
      else resolve()
    })
  })
}

type SheetCellKind = keyof typeof sheetCells
