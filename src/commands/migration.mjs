// `npm run migration`: writes what differs between the schema and its last snapshot as SQL.
import { readdirSync, unlinkSync } from 'node:fs'
import { prepare } from './install.mjs'
import { root, run } from './run.mjs'

await prepare()
run('Comparing the schema with its last snapshot …', 'node_modules/.bin/drizzle-kit', ['generate', ...process.argv.slice(2)])
const folder = `${root}/drizzle/meta`
const snapshots = readdirSync(folder).filter((name) => name.endsWith('_snapshot.json'))
// Those before the last are never read again.
for (const name of snapshots.sort().slice(0, -1)) unlinkSync(`${folder}/${name}`)
