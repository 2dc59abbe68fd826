import { extname } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

interface Work {
  workerData: unknown
  maxOldGenerationSizeMb: number
  maxYoungGenerationSizeMb?: number
}

/** @param from the module beside which the file of the thread is, with the same extension */
export function startThread(
  name: string,
  from: string,
  { workerData, maxYoungGenerationSizeMb = 3, maxOldGenerationSizeMb }: Work,
): Worker {
  // What the service was started with would otherwise hold for its threads, whatever their limits.
  setFlagsFromString('--max-semi-space-size=0')
  const resourceLimits = { maxOldGenerationSizeMb, maxYoungGenerationSizeMb }
  return new Worker(new URL(`${name}${extname(from)}`, from), { workerData, resourceLimits })
}
