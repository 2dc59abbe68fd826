import { parentPort, workerData } from 'node:worker_threads'
import type { Document } from './document.ts'
import { renderPdf } from './render-pdf.ts'

const pdfs: Uint8Array[] = []
for (const documents of workerData as Document[][]) pdfs.push(await renderPdf(documents))
parentPort?.postMessage(pdfs)
