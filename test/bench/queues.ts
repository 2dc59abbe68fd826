// `npm run bench -- --queues`: how much processor time lists of orders take with filters and sorts, the board, the dashboard and the search across
// all records, for an administrator, a manager of 3 of 1,000 companies and a dealer.
import { rmSync } from 'node:fs'
import { Client } from './client.ts'
import { dataFolder, managerOfSome, oneDealer, person } from './databases.ts'
import { type Server, startServer } from './server.ts'

const paths = [
  '/',
  '/orders/board',
  ...[
    '',
    'waiting=1',
    'waiting=1&sort=date_make&cols=date_make,since',
    'overdue=1',
    'overdue=1&sort=date_make',
    'stuck=0',
    'stuck=30',
    'stuck=3000',
  ],
  ...[
    'status=1',
    'status=none',
    'stuck=30&sort=since&dir=asc',
    'created_from=2025-01-01',
    'created_until=2017-01-01',
    'date_make_from=2026-01-01',
  ],
  ...['cost_from=100000', 'cost_from=990000', 'manager=none', 'stock=1', 'manufacture=1', 'company=5', 'waiting=1&overdue=1'],
  ...[
    'sort=date_make',
    'sort=date_make&dir=desc',
    'sort=since',
    'sort=cost&dir=desc',
    'page=40&waiting=1',
    'q=89991234567',
    'q=anna&waiting=1',
  ],
].map((path) => (path.startsWith('/') ? path : `/orders?${path}`))

const searched = ['89991234567', '4242', 'anna', 'иван', 'window', 'дверьпром', 'xyzxyz', 'an', 'anna carter']

const [warmUp, rounds] = [100, 20]

/** @param only a part of a path; others are not asked for */
export async function measureQueues(size: number, only = ''): Promise<string> {
  const folder = await dataFolder(size)
  const service = await startServer('../../dist/main.js', { DATA_DIR: folder, DEMO: 'off' })
  try {
    const people = [person, managerOfSome, oneDealer].map((one) => ({ ...one, client: new Client(service.origin) }))
    for (const { client, ...one } of people) await client.signIn(one)
    // A service is warm all day, and V8 compiles it little by little.
    for (const { client } of people) for (let round = 0; round < warmUp; round++) await client.text(paths[round % paths.length] as string)
    const asked = [...paths, ...searched.map((term) => `/find?q=${encodeURIComponent(term)}`)].filter((path) => path.includes(only))
    const rows = []
    for (const path of asked) rows.push([decodeURI(path), ...(await inTurn(people, ({ client }) => timeOf(service, client, path)))])
    return toTable(size, rows)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}

async function inTurn<T, R>(values: T[], work: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const value of values) results.push(await work(value))
  return results
}

/** Of one request, in the process of the service: other programs hardly change it. */
async function timeOf(service: Server, client: Client, path: string): Promise<string> {
  await client.text(path)
  const before = await service.usage()
  for (let round = 0; round < rounds; round++) await client.text(path)
  const { cpu } = await service.usage()
  return `${((cpu - before.cpu) / rounds).toFixed(1)} ms`
}

function toTable(size: number, rows: string[][]): string {
  const heads = [`${size.toLocaleString('en')} orders`, 'administrator', 'manager of 3 of 1,000 companies', 'dealer']
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
