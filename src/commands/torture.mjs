// `npm run torture`: the long runs. `--long` keeps trying to break the service for an hour or two; SEED repeats a run.
import { requireChromium } from './chromium.mjs'
import { buildWhenStale, prepare } from './install.mjs'
import { root } from './run.mjs'

await prepare()
buildWhenStale()
const { findTests, runTests } = await import('../../test/runner/run.mjs')
const isLong = process.argv.includes('--long')
const files = findTests(
  root,
  process.argv.slice(2).filter((arg) => arg !== '--long'),
  { pattern: 'test/torture/**/*.test.ts' },
)
const environment = { CHROMIUM: requireChromium(), TAP_TIMEOUT: isLong ? '7200' : '3600', ...(isLong && { TORTURE: 'long' }) }
process.exitCode = (await runTests({ root, files, environment })) ? 0 : 1
