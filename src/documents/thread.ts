import { parentPort } from 'node:worker_threads'
import type { Document } from './document.ts'
import { renderPdf } from './render-pdf.ts'

parentPort?.on('message', async (documents: Document[]) => {
  parentPort?.postMessage(await renderPdf(documents))
})
