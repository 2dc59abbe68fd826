import { parentPort, workerData } from 'node:worker_threads'
import { sanitizeDescription } from '../../core/sanitize.ts'

const { description, ownHosts } = workerData as { description: string; ownHosts: string[] }

parentPort?.postMessage(sanitizeDescription(description, ownHosts))
