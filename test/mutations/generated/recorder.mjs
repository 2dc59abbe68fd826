// Writes down, for each test file that a worker of the runner runs, which places of the sources ran and which files were read as data.
import fs from 'node:fs'
import { Session } from 'node:inspector'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = process.cwd()
const sources = pathToFileURL(join(root, 'src/')).href
const folder = process.env.RECORDINGS
const { readFileSync, writeFileSync } = fs
// What tests start is not recorded.
delete process.env.NODE_OPTIONS

let running
let reads = new Set()

fs.readFileSync = (path, ...options) => {
  if (typeof path === 'string' || path instanceof URL) reads.add(relative(root, resolve(path instanceof URL ? fileURLToPath(path) : path)))
  return readFileSync(path, ...options)
}
syncBuiltinESMExports()

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

process.on('message', ({ file }) => {
  finish()
  running = file
})
process.on('exit', finish)

function finish() {
  session.post('Profiler.takePreciseCoverage', (_, coverage) => running && writeRecording(coverage.result))
  running = undefined
  reads = new Set()
}

function writeRecording(scripts) {
  const ours = scripts.filter(({ url }) => url.startsWith(sources))
  const runs = Object.fromEntries(ours.map(({ url, functions }) => [pathOf(url), functions.flatMap(rangesOf)]))
  const ourReads = [...reads].filter((path) => /^(src|templates|locales)\//.test(path))
  writeFileSync(join(folder, `${running.replaceAll('/', '-')}.json`), JSON.stringify({ runs, reads: ourReads }))
}

function pathOf(url) {
  return decodeURI(url.slice(sources.length - 'src/'.length).replace(/\?.*/, ''))
}

function rangesOf({ ranges }) {
  return ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count])
}
