import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asc, eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { documentNumber, findPatternProblem } from '../../src/core/documents.ts'
import { companies, documents, orderItems, orders, settings, webhookMessages, webhooks } from '../../src/database/schema/index.ts'
import { folderOf } from '../../src/http/uploads/folder.ts'
import { today } from '../../src/i18n/format.ts'
import { digestOf } from '../../src/modules/orders/documents/content.ts'
import { findOrder, type Order } from '../../src/modules/orders/order.ts'
import { clientFor } from '../support/api.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { addLine, detailsIn, makeIssuable } from '../support/documents.ts'
import { attributesOf, elementsOf, errorsOf, parseHtml, textOf } from '../support/html.ts'
import { historyOf, insertOrder, requestTransition, statusId, transitionBetween } from '../support/orders.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db, as } = cabinet
  makeIssuable(cabinet)
  const fill = (order: number) => addLine(cabinet, order)
  grant(db, cast.maria, 'document_can_issue')
  const maria = await as('maria')
  const issue = (kind = 'invoice', order = cast.order) => maria.post(`/orders/${order}/issue`, { kind })
  const all = () => db.select().from(documents).orderBy(asc(documents.id)).all()
  return { ...cabinet, maria, issue, all, fill }
}

t.test('an unchanged order has one invoice; after a change it gets the next, and the earlier is replaced and stays', async (t) => {
  const { app, cast, db, maria, issue, all } = await start(t)
  const { config } = app
  t.match(await issue(), { statusCode: 303, headers: { location: `/orders/${cast.order}#issued` } })
  t.equal((await issue()).statusCode, 303)
  t.match(all(), [{ kind: 'invoice', number: '1', serial: 1, amount: 2_000_00, state: 'issued', date: today(), actor_id: cast.maria }])
  t.equal(all().length, 1)
  const [first] = all()
  const bytes = () => readFileSync(join(folderOf(config.dataDir, first?.file ?? ''), first?.file ?? ''))
  const before = bytes()
  t.equal(db.select().from(orders).where(eq(orders.id, cast.order)).get()?.invoice, first?.file, 'the order holds it')
  db.update(orders).set({ comment: 'Second floor', version: 9 }).where(eq(orders.id, cast.order)).run()
  t.equal((await issue()).statusCode, 303)
  const [replaced, second] = all()
  t.match(
    [replaced, second],
    [
      { number: '1', state: 'replaced', replaced_by_id: second?.id },
      { number: '2', serial: 2, state: 'issued' },
    ],
  )
  t.same(bytes(), before)
  t.equal(db.select().from(orders).where(eq(orders.id, cast.order)).get()?.invoice, second?.file)
  const page = parseHtml((await maria.get(`/orders/${cast.order}`)).body)
  t.same(
    page('#issued [data-document]')
      .toArray()
      .map((row) => [page(row).attr('data-kind'), page(row).attr('data-number'), page(row).attr('data-state')]),
    [
      ['invoice', '2', 'issued'],
      ['invoice', '1', 'replaced'],
    ],
  )
  const file = await maria.get(`/documents/${first?.id}/file`)
  t.match(file, { statusCode: 200, headers: { 'content-type': 'application/pdf' } })
  t.match(file.body, /^%PDF/)
  const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input: file.rawPayload, encoding: 'utf8' })
  for (const said of ['Invoice No. 1', 'Makers LLC', 'Window', '2 000,00']) t.match(text, said)
})

t.test('an uploaded invoice stays where it is when another is issued', async (t) => {
  const { cast, db, issue } = await start(t)
  db.update(orders)
    .set({ invoice: 'f'.repeat(64) })
    .where(eq(orders.id, cast.order))
    .run()
  await issue()
  t.equal(db.select().from(orders).where(eq(orders.id, cast.order)).get()?.invoice, 'f'.repeat(64))
})

t.test('twenty at once: numbers without gap or repetition, whatever is refused in between', async (t) => {
  const { issue, all, fill, ...cabinet } = await start(t)
  const ids = Array.from({ length: 20 }, () => insertOrder(cabinet, 'new', { dealer_id: cabinet.cast.denis }))
  for (const [at, id] of ids.entries()) if (at % 5 !== 4) fill(id)
  const answers = await Promise.all(ids.map((id) => issue('invoice', id)))
  t.same(
    answers.map(({ statusCode }) => statusCode),
    ids.map((_, at) => (at % 5 === 4 ? 422 : 303)),
  )
  t.same(
    all().map(({ serial }) => serial),
    Array.from({ length: 16 }, (_, at) => at + 1),
  )
  await Promise.all(Array.from({ length: 5 }, () => issue()))
  t.equal(all().length, 17, 'of one order asked for five times there is one')
})

