import { parentPort, workerData } from 'node:worker_threads'
import { renderPdf } from './render-pdf.ts'

const pdf = await renderPdf(workerData)
parentPort?.postMessage(pdf)
