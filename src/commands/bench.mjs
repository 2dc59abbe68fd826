// `npm run bench`: how fast the built service is. Arguments go to test/bench/run.ts: --sizes=1000,100000, --only=search, …
import { buildWhenStale, prepare } from './install.mjs'
import { run } from './run.mjs'

await prepare()
buildWhenStale()
run('Measuring …', process.execPath, ['--import', 'tsx', 'test/bench/run.ts', ...process.argv.slice(2)])
