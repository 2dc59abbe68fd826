import type { Document } from './document.ts'

/** A PDF of documents. */
export async function makePdf(documents: Document[]): Promise<Buffer> {
  return Buffer.from(`%PDF-1.4\n% ${JSON.stringify(documents)}\n%%EOF\n`)
}
