import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { mutex } from '../concurrency/mutex.ts'
import { startThread } from '../concurrency/thread.ts'
import type { Document } from './document.ts'

/** To load the library and its fonts takes longer than an invoice, so the thread waits a while for the next one. */
const idleMilliseconds = 60_000

/** A PDF of a document that somebody waits for, in turn with those of others. */
export const makePdf = pdfMaker()

/** A PDF of many documents, for a job: those that somebody waits for do not wait for it. */
export const makeLongPdf = pdfMaker()

/** Makes PDFs of documents one after the other, each on pages of its own; one at a time, as a thread takes a processor and some memory. */
function pdfMaker(): (documents: Document[]) => Promise<Buffer> {
  const exclusively = mutex()
  let renderer: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  return (documents) =>
    exclusively(async () => {
      clearTimeout(idle)
      const thread = (renderer ??= startRenderer())
      thread.ref()
      thread.postMessage(documents)
      try {
        const [pdf] = (await once(thread, 'message')) as [Uint8Array]
        return Buffer.from(pdf)
      } finally {
        thread.unref()
        idle = setTimeout(stop, idleMilliseconds, thread).unref()
      }
    })

  /** What can not be rendered ends the thread; the next document starts another. */
  function startRenderer(): Worker {
    const thread = startThread('documents/thread', { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 })
    return thread.on('error', () => stop(thread))
  }

  function stop(thread: Worker): void {
    if (renderer === thread) renderer = undefined
    void thread.terminate()
  }
}
