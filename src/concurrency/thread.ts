import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { moduleAt } from '../root.ts'

interface Work {
  workerData?: unknown
  maxOldGenerationSizeMb: number
  maxYoungGenerationSizeMb?: number
}

/** @param module its path from the folder of the program, without extension */
export function startThread(module: string, { workerData, maxYoungGenerationSizeMb = 3, maxOldGenerationSizeMb }: Work): Worker {
  // What the service was started with would otherwise hold for its threads, whatever their limits.
  setFlagsFromString('--max-semi-space-size=0')
  const resourceLimits = { maxOldGenerationSizeMb, maxYoungGenerationSizeMb }
  return new Worker(moduleAt(module), { workerData, resourceLimits })
}
