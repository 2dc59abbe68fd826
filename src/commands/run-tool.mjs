// `node src/commands/run-tool.mjs <tool> …`: a development tool of node_modules, on a Node that it supports.
import { prepare } from './install.mjs'
import { run } from './run.mjs'

await prepare()
const [tool, ...rest] = process.argv.slice(2)
run(`Running ${tool} …`, `node_modules/.bin/${tool}`, rest)
