import { once } from 'node:events'
import { mutex } from '../concurrency/mutex.ts'
import { startThread } from '../concurrency/thread.ts'
import type { Document } from './document.ts'

/** One at a time: a thread takes a processor and some memory. */
const exclusively = mutex()

/** A PDF of documents one after the other, each on pages of its own; made in a thread. */
export async function makePdf(documents: Document[]): Promise<Buffer> {
  const [pdf] = await makePdfs([documents])
  return pdf as Buffer
}

/** Several of them, all made in one thread. */
export function makePdfs(files: Document[][]): Promise<Buffer[]> {
  return exclusively(async () => {
    const thread = startThread('documents/thread', { workerData: files, maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 })
    const [pdfs] = (await once(thread, 'message')) as [Uint8Array[]]
    return pdfs.map((pdf) => Buffer.from(pdf))
  })
}
