// Plain JavaScript without dependencies: it runs before anything is installed.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root, run } from './run.mjs'
import { continueOnSupportedNode } from './supported-node.mjs'

/** Installs what package-lock.json names and node_modules lacks, development packages too, and sees to a Node that can run it. */
export async function prepare() {
  // Every package brings its binaries, so an old Node may install them, and nothing needs a compiler.
  const options = ['--include=dev', '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error']
  if (!isComplete()) run('Installing packages …', 'npm', ['ci', ...options])
  await continueOnSupportedNode()
}

function isComplete() {
  if (!existsSync(`${root}/node_modules/.package-lock.json`)) return false
  const wanted = packagesOf(`${root}/package-lock.json`)
  const present = packagesOf(`${root}/node_modules/.package-lock.json`)
  return Object.entries(wanted).every(([path, { version, optional }]) => !path || optional || present[path]?.version === version)
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

/** Bundles the program into dist when a source is newer. */
export function buildWhenStale() {
  const stamp = `${root}/dist/.built`
  if (existsSync(stamp) && statSync(stamp).mtimeMs > newestSource()) return
  run('Building …', process.execPath, ['src/commands/bundle.mjs'])
  run('Compressing what browsers fetch …', process.execPath, ['dist/commands/compress-assets.js'])
  writeFileSync(stamp, '')
}

function newestSource() {
  const entries = ['src', 'static'].flatMap((folder) => readdirSync(`${root}/${folder}`, { recursive: true, withFileTypes: true }))
  const files = entries.filter((entry) => entry.isFile())
  const times = files.map((entry) => statSync(`${entry.parentPath ?? entry.path}/${entry.name}`).mtimeMs)
  return Math.max(...times, statSync(`${root}/package-lock.json`).mtimeMs)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepare()
