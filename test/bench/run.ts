// `npm run bench`: how fast the built service is, beside what is possible, at 1,000, 100,000 and 1,000,000 dealers and orders.
// `-- --responsiveness` measures instead what heavy operations do to others, `-- --pages` what open pages cost, `-- --browser` what users feel.
// `-- --sizes=1000,100000` measures fewer, `-- --only=search` only scenarios whose name holds the word, `-- --write` puts table and chart into docs/benchmarks.md.
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureInBrowser } from './browser.ts'
import { dataFolder, person } from './databases.ts'
import { readFacts } from './facts.ts'
import { measureExport, measureLongList, measureStart } from './large-responses.ts'
import { type BenchRequest, type Measurement, measure, type Summary, summarize } from './load.ts'
import { measureOpenPages } from './open-pages.ts'
import { measureQueues } from './queues.ts'
import { findSlower, type Result, tableOf, writeReport, writeSection } from './report.ts'
import { measureResponsiveness, responsivenessTable } from './responsiveness.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { type Server, startServer } from './server.ts'

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string' },
    responsiveness: { type: 'boolean' },
    pages: { type: 'boolean' },
    queues: { type: 'boolean' },
    browser: { type: 'boolean' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '2' },
    write: { type: 'boolean' },
  },
})

/** Rows that an export or a page of all rows is measured with. */
const maxRows = 100_000

/**
 * Requests before anything is measured: a service is warm all day, and what the first requests cost while V8 compiles them is not
 * what people wait for. It compiles little by little, more of a large program than of a small one.
 */
const warmUp = { alone: 300, compared: 3000 }

const results: Result[] = []
const sizes = (normal: string) => (options.sizes ?? normal).split(',').map(Number)
if (options.responsiveness) await runResponsiveness()
else if (options.pages) await measureOpenPages(sizes('1000')[0] as number)
else if (options.queues) await runQueues()
else if (options.browser) await runBrowser()
else await runLimits()

async function runLimits(): Promise<void> {
  for (const size of sizes('1000,100000,1000000')) await runSize(size)
  console.log(tableOf(results))
  const slower = findSlower(results)
  console.log(
    slower.length > 0 ? `Slower than the last release:\n${slower.join('\n')}` : 'Nothing is more than 10 % slower than the last release.',
  )
  if (options.write) writeReport(results)
}

async function runResponsiveness(): Promise<void> {
  const measured = []
  for (const size of sizes('100000')) measured.push(...(await measureResponsiveness(size, options.only)))
  if (options.write) writeSection('responsiveness', responsivenessTable(measured))
}

async function runQueues(): Promise<void> {
  const tables = []
  for (const size of sizes('100000,1000000')) tables.push(await measureQueues(size, options.only))
  console.log(tables.join('\n\n'))
  if (options.write) writeSection('queues', tables.join('\n\n'))
}

async function runBrowser(): Promise<void> {
  const table = await measureInBrowser(sizes('100000')[0] as number)
  console.log(table)
  if (options.write) writeSection('browser', table)
}

