// Runs the test files that the runner names, one after another: starting a process and warming it up costs more than most files do.
import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Match } from 'tcompare'

// To know whose error nobody caught, tap follows each promise, which slows all of them down: here it is the file's.
hooks.createHook = () => ({ enable() {}, disable() {} })
syncBuiltinESMExports()
const { default: t } = await import('tap')
process.on('uncaughtException', (error) => t.fail(`nobody caught: ${error?.message}`, { stack: error?.stack }))

const { print } = Match.prototype
// Otherwise each text that lacks a pattern, as `notMatch` wants it, is compared with it line by line, which takes longer than most answers do.
Match.prototype.print = function () {
  const { parent, match, object, expect } = this
  if (parent || match || typeof object !== 'string') return print.call(this)
  return `--- expected\n+++ actual\n@@ -1,1 +1,1 @@\n-${expect}\n+${object.slice(0, 2000).replace(/\s+/g, ' ')}\n`
}

let ofThisFile = []
const ofTheRun = []
// What test/support/end-of-run.ts keeps for all files; what one file opened is closed after it.
globalThis[Symbol.for('endOfRun')] = ofTheRun
t.teardown = (end) => ofThisFile.push(end)
for (const hook of ['before', 'beforeEach', 'after', 'afterEach'])
  t[hook] = () => {
    throw new Error(`t.${hook} of a whole file would go on in the files after it`)
  }

process.on('message', async ({ file }) => {
  if (file) await runFile(file)
  else await finish()
})

async function runFile(file) {
  const before = process.cpuUsage()
  await attempt(file, () => import(pathToFileURL(resolve(file)).href))
  while (!t.idle) await new Promise((done) => t.once('idle', done))
  await close(ofThisFile)
  ofThisFile = []
  const { user, system } = process.cpuUsage(before)
  // tap lets go of the channel when it begins to write.
  process.channel.ref()
  t.comment(`end of ${file} ${((user + system) / 1e6).toFixed(2)} ${Math.round(process.memoryUsage.rss() / 1e6)}`)
  // A parser holds a comment back until it knows what follows.
  t.pragma({ strict: false })
}

async function finish() {
  await close(ofTheRun)
  process.disconnect()
}

async function close(ends) {
  for (const end of ends.reverse()) await attempt('closing', end)
}

async function attempt(name, action) {
  try {
    await action()
  } catch (error) {
    t.fail(`${name}: ${error.message}`, { stack: error.stack })
  }
}
