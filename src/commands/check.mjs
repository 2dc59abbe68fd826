// `npm run check`: style and types, in seconds.
import { prepare } from './install.mjs'
import { run } from './run.mjs'

await prepare()
run('Checking style …', process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'check', '.'])
run('Checking types …', process.execPath, ['node_modules/typescript7/bin/tsc'])