async function runSize(size: number): Promise<void> {
  const folder = await dataFolder(size)
  try {
    const facts = readFacts(folder, size)
    const service = await startServer('../../dist/main.js', { DATA_DIR: folder, DEMO: 'off' })
    const cookie = await signIn(service)
    const limits = await startServer('./baseline-server.ts', { DATA_DIR: folder }, ['tsx'])
    await sendFrame(limits, service, cookie)
    for (const scenario of scenarios(facts))
      if (scenario.name.includes(options.only)) results.push(await runScenario(size, scenario, service, limits, cookie))
    await limits.stop()
    await service.stop()
    if (!options.only && size <= maxRows)
      for (const heavy of [measureExport, measureLongList]) results.push(await runHeavy(size, folder, heavy))
    if (!options.only) results.push(await measureStart(size, folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** In a service of its own: what it needs at most is not what others needed before. */
async function runHeavy(size: number, folder: string, heavy: typeof measureExport): Promise<Result> {
  const service = await startServer('../../dist/main.js', { DATA_DIR: folder, DEMO: 'off' })
  const result = await heavy(size, service, await signIn(service))
  await service.stop()
  return result
}

async function signIn({ origin }: Server): Promise<string> {
  const answer = await fetch(`${origin}/login`, { method: 'POST', body: new URLSearchParams(person), redirect: 'manual' })
  const cookie = answer.headers.getSetCookie().at(-1)?.split(';')[0]
  if (answer.status !== 303 || !cookie) throw new Error(`nobody can sign in: ${answer.status}`)
  return cookie
}

/** The page by hand takes what surrounds its rows from the service, and must then have the same rows, and the same headers. */
async function sendFrame(limits: Server, service: Server, cookie: string): Promise<void> {
  const page = await textOf(service, { path: '/dealers' }, cookie)
  await fetch(`${limits.origin}/frame`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ page }) })
  const byHand = await textOf(limits, { path: '/dealers' }, cookie)
  const [rows, rowsByHand] = [page, byHand].map((html) => [...html.matchAll(/<tr id="[^"]*"/g)].join())
  if (rows !== rowsByHand) throw new Error(`the page by hand has other rows:\n${rows}\n---\n${rowsByHand}`)
  const [said, saidByHand] = await Promise.all([service, limits].map((server) => headersOf(server, cookie)))
  if (said !== saidByHand) throw new Error(`the headers by hand differ:\n${said}\n---\n${saidByHand}`)
}

/** What the page says of itself, without what is another for each answer. */
async function headersOf({ origin }: Server, cookie: string): Promise<string> {
  const { headers } = await fetch(`${origin}/dealers`, { headers: { cookie, 'accept-encoding': 'identity' } })
  return [...headers]
    .filter(([name]) => !['content-length', 'date', 'x-request-id'].includes(name))
    .map((header) => header.join(': '))
    .join('\n')
}

async function runScenario(size: number, scenario: Scenario, service: Server, limits: Server, cookie: string): Promise<Result> {
  const body = await textOf(service, scenario.request(), cookie)
  if (!scenario.isCorrect(body)) throw new Error(`${scenario.name} at ${size} is not right:\n${body.slice(0, 2000)}`)
  const bytes = Buffer.byteLength(body)
  const constant = () => ({ ...scenario.request(), path: `/constant/${bytes}` })
  const contestants: [string, Server, () => BenchRequest][] = [
    ['service', service, scenario.request],
    ['constant', limits, constant],
  ]
  if (scenario.handwritten) contestants.push(['byHand', limits, scenario.request])
  const measurements: Record<string, Measurement[]> = { service: [], constant: [], byHand: [], crowd: [] }
  const requests = scenario.handwritten ? warmUp.compared : warmUp.alone
  if (!scenario.amount) for (const [, server, hit] of contestants) await measure(server, hit, cookie, 1, requests)
  for (let round = 0; round < Number(options.rounds) * (scenario.handwritten ? 3 : 1); round++)
    for (const [name, server, hit] of contestants) measurements[name]?.push(await measure(server, hit, cookie, 1, scenario.amount))
  measurements.crowd?.push(await measure(service, scenario.request, cookie, 32, scenario.amount))
  const of = (name: string): Summary | undefined => (measurements[name]?.length ? summarize(measurements[name]) : undefined)
  const result = {
    size,
    name: scenario.name,
    bytes,
    service: of('service') as Summary,
    constant: of('constant'),
    handwritten: of('byHand'),
    concurrent: of('crowd'),
  }
  console.log(size, scenario.name, `${result.service.median.toFixed(2)} ms, ${result.service.cpu.toFixed(2)} ms CPU`)
  return result
}

async function textOf({ origin }: Server, { method, path, body, headers }: BenchRequest, cookie: string): Promise<string> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await fetch(origin + path, {
    method,
    body,
    headers: { cookie, 'accept-encoding': 'identity', ...(body && form), ...headers },
  })
  if (!answer.ok) throw new Error(`${answer.status} for ${path}`)
  return answer.text()
}
