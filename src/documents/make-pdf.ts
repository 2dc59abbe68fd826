import { once } from 'node:events'
import { mutex } from '../concurrency/mutex.ts'
import { startThread } from '../concurrency/thread.ts'
import type { Document } from './document.ts'

/** One at a time: a thread takes a processor and some memory. */
const exclusively = mutex()

/** A PDF of documents one after the other, each on pages of its own; made in a thread. */
export function makePdf(documents: Document[]): Promise<Buffer> {
  return exclusively(async () => {
    const thread = startThread('documents/thread', { workerData: documents, maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 })
    const [pdf] = await once(thread, 'message')
    return Buffer.from(pdf)
  })
}
