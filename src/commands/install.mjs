// Plain JavaScript without dependencies: it runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Installs what package-lock.json names and node_modules lacks, development packages too; rebuilds for another Node. */
export function installMissing() {
  if (!isComplete()) run('Installing packages; this takes a minute or two …', 'npm', ['ci', '--include=dev', '--no-audit', '--no-fund'])
  if (!loads('better-sqlite3') || !loads('argon2'))
    run('Building native modules for this Node …', 'npm', ['rebuild', 'better-sqlite3', 'argon2'])
}

/** Runs a command with its output shown; a failure ends this process with the same code. */
export function run(message, command, args, environment = {}) {
  console.log(message)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } })
  if (error) console.error(`${command}: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
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

function loads(name) {
  const script = name === 'better-sqlite3' ? "new (require('better-sqlite3'))(':memory:')" : `require('${name}')`
  return spawnSync(process.execPath, ['-e', script], { cwd: root, stdio: 'ignore' }).status === 0
}

/** Compiles the program into dist when a source is newer. */
export function buildWhenStale() {
  const stamp = `${root}/dist/.built`
  if (existsSync(stamp) && statSync(stamp).mtimeMs > newestSource()) return
  run('Building …', process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])
  run('Compressing what browsers fetch …', process.execPath, ['src/commands/compress.mjs'])
  writeFileSync(stamp, '')
}

function newestSource() {
  const entries = ['src', 'static'].flatMap((folder) => readdirSync(`${root}/${folder}`, { recursive: true, withFileTypes: true }))
  const files = entries.filter((entry) => entry.isFile())
  const times = files.map((entry) => statSync(`${entry.parentPath ?? entry.path}/${entry.name}`).mtimeMs)
  return Math.max(...times, statSync(`${root}/package-lock.json`).mtimeMs)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installMissing()
