import { eq } from 'drizzle-orm'
import t from 'tap'
import { orderFiles } from '../../src/core/order-editable-fields.ts'
import { type RequirableField, requirableFields } from '../../src/core/transition-rules.ts'
import { news, orders, statusTransitions } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { descriptionOf, type Endpoint, endpointsOf, exampleOf, mistakesIn, type Schema, wrongValues } from '../support/api-description.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { insertDocument, makeIssuable } from '../support/documents.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { dayIn, insertProduct } from '../support/products.ts'
import { takingBack } from '../support/taking-back.ts'

/** What no schema tells: which records there are, and what depends on them or on other fields. */
function knownValues({ cast }: Cabinet) {
  return {
    ...{ category_id: cast.category, dealer_id: cast.denis, company_id: cast.companies.alpha, manager_id: cast.maria },
    ...{ stock_id: cast.stock, manufacture_id: cast.site, transition_id: 1, version: 1 },
    ...{ email: 'somebody@example.com', password: 'correct horse battery', article: `A-${Math.random()}` },
    ...Object.fromEntries(['id', 'image', 'files', ...orderFiles].map((name) => [name, undefined])),
    ...Object.fromEntries(['inn', 'ogrn', 'kpp', 'okpo', 'okato', 'bik', 'rs', 'cs'].map((name) => [name, '7707083893'])),
    // The catalog is off.
    ...Object.fromEntries(
      ['product_id', 'width', 'height', 'agreed', 'agreed_reason', 'seen_total', 'without_lines', 'prices', 'file'].map((name) => [
        name,
        undefined,
      ]),
    ),
    contract_prices: [],
  }
}

/** What other programs may not say, or what only some steps ask for. */
const unaskedBy: Record<string, object> = {
  'change-dealers': { email: undefined, password: undefined },
  'decide-payment': { reason: undefined },
  'add-payment': { allocations: [] },
  'issue-document': { kind: 'offer' },
  'allocate-payment': { allocations: [] },
  'reverse-payment': { date: dayIn(0) },
  'move-order': { amount: undefined, date: undefined, exceed_reason: undefined },
}

const idOf = ({ cast }: Cabinet, path: string): number | string =>
  ({ orders: cast.order, companies: cast.companies.alpha, dealers: cast.denis, products: 1, statuses: 1, payments: 1, files: 'none' })[
    path.split('/')[1] ?? ''
  ] ?? 1

function call(cabinet: Cabinet, { method, path }: Endpoint, body?: unknown, query = ''): Promise<Answer> {
  const client = clientOf(cabinet, 'root')
  const address = path.replace(/\{\w+\}/, String(idOf(cabinet, path))) + query
  return takingBack(cabinet, () => {
    if (/allocations|reverse/.test(path)) cabinet.db.$client.exec(`update payments set state = 'confirmed' where id = 1`)
    return method === 'get' ? client.get(address) : client[method](address, body)
  })
}

const successOf = ({ responses }: Endpoint) => {
  const [status = '', response] = Object.entries(responses)[0] ?? []
  return { status: Number(status), schema: response?.content?.['application/json']?.schema }
}

t.test('the description names every route of the API, and no other', async (t) => {
  const cabinet = await startCabinet(t)
  const description = await descriptionOf(cabinet)
  t.equal(description.openapi, '3.1.0')
  const described = endpointsOf(description).map(({ method, path }) => `${method.toUpperCase()} /api/v1${path.replace(/\{(\w+)\}/, ':$1')}`)
  const routes = cabinet.app.routeTable
    .filter(({ method, url }) => url.startsWith('/api/') && method !== 'HEAD')
    .map(({ method, url }) => `${method} ${url}`)
  t.same([...described, 'GET /api/v1/openapi.json'].sort(), routes.sort())
})

