// `npm run torture`: the tests that try to break the service, for as long as it takes. SEED repeats a run.
import { installMissing, run } from './install.mjs'

installMissing()
const tests = ['test/durability.test.ts', 'test/fuzz.test.ts', ...process.argv.slice(2)]
run('Trying to break it …', process.execPath, ['node_modules/tap/dist/esm/run.mjs', '--timeout=7200', '--reporter=tap', ...tests], {
  TORTURE: 'on',
})
