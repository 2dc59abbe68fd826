import { spawnSync } from 'node:child_process'

export function onPath(name) {
  return spawnSync('sh', ['-c', `command -v ${name}`])
    .stdout?.toString()
    .trim()
}

/** Where this runs as root on Debian or Ubuntu, as continuous integration does. */
export function installPackage(name) {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return
  console.log(`${name} is not on this machine: installing it with apt-get, since this runs as root …`)
  runQuietly('sh', ['-c', `apt-get update && apt-get install -y --no-install-recommends ${name}`])
}

export function runQuietly(command, args) {
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 600_000 })
}

/** Tests open the database with the sqlite3 of the system, as somebody who corrects a record does. */
export const requireSqlite = () => requireProgram('sqlite3', 'sqlite3')

/** Tests read documents with pdftotext and pdftoppm. */
export const requirePdfReaders = () => requireProgram('pdftotext', 'poppler-utils')

function requireProgram(name, packageName) {
  if (!onPath(name)) installPackage(packageName)
  if (onPath(name)) return
  console.error(`No ${name}: install ${packageName}. Tests that use it are not skipped.`)
  process.exit(1)
}
