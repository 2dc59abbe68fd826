import { once } from 'node:events'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { startLimitedProcess } from '../../concurrency/limited-process.ts'
import { mutex } from '../../concurrency/mutex.ts'
import { HttpError } from '../../http/request/errors.ts'
import { tooLarge } from './sheet-problem.ts'

export interface SheetSummary {
  /** Bytes of all rows as they are stored. */
  size: number
  /** Bytes of each piece. */
  pieces: number[]
  /** Of a workbook, and which one this is. */
  sheets?: string[]
  sheet?: string
}

export type Answer = SheetSummary | { problem: string; params: Record<string, number>; hasNoTable?: boolean }

/** Of a file that holds no table that could be read. */
export class Misread extends HttpError {}

export interface Sheet extends SheetSummary {
  /** The rows, some at a time: a `SheetRow[]` as JSON, ready to be stored. */
  read: () => AsyncGenerator<string>
}

interface SpreadsheetFile {
  path: string
  /** For what is read of it. */
  folder: string
  /** The sheet of a workbook, where it is chosen. */
  wanted?: string
}

/** Limits of time and memory, as the file may be hostile. */
const limits = { seconds: 60, heapMegabytes: 128, dataMegabytes: 1000 }

const exclusively = mutex()

/**
 * Reads a sheet of an xlsx file (the first one that holds a table, if none is wanted), a csv file, or the documents of a bank statement (`1CClientBankExchange`), in a process of its own, one at a time, and calls `use` with it. What cannot be
 * imported is a 422 that says why; the process ends with the signal.
 */
export function readSpreadsheet<T>(source: SpreadsheetFile, signal: AbortSignal, use: (sheet: Sheet) => Promise<T>): Promise<T> {
  return exclusively(async () => {
    const file = await openTemporary(source.folder)
    try {
      const answer = await readInProcess(source, file, signal)
      if ('problem' in answer) throw new (answer.hasNoTable ? Misread : HttpError)(422, answer.problem, answer.params)
      return await use({ ...answer, read: () => readPieces(file, answer.pieces) })
    } finally {
      await file.close()
    }
  })
}

/** A file without a name: nothing of it is left, however this ends. */
async function openTemporary(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, crypto.randomUUID())
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

async function readInProcess({ path, wanted = '' }: SpreadsheetFile, file: FileHandle, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted()
  const child = startLimitedProcess('records/spreadsheet/read-process', { args: [path, wanted], file: file.fd, limits })
  const end = () => child.kill('SIGKILL')
  signal.addEventListener('abort', end)
  const timer = setTimeout(end, limits.seconds * 1000)
  try {
    const [said] = await Promise.all([text(child.stdout as Readable), once(child, 'close')])
    signal.throwIfAborted()
    // It says nothing when it has met a limit.
    const { message, params } = tooLarge()
    return said ? JSON.parse(said) : { problem: message, params }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    end()
  }
}

async function* readPieces(file: FileHandle, lengths: number[]): AsyncGenerator<string> {
  let position = 0
  for (const length of lengths) {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, position)
    position += length
    yield buffer.toString()
  }
}
