// `npm start`: from a fresh checkout to a listening service.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { installMissing, root, run } from './install.mjs'

installMissing()
buildWhenStale()
await import('../../dist/main.js')

function buildWhenStale() {
  const stamp = `${root}/dist/.built`
  if (existsSync(stamp) && statSync(stamp).mtimeMs > newestSource()) return
  run('Building …', process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])
  writeFileSync(stamp, '')
}

function newestSource() {
  const files = readdirSync(`${root}/src`, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const times = files.map((entry) => statSync(`${entry.parentPath ?? entry.path}/${entry.name}`).mtimeMs)
  return Math.max(...times, statSync(`${root}/package-lock.json`).mtimeMs)
}
