import { EventEmitter } from 'node:events'
import { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import threads, { type WorkerOptions } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type t from 'tap'
import { addFunctions } from '../../src/database/reader.ts'
import type { ExportJob } from '../../src/records/spreadsheet/write.ts'

/** Exports find their records as the thread does and write nothing of them: hundreds of threads take a minute. */
export function withoutThreads({ teardown }: Pick<typeof t, 'teardown'>): void {
  const { Worker } = threads
  replaceWorker(
    new Proxy(Worker, {
      construct: (_, [file, options]: [URL, WorkerOptions]) =>
        'ids' in options.workerData ? findRecords(options.workerData) : new Worker(file, options),
    }),
  )
  teardown(() => replaceWorker(Worker))
}

function findRecords({ database, file, ids, rows, further }: ExportJob): object {
  const thread = Object.assign(new EventEmitter(), { terminate: () => {} })
  setImmediate(() => {
    const client = new Sqlite(database, { readonly: true })
    addFunctions(client)
    try {
      client.prepare(ids.sql).all(ids.params)
      for (const selected of [rows, further?.rows]) if (selected && 'sql' in selected) client.prepare(selected.sql).all(selected.params)
      writeSync(file, '\n')
    } catch (error) {
      thread.emit('error', error)
    } finally {
      client.close()
      thread.emit('exit', 0)
    }
  })
  return thread
}

function replaceWorker(worker: typeof threads.Worker): void {
  threads.Worker = worker
  syncBuiltinESMExports()
}