t.test('every operation does with a body made from its description what it says', async (t) => {
  const cabinet = await startCabinet(t)
  cabinet.db.insert(news).values({ name: 'Prices', description: '<p>New</p>', images: [] }).run()
  insertProduct(cabinet.db, { article: 'W-1', category_id: cabinet.cast.category })
  insertPayment(cabinet.db, cabinet.cast.order)
  makeIssuable(cabinet)
  cabinet.db.update(orders).set({ cost: 0 }).run()
  insertDocument(cabinet)
  insertEntry(cabinet.db, cabinet.cast.companies.alpha)
  const names = Object.keys(requirableFields) as RequirableField[]
  const required_fields = names.filter((name) => !['prices', ...orderFiles].some((other) => other === name))
  cabinet.db.update(statusTransitions).set({ required_fields }).where(eq(statusTransitions.id, 1)).run()
  const description = await descriptionOf(cabinet)
  for (const endpoint of endpointsOf(description)) {
    if (['download-file', 'upload-files'].includes(endpoint.operationId)) continue
    const given = { ...knownValues(cabinet), ...unaskedBy[endpoint.operationId] }
    // A name of a product's or a line's own price list, which only some forms have.
    const body =
      endpoint.body &&
      exampleOf(endpoint.body, endpoint.path === '/products' ? { ...given, prices: [{ from: '2026-01-01', price: 5 }] } : given)
    const answer = await call(cabinet, endpoint, body)
    const { status, schema } = successOf(endpoint)
    t.equal(answer.statusCode, status, `${endpoint.operationId}: ${answer.body.slice(0, 300)}`)
    t.same(mistakesIn(description, schema as Schema, answer.json()), [], `${endpoint.operationId}: the answer is as described`)
    if (endpoint.body) t.same(mistakesIn(description, endpoint.body, body), [], `${endpoint.operationId}: the body is as described`)
  }
})

t.test('every operation refuses a body or an address that is not as described, by the name of what is wrong', async (t) => {
  const cabinet = await startCabinet(t)
  cabinet.db.insert(news).values({ name: 'Prices', description: '<p>New</p>', images: [] }).run()
  insertProduct(cabinet.db, { article: 'W-1', category_id: cabinet.cast.category })
  insertPayment(cabinet.db, cabinet.cast.order)
  makeIssuable(cabinet)
  cabinet.db.update(orders).set({ cost: 0 }).run()
  insertDocument(cabinet)
  insertEntry(cabinet.db, cabinet.cast.companies.alpha)
  const description = await descriptionOf(cabinet)
  const problem = description.components.schemas.problem as Schema
  const refuse = async (endpoint: Endpoint, answer: Answer, name: string, what: string) => {
    t.equal(answer.statusCode, 422, `${endpoint.operationId}: ${what}`)
    t.same(mistakesIn(description, problem, answer.json()), [], what)
    const named = Object.keys(answer.json().errors ?? {})
    t.ok(
      named.some((one) => one === name || one.startsWith(`${name}.`)),
      `${endpoint.operationId}: ${what} is told at ${name}, not at ${named}`,
    )
  }
  const known = new Set<string>()
  for (const endpoint of endpointsOf(description)) {
    const { body, parameters } = endpoint
    for (const { name, in: where, schema } of parameters.filter(({ in: where }) => where === 'query')) {
      t.ok(schema.type, `${endpoint.operationId}: ${name} has a type`)
      if (schema.type === 'string' && !schema.format && !schema.enum && name !== 'after') continue
      await refuse(endpoint, await call(cabinet, endpoint, undefined, `?${name}=wrong`), name, `${where} ${name}`)
    }
    if (!body) continue
    const required = Object.fromEntries((body.required ?? []).map((name) => [name, exampleOf(body.properties?.[name] ?? {}, {})]))
    const valid = { ...required, ...Object.fromEntries(Object.entries(knownValues(cabinet)).filter(([name]) => name in required)) }
    await refuse(endpoint, await call(cabinet, endpoint, { ...valid, nothing: 1 }), 'nothing', 'an unknown field')
    for (const name of body.required ?? []) {
      const { [name]: _, ...rest } = valid
      await refuse(endpoint, await call(cabinet, endpoint, rest), name, `${name} is missing`)
    }
    for (const [name, schema] of Object.entries(body.properties ?? {})) {
      // A field that another operation on the same records has, too, is read alike.
      const field = JSON.stringify([endpoint.path.split('/')[1], name, schema])
      const wrong = wrongValues(schema)
      for (const value of known.has(field) ? wrong.slice(0, 1) : wrong)
        await refuse(
          endpoint,
          await call(cabinet, endpoint, { ...valid, [name]: value }),
          name,
          `${name} is ${JSON.stringify(value).slice(0, 30)}`,
        )
      known.add(field)
    }
  }
})
