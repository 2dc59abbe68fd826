// `npm run mutate -- src/modules/find`: arguments are files and folders; `--sample 60` tries so many faults, chosen with SEED.
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { hunt, report } from './hunt.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string' }, seconds: { type: 'string', default: '20' } },
})

const judged = await hunt({
  root: fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, ''),
  places: positionals,
  seed: Number(process.env.SEED ?? Date.now() % 1e6),
  sample: values.sample ? Number(values.sample) : undefined,
  seconds: Number(values.seconds),
  jobs: Math.min(2, availableParallelism()),
  say: console.log,
})
console.log(`\n${report(judged)}`)
