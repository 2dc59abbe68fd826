// `npm run torture`: the long runs. SEED repeats one; KILLS=20 kills the service more often.
import { requireChromium } from './chromium.mjs'
import { buildWhenStale, prepare } from './install.mjs'
import { root } from './run.mjs'
import { requireSqlite } from './system-packages.mjs'

await prepare()
buildWhenStale()
requireSqlite()
const { findTests, runTests } = await import('../../test/runner/run.mjs')
const named = process.argv.slice(2)
const files = findTests(root, named.length > 0 ? named : [`${root}/test/torture`])
const environment = { CHROMIUM: requireChromium(), TAP_TIMEOUT: '3600', LONG_RUN: 'yes' }
process.exitCode = (await runTests({ root, files, environment })) ? 0 : 1
