import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import t from 'tap'
import { policyKeys } from '../../src/core/policies.ts'
import { companies, orders, products, statusTransitions, uploads } from '../../src/database/schema/index.ts'
import { clientOf, tokenFor } from '../support/api.ts'
import { descriptionOf, endpointsOf, mistakesIn, type Schema } from '../support/api-description.ts'
import { type Answer, type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { filesOf, keyOf, submitForm } from '../support/files.ts'
import { setOrder, transitionBetween } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

const address = '/api/v1/files'
const textFile = (content: string, name: string) => new File([content], name, { type: 'text/plain' })
const png = async () =>
  new File(
    [
      await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    ],
    'a.png',
  )

/** A browser whose cookies count for nothing: what it asks of the API goes with this token, or with none. */
function holder({ newBrowser }: Cabinet, token?: string): Browser {
  const browser = newBrowser()
  const { send } = browser
  return {
    ...browser,
    send: (method, path, headers, body) => send(method, path, { ...headers, ...(token && { authorization: `Bearer ${token}` }) }, body),
  }
}

const keysOf = (answer: Answer): string[] => answer.json().items.map(({ key }: { key: string }) => key)

t.test('a program sends files, names them by their keys in records, and whoever sees these downloads them', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const client = clientOf(cabinet, 'root')
  const sent = await submitForm(root, address, [
    ['file', textFile('Contract', 'Договор № 1.txt')],
    ['file', textFile('Invoice', 'invoice.txt')],
  ])
  t.equal(sent.statusCode, 201)
  t.equal(sent.headers['cache-control'], 'no-store')
  const [contract = '', invoice = ''] = keysOf(sent)
  t.same([contract, invoice], [keyOf('Contract'), keyOf('Invoice')], 'in the order in which they were sent')
  t.match(sent.json().items[0], { name: 'Договор № 1.txt', url: new RegExp(`/api/v1/files/${contract}\\?name=`) })

  const { version } = (await client.get(`/companies/${cast.companies.alpha}`)).json()
  const files = [{ name: 'Contract', file: contract }]
  t.equal((await client.patch(`/companies/${cast.companies.alpha}`, { version, files })).statusCode, 200)
  t.same(db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()?.files, files)
  t.equal((await client.patch(`/orders/${cast.order}`, { version: 1, invoice })).statusCode, 200)
  t.equal(db.select().from(orders).where(eq(orders.id, cast.order)).get()?.invoice, invoice)
  t.match(await clientOf(cabinet, 'denis').get(`/files/${invoice}`), { statusCode: 200, body: 'Invoice' })
  t.equal((await clientOf(cabinet, 'daria').get(`/files/${invoice}`)).statusCode, 403)
})

t.test('a product takes a picture that was sent as one, and no other file', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const id = insertProduct(db, { article: 'W-1', category_id: cast.category })
  const root = await as('root')
  const client = clientOf(cabinet, 'root')
  const sent = await submitForm(root, address, [
    ['picture', await png()],
    ['file', textFile('no picture', 'a.txt')],
  ])
  t.equal(sent.statusCode, 201, sent.body)
  const [picture = '', text = ''] = keysOf(sent)
  t.equal((await client.patch(`/products/${id}`, { version: 1, image: text })).statusCode, 422, 'a file that is no picture')
  t.equal((await client.patch(`/products/${id}`, { version: 1, image: picture })).statusCode, 200)
  t.equal(db.select().from(products).where(eq(products.id, id)).get()?.image, picture)
})

t.test('a step takes the files that it requires', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const order = setOrder(cabinet, 'payment')
  const transition = transitionBetween(cabinet, 'payment', 'paid').id
  db.update(statusTransitions)
    .set({ required_fields: ['payment_order'] })
    .where(eq(statusTransitions.id, transition))
    .run()
  const sent = await submitForm(await as('denis'), address, [['file', textFile('Receipt', 'receipt.pdf')]])
  const [payment_order] = keysOf(sent)
  const step = (key: unknown) =>
    clientOf(cabinet, 'denis').post(`/orders/${order}/transitions`, { transition_id: transition, payment_order: key })
  t.equal((await step(keyOf('Something else'))).statusCode, 422)
  t.equal((await step(payment_order)).statusCode, 200)
})