t.test('what is missing is named first, each a link to where it is filled in, and no number is given', async (t) => {
  const { as, cast, db, issue, all, maria } = await start(t)
  db.update(settings).set({ bank: null }).run()
  db.update(companies).set({ inn: null }).where(eq(companies.id, cast.companies.alpha)).run()
  const answer = await issue()
  t.equal(answer.statusCode, 422)
  const named = ({ body }: Answer) => detailsIn(body, '[role=alert]')
  const ofCompany = ['Company: INN', `/company/edit/${cast.companies.alpha}#inn`]
  t.same(named(answer), [['Supplier: Bank', undefined], ofCompany], 'nobody is led to what they may not open')
  const root = await as('root')
  t.same(named(await root.post(`/orders/${cast.order}/issue`, { kind: 'invoice' })), [['Supplier: Bank', '/settings#bank'], ofCompany])
  t.equal((await issue('specification')).statusCode, 422, 'the specification asks for the INN, too')
  t.equal((await issue('offer')).statusCode, 303, 'an offer needs neither')
  t.equal((await maria.post(`/orders/${cast.order}/issue`, { kind: 'act' })).statusCode, 422)
  db.delete(orderItems).where(eq(orderItems.order_id, cast.order)).run()
  t.match(textOf((await issue('delivery_note')).body), 'Order lines')
  t.same(
    all().map(({ kind }) => kind),
    ['offer'],
  )
})

t.test(
  'who may not issue is refused; dealers see invoices, specifications and offers of their own company, and none without prices',
  async (t) => {
    const { as, cast, db, issue, all, maria } = await start(t)
    for (const kind of ['invoice', 'specification', 'offer', 'delivery_note']) t.equal((await issue(kind)).statusCode, 303, kind)
    const denis = await as('denis')
    t.equal((await denis.post(`/orders/${cast.order}/issue`, { kind: 'invoice' })).statusCode, 403)
    const kinds = async (who: typeof denis, address = '/documents') =>
      elementsOf((await who.get(address)).body, '[data-document]')
        .map((row) => attributesOf(row)['data-kind'])
        .sort()
    t.same(await kinds(denis), ['invoice', 'offer', 'specification'])
    t.same(await kinds(denis, `/orders/${cast.order}`), ['invoice', 'offer', 'specification'])
    const note = all().find(({ kind }) => kind === 'delivery_note')
    t.equal((await denis.get(`/documents/${note?.id}/file`)).statusCode, 403)
    t.equal((await denis.get(`/files/${note?.file}`)).statusCode, 403)
    t.equal((await denis.get(`/documents/${all()[0]?.id}/file`)).statusCode, 200)
    db.update(documents).set({ company_id: cast.companies.beta }).where(eq(documents.kind, 'offer')).run()
    t.same(await kinds(denis), ['invoice', 'specification'], 'none of another company')
    revoke(db, cast.denis, 'order_can_view_prices')
    t.same(await kinds(denis), [])
    t.equal((await denis.get(`/documents/${all()[0]?.id}/file`)).statusCode, 403)
    revoke(db, cast.maria, 'order_can_view_prices')
    t.same(await kinds(maria), ['delivery_note'])
    t.equal((await issue()).statusCode, 403, 'nobody issues what they do not see')
  },
)

t.test('a canceled order has canceled documents with their numbers, which hold again when that is undone', async (t) => {
  const { all, issue, maria, ...cabinet } = await start(t)
  const { cast, db } = cabinet
  await issue()
  await issue('specification')
  const cancel = transitionBetween(cabinet, 'new', 'canceled')
  t.equal((await requestTransition(maria, cast.order, cancel.id)).statusCode, 303)
  t.same(
    all().map(({ number, state }) => [number, state]),
    [
      ['1', 'canceled'],
      [String(cast.order + 1000), 'canceled'],
    ],
  )
  const step = historyOf(cabinet, cast.order).at(-1)?.id ?? 0
  t.equal((await maria.post(`/orders/${cast.order}/undo`, { step })).statusCode, 303)
  t.same(
    all().map(({ state }) => state),
    ['issued', 'issued'],
  )
  await requestTransition(maria, cast.order, cancel.id)
  db.update(orders)
    .set({ status_id: statusId('new') })
    .where(eq(orders.id, cast.order))
    .run()
  await issue()
  t.same(
    all()
      .map(({ number, state }) => [number, state])
      .at(-1),
    ['2', 'issued'],
  )
})

t.test('a pattern names its number once and apart from other digits', async (t) => {
  for (const pattern of ['{n}', 'A-{n}', '{yyyy}/{n}', '{order}-{n}', '{n}/{mm}-{yy}'])
    t.equal(findPatternProblem(pattern), undefined, pattern)
  for (const pattern of ['', 'A', '{n}{n}', '{n}-{x}', '{yy}{n}', '1{n}', '{n}{mm}', '{n}0', '{n}}'])
    t.type(findPatternProblem(pattern), 'string', pattern)
  t.equal(documentNumber('{yyyy}/{yy}-{mm} {order}: {n}', { n: 7, day: '2026-03-09', order: 12 }), '2026/26-03 12: 7')
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 1e6 }), { minLength: 2 })
  const pattern = fc.constantFrom('{n}', '{order}-{n}', '{n}/{order}', '{yy}-{n}/{mm}')
  fc.assert(
    fc.property(numbers, pattern, fc.integer({ min: 1, max: 1e6 }), (all, written, order) => {
      const made = all.map((n) => documentNumber(written, { n, day: '2026-11-27', order }))
      return new Set(made).size === made.length
    }),
  )
})

