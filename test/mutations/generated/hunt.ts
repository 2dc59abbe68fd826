// Makes small faults in the files named, one at a time, in copies of the checkout, and reports those that no test notices.

import { globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { makeRandom } from '../../support/random.ts'
import { copyCheckout } from '../copy-checkout.mjs'
import { type Recording, recordTests } from './coverage.ts'
import { diffOf, type Fault } from './fault.ts'
import { faultsInSql } from './in-sql.ts'
import { faultsInTemplate } from './in-templates.ts'
import { faultsInTypeScript } from './in-typescript.ts'
import { type Candidate, compiling, judge, type Outcome } from './judge.ts'

export interface HuntOptions {
  root: string
  /** Files and folders. */
  places: string[]
  seed: number
  /** How many faults, chosen at random; all without it. */
  sample?: number
  /** Roughly how long tests may look for one fault. */
  seconds: number
  jobs: number
  say: (line: string) => void
}

type Judged = Candidate & Outcome

const generators: Record<string, (source: string) => Fault[]> = {
  '.ts': faultsInTypeScript,
  '.njk': faultsInTemplate,
  '.sql': faultsInSql,
}

/** @returns what became of each fault */
export async function hunt({ root, places, seed, sample, seconds, jobs, say }: HuntOptions): Promise<Judged[]> {
  const recordings = await recordTests(root, jobs, say)
  const copies = Array.from({ length: jobs }, () => copyCheckout(root))
  try {
    const [first] = copies as [string]
    const candidates = shuffle(faultsIn(root, places), seed)
    // Of five faults about two compile; more of them than are wanted would only be thrown away.
    const usable = compiling(first, candidates.slice(0, sample && sample * 4)).slice(0, sample)
    say(`${candidates.length} faults, of which ${usable.length} are tried, SEED=${seed}`)
    return await judgeAll(usable, copies, recordings, seconds, say)
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true })
  }
}

function faultsIn(root: string, places: string[]): Candidate[] {
  return filesIn(root, places).flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8')
    const faults = Object.entries(generators).find(([ending]) => path.endsWith(ending))?.[1](source) ?? []
    const byChange = new Map(faults.map((fault) => [`${fault.start} ${fault.end} ${fault.text}`, fault]))
    return [...byChange.values()].map((fault) => ({ path, source, fault }))
  })
}

function filesIn(root: string, places: string[]): string[] {
  return places.flatMap((place) => {
    const path = relative(root, resolve(root, place))
    return globSync([path, `${path}/**/*`], { cwd: root })
      .filter((file) => /\.(ts|njk|sql)$/.test(file))
      .sort()
  })
}

function shuffle<T>(list: T[], seed: number): T[] {
  const random = makeRandom(seed)
  const shuffled = [...list]
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = random.integer(0, index)
    ;[shuffled[index], shuffled[other]] = [shuffled[other] as T, shuffled[index] as T]
  }
  return shuffled
}

async function judgeAll(
  candidates: Candidate[],
  copies: string[],
  recordings: Recording[],
  seconds: number,
  say: HuntOptions['say'],
): Promise<Judged[]> {
  const waiting = [...candidates]
  const judged: Judged[] = []
  const work = async (copy: string) => {
    for (let candidate = waiting.shift(); candidate; candidate = waiting.shift()) {
      const outcome = { ...candidate, ...(await judge(copy, recordings, candidate, seconds)) }
      judged.push(outcome)
      say(`${outcome.noticed ? '✓' : '✗'} ${judged.length}/${candidates.length} ${describe(outcome)}`)
    }
  }
  await Promise.all(copies.map(work))
  return judged
}

function describe({ path, source, fault, noticed, tests, left }: Judged): string {
  const line = source.slice(0, fault.start).split('\n').length
  const tried = tests.length === 0 ? 'no test runs it' : `not by ${tests.join(', ')}${left ? ` (${left} more run it)` : ''}`
  return `${path}:${line} ${fault.kind}: ${noticed ? `noticed by ${tests}` : tried}`
}

/** The survivors as diffs, then how many there are by file and by folder. */
export function report(judged: Judged[]): string {
  const survivors = judged.filter(({ noticed }) => !noticed).sort((a, b) => a.path.localeCompare(b.path) || a.fault.start - b.fault.start)
  const diffs = survivors.map((one) => `${diffOf(one.path, one.source, one.fault)}\n# ${describe(one)}\n`)
  const byFile = countBy(judged, ({ path }) => path)
  const byFolder = countBy(judged, ({ path }) => dirname(path))
  return [...diffs, ...byFile, '', ...byFolder, '', ...countBy(judged, () => 'All')].join('\n')
}

function countBy(judged: Judged[], nameOf: (one: Judged) => string): string[] {
  const groups = Object.entries(Object.groupBy(judged, nameOf)).sort(([a], [b]) => a.localeCompare(b))
  return groups.map(([name, group = []]) => {
    const survived = group.filter(({ noticed }) => !noticed).length
    return `${name}: ${group.length - survived} noticed, ${survived} survived`
  })
}
