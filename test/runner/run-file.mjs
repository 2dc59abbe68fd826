import { spawn } from 'node:child_process'
import { Parser } from 'tap-parser'

const nodeOptions = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', '--import=./test/runner/resolve-once.mjs']

/** Of a process, in megabytes; a new one continues. */
const memoryLimit = 1800

/** Runs one test file in a process of its own. */
export async function runFile(root, file, environment) {
  const worker = startWorker(root, environment)
  const result = await worker.run(file)
  await worker.stop()
  return result
}

/**
 * A process that runs test files one after another; `run` tells how long a file took, how many assertions passed,
 * and those that failed, each with its title and details.
 */
export function startWorker(root, environment) {
  const limit = Number(environment.TAP_TIMEOUT) * 1000
  const child = spawn(process.execPath, [...nodeOptions, 'test/runner/worker.mjs'], {
    cwd: root,
    env: { ...process.env, ...environment, TAP_TIMEOUT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let running
  let isOpen = true
  let memory = 0
  const parser = new Parser()
  const parsed = new Promise((done) => parser.on('complete', done))
  parser.on('result', ({ ok, skip, todo, fullname, diag }) => {
    if (!running) return
    if (ok || skip || todo) running.result.passed += 1
    else running.result.failures.push({ title: fullname, details: diag ?? {} })
  })
  listen(parser)
  parser.on('comment', (comment) => comment.startsWith('# end of ') && finish(comment))
  child.stdout.pipe(parser)
  child.stderr.on('data', (chunk) => running && (running.stderr += chunk))
  const closed = new Promise((done) =>
    child.once('close', async (code, signal) => {
      isOpen = false
      const { bailout } = await parsed
      if (running && (bailout || running.result.failures.length === 0))
        fail(bailout ? `gave up: ${bailout}` : `ended with ${signal ?? `code ${code}`}`)
      finish()
      done()
    }),
  )
  return { run, stop, isFit: () => isOpen && memory < memoryLimit }

  function run(file) {
    const result = { file, passed: 0, failures: [], notes: '', seconds: 0 }
    return new Promise((done) => {
      const timer = setTimeout(() => {
        fail(`did not end within ${limit / 1000} seconds`)
        child.kill('SIGKILL')
      }, limit)
      running = { result, done, timer, stderr: '', startedAt: performance.now() }
      child.send({ file }, () => {})
    })
  }

  function finish(comment) {
    if (!running) return
    memory = Number(comment?.trim().split(' ').at(-1) ?? 0)
    const { result, done, timer, stderr, startedAt } = running
    clearTimeout(timer)
    if (result.passed + result.failures.length === 0) fail('contains no assertion')
    result.seconds = (performance.now() - startedAt) / 1000
    if (stderr.trim()) result.notes += stderr
    running = undefined
    done(result)
  }

  function fail(title) {
    running.result.failures.push({ title, details: { stderr: running.stderr.slice(-4000) } })
  }

  /** Comments of tests are shown, also those of nested ones. */
  function listen(one) {
    one.on('comment', (comment) => {
      if (running && !/^# (Subtest|time=|\{ total|test count|failed|end of)/.test(comment.trim()))
        running.result.notes += `${comment.trim()}\n`
    })
    one.on('child', listen)
  }

  async function stop() {
    if (isOpen) child.send({ file: null }, () => {})
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
    await closed
    clearTimeout(timer)
  }
}
