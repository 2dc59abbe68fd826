import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { Parser } from 'tap-parser'

const nodeOptions = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', '--import=./test/runner/resolve-once.mjs']

/**
 * Runs one test file in a process of its own.
 * @returns how long it took, how many assertions passed, and those that failed, each with its title and details
 */
export function runFile(root, file, environment) {
  const startedAt = performance.now()
  const limit = (Number(environment.TAP_TIMEOUT) + 30) * 1000
  const child = spawn(process.execPath, [...nodeOptions, resolve(root, file)], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const result = { file, passed: 0, failures: [], notes: '', seconds: 0 }
  let stderr = ''
  let isOverdue = false
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const timer = setTimeout(() => {
    isOverdue = true
    child.kill('SIGKILL')
  }, limit)
  const parser = new Parser()
  parser.on('result', ({ ok, skip, todo, fullname, diag }) => {
    if (ok || skip || todo) result.passed += 1
    else result.failures.push({ title: fullname, details: diag ?? {} })
  })
  const noteComments = (one) => {
    one.on('comment', (comment) => !/^# (Subtest|time=|\{ total|test count|failed)/.test(comment.trim()) && addNote(comment))
    one.on('child', noteComments)
  }
  const addNote = (comment) => (result.notes += `${comment.trim()}\n`)
  noteComments(parser)
  const parsed = new Promise((done) => parser.on('complete', done))
  child.stdout.pipe(parser)
  return new Promise((done) =>
    child.once('close', async (code, signal) => {
      clearTimeout(timer)
      const { bailout } = await parsed
      if (isOverdue) addFailure(`did not end within ${limit / 1000} seconds`)
      else if (bailout) addFailure(`gave up: ${bailout}`)
      else if (code !== 0 && result.failures.length === 0) addFailure(`ended with ${signal ?? `code ${code}`}`)
      else if (result.passed + result.failures.length === 0) addFailure('contains no assertion')
      result.seconds = (performance.now() - startedAt) / 1000
      if (stderr.trim()) result.notes += stderr
      done(result)
    }),
  )

  function addFailure(title) {
    result.failures.push({ title, details: { stderr: stderr.slice(-4000) } })
  }
}