t.test('the settings say how documents are numbered; the next number can only be raised', async (t) => {
  const { as, issue, all } = await start(t)
  const root = await as('root')
  const row = (pattern: string, next: string) => ({ 'series[0][kind]': 'invoice', 'series[0][pattern]': pattern, 'series[0][next]': next })
  t.equal((await root.post('/settings', row('{yy}-{n}', '41'))).statusCode, 303)
  await issue()
  t.equal(all()[0]?.number, `${today().slice(2, 4)}-41`)
  const refused = await root.post('/settings', row('{yy}-{n}', '41'))
  t.equal(refused.statusCode, 422)
  t.match(errorsOf(refused), { 'series.0.next': /42/ })
  t.match(errorsOf(await root.post('/settings', row('A', '50'))), { 'series.0.pattern': /\{n\}/ })
  t.equal((await root.post('/settings', { name: 'Another' })).statusCode, 303, 'what is not sent stays')
})

t.test('without room on the disk nothing is issued and no number is given', async (t) => {
  const { app, issue, all } = await start(t)
  const { config } = app
  const incoming = join(config.dataDir, 'files', 'incoming')
  rmSync(incoming, { recursive: true, force: true })
  mkdirSync(join(config.dataDir, 'files'), { recursive: true })
  writeFileSync(incoming, 'in the way')
  t.ok((await issue()).statusCode >= 500)
  t.same(all(), [])
  rmSync(incoming)
  mkdirSync(incoming)
  t.equal((await issue()).statusCode, 303)
  t.same(
    all().map(({ number }) => number),
    ['1'],
  )
  t.same(readdirSync(incoming), [], 'nothing is left behind')
})

t.test('other programs list, issue and read documents, and are told of each that is issued', async (t) => {
  const cabinet = await start(t)
  const { cast, db, all, issue } = cabinet
  db.insert(webhooks)
    .values({ url: 'https://example.com/hook', secret: 'whsec_c2VjcmV0', events: ['document.issued'], created_at: Date.now() })
    .run()
  const maria = clientFor(cabinet, cast.maria)
  const path = `/orders/${cast.order}/documents`
  const made = await maria.post(path, { kind: 'invoice' })
  t.equal(made.statusCode, 201)
  t.match(made.json(), { kind: 'invoice', number: '1', state: 'issued', amount: 2_000_00, order_id: cast.order })
  t.equal((await maria.post(path, { kind: 'invoice' })).json().id, made.json().id, 'of an unchanged order the same')
  t.equal(all().length, 1)
  t.match((await maria.get(`/files/${made.json().file.key}`)).body, /^%PDF/)
  for (const body of [{ kind: 'act' }, {}]) {
    const refused = await maria.post(path, body)
    t.equal(refused.statusCode, 422)
    t.type(refused.json().errors.kind, 'string')
  }
  await issue('delivery_note')
  const kinds = async (who: 'maria' | 'denis', address = path) =>
    (await clientFor(cabinet, cast[who]).get(address)).json().items.map(({ kind }: { kind: string }) => kind)
  t.same(await kinds('maria'), ['delivery_note', 'invoice'])
  t.same(await kinds('denis'), ['invoice'])
  t.same(await kinds('denis', '/documents'), ['invoice'])
  t.equal((await clientFor(cabinet, cast.denis).post(path, { kind: 'offer' })).statusCode, 403)
  const told = db.select().from(webhookMessages).all()
  t.same(
    told.map(({ type, body }) => [type, JSON.parse(body).data.kind]),
    [
      ['document.issued', 'invoice'],
      ['document.issued', 'delivery_note'],
    ],
  )
})

t.test('a document still says what it does after the data folder has moved', async (t) => {
  const { app, cast, db } = await start(t)
  db.update(settings)
    .set({ logo: 'l'.repeat(64) })
    .run()
  const order = findOrder(db, cast.order) as Order
  const moved = Object.assign(Object.create(app), { config: { ...app.config, dataDir: '/elsewhere' } })
  t.equal(digestOf(moved, order, 'invoice'), digestOf(app, order, 'invoice'))
  const before = digestOf(app, order, 'invoice')
  db.update(settings)
    .set({ logo: 'm'.repeat(64) })
    .run()
  t.not(digestOf(app, order, 'invoice'), before, 'another logo is another document')
})
