import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startWorker } from '../../runner/run-file.mjs'

/** What one test file ran when it was recorded. */
export interface Recording {
  test: string
  passed: boolean
  seconds: number
  runs: Record<string, Range[]>
  /** Files read as data. */
  reads: string[]
  /** Of each file named, as it was. */
  hashes: Record<string, string>
}

/** Of the characters of a source, with how often they ran; ranges within ranges are more exact. */
type Range = [start: number, end: number, count: number]

const recorder = fileURLToPath(new URL('recorder.mjs', import.meta.url))

/**
 * What each test file of a checkout runs. A test file is recorded when it is new, has changed or failed, which takes as long as running it;
 * recordings are kept in `node_modules/.cache/mutations`.
 */
export async function recordTests(root: string, jobs: number, say: (line: string) => void): Promise<Recording[]> {
  const folder = join(root, 'node_modules/.cache/mutations')
  mkdirSync(folder, { recursive: true })
  const tests = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => !/^test\/(torture|mutations|generated)/.test(file))
  const missing = tests.filter((test) => !isRecorded(root, folder, test))
  if (missing.length > 0) {
    say(`Recording what ${missing.length} of ${tests.length} test files run …`)
    await Promise.all(Array.from({ length: jobs }, () => recordInTurn(root, folder, missing)))
  }
  return tests.map((test) => readRecording(folder, test))
}

function isRecorded(root: string, folder: string, test: string): boolean {
  if (!existsSync(fileOf(folder, test))) return false
  const { passed, hashes } = readRecording(folder, test)
  return passed && hashes[test] === hashOfFile(root, test)
}

function readRecording(folder: string, test: string): Recording {
  return JSON.parse(readFileSync(fileOf(folder, test), 'utf8'))
}

function fileOf(folder: string, test: string): string {
  return join(folder, `${test.replaceAll('/', '-')}.json`)
}

async function recordInTurn(root: string, folder: string, waiting: string[]): Promise<void> {
  const notes = mkdtempSync(join(tmpdir(), 'recordings-'))
  const settings = { TAP_TIMEOUT: '600', RECORDINGS: notes, NODE_OPTIONS: `--import=${recorder}` }
  let worker = startWorker(root, settings)
  let done: Omit<Recording, 'runs' | 'reads' | 'hashes'>[] = []
  for (let test = waiting.shift(); test; test = waiting.shift()) {
    const { failures, seconds } = await worker.run(test)
    done.push({ test, passed: failures.length === 0, seconds })
    if (worker.isFit()) continue
    await keep()
    worker = startWorker(root, settings)
  }
  await keep()
  rmSync(notes, { recursive: true })

  /** A worker writes down the last test when it ends. */
  async function keep() {
    await worker.stop()
    for (const result of done) {
      const noted = readNotes(fileOf(notes, result.test))
      const hashes = Object.fromEntries([result.test, ...Object.keys(noted.runs)].map((path) => [path, hashOfFile(root, path)]))
      writeFileSync(fileOf(folder, result.test), JSON.stringify({ ...result, ...noted, hashes }))
    }
    done = []
  }
}

function readNotes(file: string): Pick<Recording, 'runs' | 'reads'> {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { runs: {}, reads: [] }
}

function total(ranges: Range[]): number {
  return ranges.reduce((sum, [, , count]) => sum + count, 0)
}

/**
 * The recorded tests that run a place of a source, or read the source, those most devoted to it first:
 * named like it, above all like the file itself, then the most runs of the place a second.
 */
export function testsFor(recordings: readonly Recording[], path: string, source: string, position: number): Recording[] {
  const hash = hashOf(source)
  const words = [...wordsOf(path), ...wordsOf(basename(path))]
  const isInFunction = recordings.some((recording) => recording.hashes[path] === hash && rangesAt(recording, path, position).length > 0)
  const ranked = recordings.flatMap((recording) => {
    const count = timesRun(recording, path, hash, isInFunction ? position : undefined)
    if (!recording.passed || count === 0) return []
    const named = wordsOf(recording.test)
    const shared = words.filter((word) => named.includes(word)).length
    return { recording, rank: shared * 1e9 + count / (recording.seconds + 1) }
  })
  return ranked.sort((a, b) => b.rank - a.rank).map(({ recording }) => recording)
}

const generalWords = new Set([
  'src',
  'templates',
  'test',
  'ts',
  'njk',
  'modules',
  'core',
  'web',
  'database',
  'components',
  'pages',
  'index',
])

function wordsOf(path: string): string[] {
  return path.split(/[^a-z]+/).flatMap((word) => (word && !generalWords.has(word) ? word.replace(/s$/, '') : []))
}

/**
 * How often a test ran a place, or functions of the source: what stands outside of functions ran when the first test of a process began,
 * and of a source that has changed since it was recorded no more is known.
 */
function timesRun(recording: Recording, path: string, hash: string, position?: number): number {
  const { runs, reads, hashes } = recording
  // Read once in a process that runs many test files.
  const read = reads.includes(path) || path.endsWith('.sql') ? 1 : 0
  if (position === undefined || hashes[path] !== hash) return total((runs[path] ?? []).filter(([start]) => start > 0)) + read
  const [closest] = rangesAt(recording, path, position).sort(([a, b], [c, d]) => b - a - (d - c))
  return (closest?.[2] ?? 0) + read
}

/** Functions and their branches around a place. */
function rangesAt({ runs }: Recording, path: string, position: number): Range[] {
  return (runs[path] ?? []).filter(([start, end]) => start > 0 && start <= position && position < end)
}

function hashOfFile(root: string, path: string): string {
  return hashOf(readFileSync(join(root, path), 'utf8'))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
