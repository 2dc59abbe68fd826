import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads, { MessageChannel, type WorkerOptions } from 'node:worker_threads'
import type t from 'tap'

let written = 0

/** Exports are written by the module of their thread, but in this process: starting a thread takes longer than what it does. */
export function exportInProcess({ teardown }: Pick<typeof t, 'teardown'>): void {
  const { Worker } = threads
  replace({
    Worker: new Proxy(Worker, {
      construct: (_, [file, options]: [URL, WorkerOptions]) =>
        options.workerData?.ids ? writeExport(file, options.workerData) : new Worker(file, options),
    }),
  })
  teardown(() => replace({ Worker }))
}

function writeExport(file: URL, job: object): object {
  const { port1: ofThread, port2: ofService } = new MessageChannel()
  const postMessage = (message: unknown) => ofService.postMessage(message)
  const thread = Object.assign(new EventEmitter(), { postMessage, terminate: () => ofService.close() })
  ofService.on('message', (message) => thread.emit('message', message))
  const run = async () => {
    const { parentPort, workerData } = threads
    replace({ parentPort: ofThread, workerData: structuredClone(job) })
    // The module reads both when it begins, and a service writes one spreadsheet at a time.
    const writing = import(`${file.href}?${written++}`)
    await writing.catch((error) => thread.emit('error', error))
    replace({ parentPort, workerData })
    ofThread.close()
    thread.emit('exit', 0)
  }
  setImmediate(run)
  return thread
}

function replace(parts: Partial<typeof threads>): void {
  Object.assign(threads, parts)
  syncBuiltinESMExports()
}
