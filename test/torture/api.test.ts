import t from 'tap'
import { type Client, clientOf } from '../support/api.ts'
import {
  type Description,
  descriptionOf,
  type Endpoint,
  endpointsOf,
  exampleOf,
  mistakesIn,
  type Schema,
} from '../support/api-description.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { insertProduct } from '../support/products.ts'
import { makeRandom, type Random } from '../support/random.ts'

const people: Name[] = ['root', 'maria', 'denis', 'pavel']
const leaks =
  /node_modules|\bat [\w.<> ]+ \(|\/src\/\w|\.ts:\d|SQLITE_|SqliteError|no such (table|column)|\[object Object\]|undefined is not/

const hostile = [
  ...[
    '',
    ' ',
    '0',
    '__proto__',
    'a\u0000b',
    '\ud800',
    '\u202ea',
    'x'.repeat(70_000),
    '2026-13-45',
    "'; drop table users; --",
    '{{ 7*7 }}',
    '=1+1',
  ],
  ...[0, -1, 1.5, 1e308, -0, 2 ** 53, 999_999_999_999_999, true, false, null],
  ...[[], {}, [null], [[]], [{}], [1, 'a'], { id: 1 }, { length: 5 }, Array(300).fill({}), Array(201).fill({ id: 1 })],
]

const names = [
  '__proto__',
  'constructor',
  'toString',
  'id',
  'version',
  '_preview',
  '_add',
  'once',
  'items[0][price]',
  'stored',
  '',
  '\u0000',
]

/** A body as described, with some of it made worse. */
function worsen(random: Random, body: unknown, depth = 0): unknown {
  if (random.chance(0.12)) return random.pick(hostile)
  if (Array.isArray(body)) return body.map((one) => worsen(random, one, depth + 1))
  if (body === null || typeof body !== 'object') return body
  const kept = Object.entries(body).filter(() => !random.chance(0.3))
  const worse = Object.fromEntries(kept.map(([name, value]) => [name, worsen(random, value, depth + 1)]))
  return random.chance(0.08) ? { ...worse, [random.pick(names)]: random.pick(hostile) } : worse
}

function payloadFor(random: Random, body: unknown): string {
  const text = JSON.stringify(body)
  if (random.chance(0.03)) return text.slice(0, -1 - Math.floor(text.length / 3))
  if (random.chance(0.03)) return `{"__proto__":${text}}`
  return random.chance(0.02) ? '['.repeat(100_000) : text
}

function valuesFor({ cast }: Cabinet, random: Random): Record<string, unknown> {
  const ids = [1, 2, cast.denis, cast.daria, cast.companies.alpha, 999_999]
  const id = () => random.pick(ids)
  const own = {
    category_id: cast.category,
    dealer_id: id(),
    company_id: id(),
    manager_id: id(),
    product_id: id(),
    transition_id: 1 + Math.floor(random.pick([0, 1, 2, 5, 9])),
  }
  return {
    ...own,
    version: random.pick([1, 1, 0, 2]),
    id: id(),
    email: `a${id()}@example.com`,
    password: 'correct horse battery',
    article: `A-${id()}`,
  }
}

function addressFor({ cast }: Cabinet, random: Random, { path, parameters }: Endpoint): string {
  const ids: Record<string, number> = { orders: cast.order, companies: cast.companies.alpha, dealers: cast.denis, products: 1, statuses: 1 }
  const own = ids[path.split('/')[1] ?? ''] ?? 'a'.repeat(64)
  const queries = parameters.filter(({ in: where }) => where === 'query' && random.chance(0.15))
  const values = queries.map(({ name, schema }): [string, string] => [
    name,
    random.chance(0.6) ? String(exampleOf(schema as Schema, {})) : String(random.pick(hostile)).slice(0, 3000),
  ])
  const query = new URLSearchParams(values).toString()
  return path.replace(/\{\w+\}/, () => String(random.chance(0.9) ? own : random.pick([0, 'word', '%00', 999_999]))) + (query && `?${query}`)
}

t.test('no body made from the description of the API, however wrong, is more than refused', async (t) => {
  const seed = Number(process.env.SEED) || Date.now() % 1_000_000
  const random = makeRandom(seed)
  const cabinet = await startCabinet(t)
  insertProduct(cabinet.db, { article: 'W-1', category_id: cabinet.cast.category })
  const description = await descriptionOf(cabinet)
  const endpoints = endpointsOf(description)
  const complaints = new Map<string, string>()
  const statuses = new Map<number, number>()
  for (let round = 0; round < (process.env.TORTURE ? 300 : 6); round++) {
    // A token has a limit of its own.
    const clients = people.map((name) => [name, clientOf(cabinet, name)] as const)
    for (const endpoint of endpoints)
      for (const [name, client] of clients) {
        const body = endpoint.body && payloadFor(random, worsen(random, exampleOf(endpoint.body, valuesFor(cabinet, random))))
        const path = addressFor(cabinet, random, endpoint)
        const answer = await send(cabinet, client, endpoint, path, body)
        statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
        const wrong = complaint(answer, description)
        if (wrong) complaints.set(`${endpoint.operationId}: ${wrong}`, `${name} ${path} ${body?.slice(0, 500)}`)
      }
  }
  t.comment(`seed ${seed}, ${JSON.stringify([...statuses].sort())}`)
  t.same(Object.fromEntries(complaints), {})
  t.ok(
    [200, 201, 403, 422].every((status) => (statuses.get(status) ?? 0) > 0),
    'some are carried out, and some refused',
  )
})

async function send({ db }: Cabinet, client: Client, { method }: Endpoint, path: string, body: string | undefined): Promise<Answer> {
  db.$client.exec('begin immediate')
  try {
    return method === 'get' ? await client.get(path) : await client[method](path, body)
  } finally {
    db.$client.exec('rollback')
  }
}

function complaint({ statusCode, headers, body }: Answer, { components }: Description): string | undefined {
  if (statusCode >= 500) return `a server error ${statusCode}`
  if (leaks.test(body)) return `leaks ${leaks.exec(body)?.[0]}`
  const type = String(headers['content-type'])
  if (statusCode < 400) return type.startsWith('application/') ? undefined : `an answer of type ${type}`
  if (!type.startsWith('application/problem+json')) return `a problem of type ${type}`
  return mistakesIn({ components }, components.schemas.problem as Schema, JSON.parse(body))[0]
}
