// `node src/commands/run-built.mjs <command> …`: runs a command of the built program, so that it needs no development packages.
import { buildWhenStale } from './install.mjs'
import { continueOnSupportedNode } from './supported-node.mjs'

await continueOnSupportedNode()
buildWhenStale()
const [name] = process.argv.splice(2, 1)
await import(`../../dist/commands/${name}.js`)
