// `npm run bench`: how fast the built service is. Arguments go to test/bench/run.ts: --sizes=1000,100000, --only=search, …
import { buildWhenStale, installMissing, run } from './install.mjs'

installMissing()
buildWhenStale()
run('Measuring …', process.execPath, ['--import', 'tsx', 'test/bench/run.ts', ...process.argv.slice(2)])
