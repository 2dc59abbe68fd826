import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWorker } from '../../runner/run-file.mjs'
import { type Recording, testsFor } from './coverage.ts'
import { applyFault, type Fault } from './fault.ts'

export interface Candidate {
  path: string
  source: string
  fault: Fault
}

export interface Outcome {
  noticed: boolean
  /** The test that failed, or those that ran and did not. */
  tests: string[]
  /** How many more test files run the place and were not tried. */
  left: number
}

/** Tells of a fault in a copy of the checkout whether the tests that run its place notice it, within about so many seconds. */
export async function judge(copy: string, recordings: Recording[], candidate: Candidate, seconds: number): Promise<Outcome> {
  const { path, source, fault } = candidate
  const covering = testsFor(recordings, path, source, fault.start)
  const chosen = chooseTests(covering, seconds)
  const tests = chosen.map(({ test }) => test)
  const limit = 30 + 5 * Math.max(0, ...chosen.map((recording) => recording.seconds))
  writeFileSync(join(copy, path), applyFault(source, fault))
  try {
    const failed = await firstFailing(copy, tests, { ...process.env, TAP_TIMEOUT: String(limit), TAP_BAIL: '1' })
    return { noticed: failed !== undefined, tests: failed ? [failed] : tests, left: covering.length - chosen.length }
  } finally {
    writeFileSync(join(copy, path), source)
  }
}

/** The first, and then as many as there is time for. */
function chooseTests(covering: Recording[], seconds: number): Recording[] {
  let rest = seconds
  return covering.filter((recording, index) => {
    if (index > 0 && recording.seconds > rest) return false
    rest -= recording.seconds
    return true
  })
}

async function firstFailing(copy: string, tests: string[], environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (tests.length === 0) return undefined
  const worker = startWorker(copy, environment)
  try {
    for (const test of tests) if ((await worker.run(test)).failures.length > 0 || !worker.isFit()) return test
    return undefined
  } finally {
    await worker.stop()
  }
}

/** Those that compile. Each stands beside its original for a moment, so that the compiler reads the program once. */
export function compiling(copy: string, candidates: readonly Candidate[]): Candidate[] {
  const inTypeScript = candidates.filter(({ path }) => path.endsWith('.ts'))
  const siblings = new Map(inTypeScript.map((candidate, index) => [candidate.path.replace(/\.ts$/, `.fault-${index}.ts`), candidate]))
  for (const [path, { source, fault }] of siblings) writeFileSync(join(copy, path), blankDeclarations(applyFault(source, fault)))
  const tsc = join(copy, 'node_modules/typescript7/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: copy, encoding: 'utf8', maxBuffer: 1e9 })
  for (const path of siblings.keys()) rmSync(join(copy, path))
  const refused = new Set([...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, path]) => siblings.get(path as string)))
  return candidates.filter((candidate) => !refused.has(candidate))
}

/** What a module declares for others it may declare only once. */
function blankDeclarations(source: string): string {
  return source.replace(/^declare (module|global)[\s\S]*?^}$/gm, (text) => text.replace(/[^\n]/g, ''))
}
