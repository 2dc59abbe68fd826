// `npm test`: everything but the long runs, browser tests included. Arguments name files, folders or patterns.
import { requireChromium } from './chromium.mjs'
import { buildWhenStale, prepare } from './install.mjs'
import { root } from './run.mjs'
import { requirePdfReaders, requireSqlite } from './system-packages.mjs'

await prepare()
buildWhenStale()
requireSqlite()
requirePdfReaders()
const { findTests, runTests } = await import('../../test/runner/run.mjs')
const files = findTests(root, process.argv.slice(2), { pattern: 'test/**/*.test.ts', exclude: 'test/torture/' })
process.exitCode = (await runTests({ root, files, environment: { CHROMIUM: requireChromium() } })) ? 0 : 1
