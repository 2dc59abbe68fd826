// Plain JavaScript without dependencies: it runs on the old Node that it replaces.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { root, run } from './run.mjs'

const release = '24.21.0'
// The name that the package `node` would choose by a script, which npm may refuse to run.
const packageName = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`
const folder = `${root}/node_modules/.node`
const binary = `${folder}/bin/node`

/** Whether a version of Node is one that every package supports: what `engines` in package.json says. */
export function isSupportedNode(version) {
  const [major, minor] = version.split('.').map(Number)
  return major >= 24 || (major === 22 && minor >= 12)
}

/** Continues this command with a Node from npm, in `node_modules`, where the present one is too old. */
export async function continueOnSupportedNode() {
  if (isSupportedNode(process.versions.node)) return
  const message = `Node ${process.versions.node} is not supported (22.12 or 24 is): continuing with Node ${release} from npm, in node_modules …`
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  if (existsSync(binary)) console.log(message)
  else run(message, 'npm', ['install', '--global', `--prefix=${folder}`, `${packageName}@${release}`, ...options])
  process.exit(await continueWith(binary))
}

/** What this process was started for, done by a child; signals reach it, its exit code becomes ours. */
async function continueWith(node) {
  const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH}` }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends it to the child as well.
  process.on('SIGINT', () => {})
  try {
    const [code, signal] = await once(child, 'exit')
    return code ?? 128 + constants.signals[signal]
  } catch (error) {
    console.error(`${node}: ${error.message}. Install Node 22.12 or newer.`)
    return 1
  }
}