t.test('a key is usable by whoever has sent the file, and by nobody else', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [key = ''] = keysOf(await submitForm(await as('maria'), address, [['file', textFile('Secret', 'secret.txt')]]))
  const root = clientOf(cabinet, 'root')
  const refused = await root.patch(`/orders/${cast.order}`, { version: 1, invoice: key })
  t.equal(refused.statusCode, 422)
  t.same(Object.keys(refused.json().errors), ['invoice'])
  t.equal(db.select().from(orders).where(eq(orders.id, cast.order)).get()?.invoice, null)
  t.equal((await root.get(`/files/${key}`)).statusCode, 403, 'nor is it shown to others')
  const claimed = await submitForm(await as('root'), address, [['file[stored]', key]])
  t.equal(claimed.statusCode, 422, 'a key that is said is not a file that is sent')
  t.notMatch(claimed.body, 'secret.txt')
  const misnamed = await submitForm(await as('maria'), address, [['comment[stored]', key]])
  t.same(Object.keys(misnamed.json().errors), ['comment[stored]'], 'not even by whoever has sent it, under another name')
  const later = db.select().from(uploads).where(eq(uploads.key, key)).get()?.at ?? 0
  db.update(uploads)
    .set({ at: later - 25 * 3600_000 })
    .run()
  t.equal(
    (await clientOf(cabinet, 'maria').patch(`/orders/${cast.order}`, { version: 1, invoice: key })).statusCode,
    422,
    'after a day, too',
  )
})

t.test('what is no file, none at all, or too large is refused, and nothing is kept of it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const maria = await as('maria')
  const client = clientOf(cabinet, 'maria')
  const problemOf = (answer: Answer) => {
    t.match(answer.headers['content-type'], /^application\/problem\+json/)
    return [answer.statusCode, ...Object.keys(answer.json().errors ?? {})]
  }
  const send = async (...parts: [string, string | File][]) => problemOf(await submitForm(maria, address, parts))
  t.same(await send(), [422, 'file'])
  t.same(await send(['file', textFile('', 'empty.txt')]), [422, 'file'])
  t.same(await send(['comment', 'text']), [422, 'comment'])
  t.same(await send(['other', textFile('x', 'x.txt')]), [415])
  t.same(await send(['picture', textFile('x', 'x.png')]), [415, 'picture'])
  t.same(await send(['file', textFile('x'.repeat(25 * 1024 ** 2 + 1), 'large.txt')]), [413])
  t.same(problemOf(await client.post('/files', {})), [415], 'JSON')
  t.same(
    problemOf(await client.post('/files', 'file=x', { 'content-type': 'application/x-www-form-urlencoded' })),
    [415],
    'a form of texts',
  )
  t.same(db.select().from(uploads).all(), [])
  t.same(filesOf(cabinet), [])
  const full = db
    .insert(uploads)
    .values({ key: 'f'.repeat(64), name: 'a', type: '', size: 1024 ** 3, user_id: cabinet.cast.maria, at: Date.now() })
  full.run()
  const beyond = await submitForm(maria, address, [['file', textFile('x', 'x.txt')]])
  t.equal(beyond.statusCode, 429)
  t.match(beyond.headers['retry-after'], /^\d+$/)
})

t.test('a token that writes no record with files sends none: read-only, without permissions, or a cookie alone', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const file: [string, File] = ['file', textFile('x', 'x.txt')]
  const readOnly = tokenFor(cabinet, cast.maria, { read_only: true })
  t.equal((await submitForm(holder(cabinet, readOnly), address, [file])).statusCode, 403)
  revoke(db, cast.clerk, ...policyKeys)
  t.equal((await submitForm(await as('clerk'), address, [file])).statusCode, 403)
  const { cookies, send } = await as('maria')
  const withCookie: Browser = {
    ...holder(cabinet),
    cookies,
    send: (method, path, headers, body) => send(method, path, { authorization: '', ...headers }, body),
  }
  t.equal((await submitForm(withCookie, address, [file])).statusCode, 401)
  t.same([db.select().from(uploads).all(), filesOf(cabinet)], [[], []])
})

t.test('the description says what is sent and answered', async (t) => {
  const cabinet = await startCabinet(t)
  const description = await descriptionOf(cabinet)
  const { requestBody, responses } = endpointsOf(description).find(({ operationId }) => operationId === 'upload-files') ?? {}
  t.same(Object.keys(requestBody?.content['multipart/form-data']?.schema.properties ?? {}), ['file', 'picture'])
  const sent = await submitForm(await cabinet.as('root'), address, [['file', textFile('x', 'x.txt')]])
  t.same(mistakesIn(description, responses?.[201]?.content?.['application/json']?.schema as Schema, sent.json()), [])
})
