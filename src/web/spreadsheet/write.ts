import { randomUUID } from 'node:crypto'
import { mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Query } from 'drizzle-orm'
import { oneAtATime } from '../operations/one-at-a-time.ts'
import { startThread } from '../operations/thread.ts'
import type { Cell } from './csv.ts'

export interface Column {
  header: string
  width: number
  moment?: true
  /** As spreadsheet programs write the format of a number. */
  numFmt?: string
}

export type SheetFormat = 'xlsx' | 'csv'

export interface ExportJob {
  database: string
  file: number
  format: SheetFormat
  name: string
  columns: Column[]
  ids: Query
}

/** What a sheet is made of; `load` runs between other requests and is asked for a few hundred rows at a time. */
export type Sheet = Omit<ExportJob, 'file'> & { load: (ids: number[]) => Cell[][] }

/** Enough for a million ids; bounds what a stalled export can use. */
const maxOldGenerationSizeMb = 128

const inTurn = oneAtATime()

/** Writes a spreadsheet into a new file of the folder, one at a time; to nothing when canceled. */
export function writeSpreadsheet(sheet: Sheet, folder: string, signal: AbortSignal): Promise<string | undefined> {
  return inTurn(async () => (signal.aborted ? undefined : writeFile(sheet, folder, signal)))
}

async function writeFile({ load, ...job }: Sheet, folder: string, signal: AbortSignal): Promise<string | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx', 0o600)
  try {
    await runThread({ ...job, file: file.fd }, load, signal)
    if (!signal.aborted) return path
  } catch (error) {
    await unlink(path)
    throw error
  } finally {
    await file.close()
  }
  await unlink(path)
}

function runThread(job: ExportJob, load: Sheet['load'], signal: AbortSignal): Promise<void> {
  const worker = startThread('./thread', import.meta.url, { workerData: job, maxOldGenerationSizeMb })
  const end = () => void worker.terminate()
  signal.addEventListener('abort', end)
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    const fail = (error: Error) => {
      failure = error
      end()
    }
    worker.once('error', fail)
    worker.on('message', (ids: number[]) => {
      try {
        worker.postMessage(load(ids))
      } catch (error) {
        fail(error as Error)
      }
    })
    // Until its exit the thread may still write.
    worker.once('exit', () => {
      signal.removeEventListener('abort', end)
      if (failure) reject(failure)
      else resolve()
    })
  })
}
