import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { reportProgress, reportResults } from './report.mjs'
import { runFile, startWorker } from './run-file.mjs'

/** Three more than there are processors, as each file also waits for a browser, a process or a clock; fewer where each had less than 2 GB. */
const jobs = Math.max(1, Math.min(availableParallelism() + 3, Math.floor(totalmem() / 2e9)))

/** Of them, those that run the tests of pages in a browser, and these first: to start one and to show it what pages consist of costs seconds. */
const browsers = Math.min(jobs, availableParallelism())
const needsBrowser = (file) => file.startsWith('test/browser/')

/** As `npm start` has it: a process then runs more files before it has grown too large and another begins, which costs seconds. */
const littleMemory = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' }

/**
 * Runs test files, several at a time, and reports.
 * @returns whether all of them passed
 */
export async function runTests({ root, files, environment = {} }) {
  const folder = join(root, 'node_modules/.cache/tests')
  mkdirSync(folder, { recursive: true })
  const durations = readDurations(folder)
  // The longest first, so that none is left running alone at the end.
  const waiting = [...files].sort((a, b) => (durations[b] ?? 1000) - (durations[a] ?? 1000))
  const results = []
  const running = []
  const startedAt = performance.now()
  if (files.length > 1) console.log(`Running ${files.length} test files, ${Math.min(jobs, files.length)} at a time …`)
  const settings = {
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    TAP_TIMEOUT: '600',
    TEXT_GAPS: 'refused',
    ...littleMemory,
    ...environment,
  }
  const progress = () => ({ done: results.length, total: files.length, running })
  const next = (hasBrowser) => {
    const wanted = waiting.findIndex((file) => needsBrowser(file) === hasBrowser)
    const at = wanted < 0 && hasBrowser ? 0 : wanted
    return at < 0 ? undefined : waiting.splice(at, 1)[0]
  }
  const work = async (_, at) => {
    const hasBrowser = at < browsers
    let worker
    for (let file = next(hasBrowser); file; file = next(hasBrowser)) {
      running.push(file)
      reportProgress(progress())
      if (!worker?.isFit()) {
        await worker?.stop()
        worker = startWorker(root, settings)
      }
      const result = await worker.run(file)
      running.splice(running.indexOf(file), 1)
      results.push(result)
      reportProgress(progress(), result)
    }
    await worker?.stop()
  }
  await Promise.all(Array.from({ length: Math.min(jobs, files.length) }, work))
  const repeated = files.length > 1 ? await repeatFailed() : []
  for (const { file, seconds } of results) durations[file] = Math.round(seconds * 10) / 10
  writeFileSync(join(folder, 'durations.json'), JSON.stringify(durations))
  return reportResults(results, (performance.now() - startedAt) / 1000, repeated)

  /** A race in a test of browsers or processes may fail once: up to three files run once more, alone, and are reported. What is broken fails again. */
  async function repeatFailed() {
    const failed = results.filter(({ failures }) => failures.length > 0)
    if (failed.length > 3) return []
    const repeated = []
    for (const result of failed) {
      console.log(`Running ${result.file} once more …`)
      const again = await runFile(root, result.file, settings)
      if (again.failures.length > 0) continue
      repeated.push(result)
      results[results.indexOf(result)] = again
    }
    return repeated
  }
}

/** The files that arguments name: paths, folders or patterns; without arguments those of the default pattern. */
export function findTests(root, args, { pattern, exclude } = {}) {
  if (args.length === 0)
    return globSync(pattern, { cwd: root })
      .filter((file) => !file.startsWith(exclude))
      .sort()
  return args.flatMap((arg) => {
    const path = relative(root, resolve(arg))
    const found = globSync([path, `${path}/**/*.test.ts`], { cwd: root }).filter((file) => file.endsWith('.test.ts'))
    if (found.length === 0) throw new Error(`No test file matches ${arg}`)
    return found
  })
}

function readDurations(folder) {
  const file = join(folder, 'durations.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
