import type { SheetRow } from '../../database/schema/index.ts'
import { HttpError } from '../http.ts'
import { oneAtATime } from '../operations/one-at-a-time.ts'
import { startThread } from '../operations/thread.ts'

export interface SheetContent {
  headers: string[]
  rows: SheetRow[]
}

export const rowLimit = 10_000

/** Limits of time and memory, as the file may be hostile. */
const timeLimit = 60_000
const maxOldGenerationSizeMb = 512

const inTurn = oneAtATime()

/** Reads the first sheet of an xlsx file, or a csv file, in a thread of its own, one at a time. */
export function readSpreadsheet(path: string): Promise<SheetContent> {
  return inTurn(() => readInThread(path))
}

function readInThread(path: string): Promise<SheetContent> {
  const worker = startThread('./read-thread', import.meta.url, { workerData: { path, rowLimit }, maxOldGenerationSizeMb })
  const timer = setTimeout(() => void worker.terminate(), timeLimit)
  return new Promise<SheetContent>((resolve, reject) => {
    worker.once('message', (answer: SheetContent | { problem: string }) => {
      if ('problem' in answer) reject(new HttpError(422, answer.problem, { limit: rowLimit }))
      else resolve(answer)
    })
    const unreadable = () => reject(new HttpError(422, 'This file cannot be read. Save it as xlsx or csv.'))
    worker.once('error', unreadable)
    worker.once('exit', unreadable)
  }).finally(() => clearTimeout(timer))
}
