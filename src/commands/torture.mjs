// `npm run torture`: the long runs. `--long` keeps trying to break the service for an hour or two; SEED repeats a run.
import { requireChromium } from './chromium.mjs'
import { buildWhenStale, prepare } from './install.mjs'
import { root } from './run.mjs'
import { requireSqlite } from './system-packages.mjs'

await prepare()
buildWhenStale()
requireSqlite()
const { findTests, runTests } = await import('../../test/runner/run.mjs')
const isLong = process.argv.includes('--long')
const named = process.argv.slice(2).filter((arg) => arg !== '--long')
const files = findTests(root, named.length > 0 ? named : [`${root}/test/torture`, ...inFull()])
const environment = { CHROMIUM: requireChromium(), FULL: 'yes', TAP_TIMEOUT: isLong ? '7200' : '3600', ...(isLong && { TORTURE: 'long' }) }
let isGreen = await runTests({ root, files, environment })
if (named.length === 0) for (const TZ of ['Asia/Vladivostok', 'America/Los_Angeles']) isGreen = (await runIn(TZ)) && isGreen
process.exitCode = isGreen ? 0 : 1

/** The tests of dates, where it is another day than in Greenwich. */
function runIn(TZ) {
  console.log(`\nTime zone ${TZ}`)
  const names = [
    'dashboard-figures',
    'dealers-export',
    'dealers-list',
    'exports',
    'history',
    'news',
    'order-status',
    'orders-list',
    'queues',
  ]
  const files = names.map((name) => `${root}/test/modules/${name}.test.ts`)
  return runTests({ root, files: findTests(root, files), environment: { CHROMIUM: environment.CHROMIUM, TZ } })
}

/** The tests that `npm test` runs with a part of their cases. */
function inFull() {
  const names = [
    'access-table',
    'browser/every-page',
    'browser/ledger',
    'browser/order-prices',
    'browser/order-products',
    'browser/passkeys',
    'browser/payments',
    'browser/production',
    'database/migrations',
    'database/sample',
    'modules/import',
    'security/large-bodies',
    'web/long-lists',
    'web/policy',
    'web/searching',
  ]
  return names.map((name) => `${root}/test/${name}.test.ts`)
}
