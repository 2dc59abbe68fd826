import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import type { Job } from './sheet.ts'

// Megabytes that are plenty for a million ids, and leave nothing to pile up.
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

let last: Promise<unknown> = Promise.resolve()

/**
 * Writes a spreadsheet in a thread of its own, one after the other however many are asked for.
 * @param folder where the file lies, without a name: it is gone when nobody has it open
 * @param gone aborted when nobody waits for it any more: what was begun is ended, and there is no file
 */
export async function writeSpreadsheet(job: Omit<Job, 'file'>, folder: string, gone: AbortSignal): Promise<FileHandle | undefined> {
  const written = last.then(() => (gone.aborted ? undefined : writeFile(job, folder, gone)))
  last = written.catch(() => {})
  return written
}

async function writeFile(job: Omit<Job, 'file'>, folder: string, gone: AbortSignal): Promise<FileHandle | undefined> {
  const file = await openNameless(folder)
  try {
    await runThread({ ...job, file: file.fd }, gone)
    if (!gone.aborted) return file
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

function runThread(job: Job, gone: AbortSignal): Promise<void> {
  const worker = startThread({ workerData: job, resourceLimits })
  const end = () => void worker.terminate()
  gone.addEventListener('abort', end)
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    worker.once('error', (error) => {
      failure = error
    })
    // Before that it may still write.
    worker.once('exit', () => {
      gone.removeEventListener('abort', end)
      if (failure) reject(failure)
      else resolve()
    })
  })
}

/** Built, the program runs as it is; its source needs the loader that development has, which new threads do not inherit. */
function startThread(options: WorkerOptions): Worker {
  const program = new URL(`./thread${extname(import.meta.url)}`, import.meta.url)
  if (program.pathname.endsWith('.js')) return new Worker(program, options)
  const loading = `import('tsx/esm/api').then(({ register }) => (register(), import('${program}')))`
  return new Worker(loading, { ...options, eval: true })
}
