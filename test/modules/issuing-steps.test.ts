import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asc, eq } from 'drizzle-orm'
import t from 'tap'
import {
  companies,
  documentSeries,
  documents,
  orderItems,
  orders,
  settings,
  statusTransitions,
  webhookDeliveries,
  webhookMessages,
  webhooks,
} from '../../src/database/schema/index.ts'
import { folderOf } from '../../src/http/uploads/folder.ts'
import { clientFor } from '../support/api.ts'
import { type Answer, type Browser, type Fields, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { addLine, detailsIn, makeIssuable } from '../support/documents.ts'
import { attributesOf, elementsOf, errorsOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { historyOf, insertOrder, linesOf, orderOf, requestTransition, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import { dayIn, insertProduct, useCatalog } from '../support/products.ts'
import { readPdf } from '../support/read-pdf.ts'

/** The order of the cast waits for its signature; whoever may issue by hand is none of those who make steps. */
async function start(test: Parameters<typeof startCabinet>[0], environment: Record<string, string> = {}) {
  const cabinet = await startCabinet(test, { environment })
  const { cast, db, app } = cabinet
  makeIssuable(cabinet)
  for (const id of [cast.maria, cast.clerk, cast.denis, cast.pavel]) revoke(db, id, 'document_can_issue')
  const order = setOrder(cabinet, 'apply')
  const step = transitionBetween(cabinet, 'apply', 'payment').id
  const change = (values: Partial<typeof statusTransitions.$inferInsert>, id = step) =>
    db.update(statusTransitions).set(values).where(eq(statusTransitions.id, id)).run()
  const all = () => db.select().from(documents).orderBy(asc(documents.id)).all()
  const bytesOf = (key: string) => readFileSync(join(folderOf(app.config.dataDir, key), key))
  const another = (status = 'apply', number = 1) => {
    const id = insertOrder(cabinet, status, { dealer_id: cast.denis, company_id: cast.companies.alpha })
    addLine(cabinet, id)
    db.update(orders)
      .set({ specification_number: 9000 + number })
      .where(eq(orders.id, id))
      .run()
    return id
  }
  const maria = await cabinet.as('maria')
  const move = (id = order, fields = {}) => maria.post(`/orders/${id}/transition`, { transition_id: step, ...fields })
  return { ...cabinet, order, step, change, all, bytesOf, another, maria, move }
}

type Started = Awaited<ReturnType<typeof start>>

const statesOf = ({ all }: Pick<Started, 'all'>) => all().map(({ kind, number, state }) => `${kind} ${number} ${state}`)

/** Sends files for the fields of one order, or of several under other names. */
function upload(browser: Browser, address: string, fields: Record<string, string | number>, files: string[]): Promise<Answer> {
  const part = (name: string, value: string | number, file = '') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
  const parts = [
    ...Object.entries(fields).map(([name, value]) => part(name, value)),
    ...files.map((name) => part(name, `content of ${name}`, '; filename="own.pdf"')),
  ]
  return browser.send('POST', address, { 'content-type': 'multipart/form-data; boundary=x' }, `${parts.join('')}--x--\r\n`)
}

t.test('by default a manager requests payment without any file: specification and invoice are issued and held by the order', async (t) => {
  const cabinet = await start(t)
  const { all, bytesOf, cast, db, maria, move, order } = cabinet
  const page = await maria.get(`/orders/${order}`)
  t.notMatch(textOf(page.body), 'Requires Specification')
  t.equal((await move()).statusCode, 303)
  t.same(statesOf(cabinet), ['invoice 1 issued', `specification ${order + 1000} issued`])
  const answered = await maria.get(`/orders/${order}`)
  const toast = textOf(elementsOf(answered.body, '.flash [role=status]')[0] ?? '')
  t.match(
    toast,
    new RegExp(
      `moved to Awaiting payment. Issued: (Specification ${order + 1000} and Invoice 1|Invoice 1 and Specification ${order + 1000})`,
    ),
  )
  t.equal(elementsOf(answered.body, '#documents #issued [data-document]').length, 2)
  t.equal(elementsOf(answered.body, '#documents .file-tile a[href^="/files/"]').length, 0, 'no paper stands there twice')
  const [invoice, specification] = all()
  const after = orderOf(db, order)
  t.match(after, { status_id: statusId('payment'), invoice: invoice?.file, specification: specification?.file })
  t.match(invoice, { amount: 2_000_00, order_version: after.version, actor_id: cast.maria, company_id: cast.companies.alpha })
  t.match(readPdf(t, bytesOf(invoice?.file ?? '')).text, /Invoice No\. 1.*Window.*2 000,00/)
  const [entry] = historyOf(cabinet, order)
  t.same(
    all().map(({ issued_by_step }) => issued_by_step),
    [entry?.id, entry?.id],
  )
  t.match(textOf((await maria.get(`/orders/${order}`)).body), /requested payment and attached Invoice 1\.pdf and Specification \d+\.pdf/)
  t.equal((await maria.get(`/files/${invoice?.file}`)).statusCode, 200)
  t.equal((await (await cabinet.as('denis')).get(`/files/${invoice?.file}`)).statusCode, 200)
  grant(db, cast.maria, 'document_can_issue')
  t.equal((await maria.post(`/orders/${order}/issue`, { kind: 'invoice' })).statusCode, 303)
  t.equal(all().length, 2, 'what the step made holds still')
  revoke(db, cast.maria, 'order_can_view_prices')
  for (const paper of [invoice, specification])
    for (const path of [`/files/${paper?.file}`, `/files/${paper?.file}/preview`, `/documents/${paper?.id}/file`])
      t.equal((await maria.get(path)).statusCode, 403, `without prices: ${path}`)
  const without = await maria.get(`/orders/${order}`)
  t.equal(without.statusCode, 200)
  t.notMatch(without.body, specification?.file ?? 'none', 'nor is it offered')
})

t.test('a file that is sent with the step, or that the order has already, takes the place of what it would issue', async (t) => {
  const cabinet = await start(t)
  const { another, db, maria, order, step } = cabinet
  const address = `/orders/${order}/transition`
  t.equal((await upload(maria, address, { transition_id: step }, ['invoice'])).statusCode, 303)
  t.same(statesOf(cabinet), [`specification ${order + 1000} issued`])
  t.not(orderOf(db, order).invoice, orderOf(db, order).specification)
  t.match(textOf((await maria.get(`/orders/${order}`)).body), /attached .*own\.pdf/)
  const second = another()
  const own = 'f'.repeat(64)
  db.update(orders).set({ specification: own }).where(eq(orders.id, second)).run()
  t.equal((await cabinet.move(second)).statusCode, 303)
  t.same(statesOf(cabinet).slice(1), ['invoice 1 issued'])
  t.equal(orderOf(db, second).specification, own)
  const third = another()
  t.equal((await upload(maria, `/orders/${third}/transition`, { transition_id: step }, ['invoice', 'specification'])).statusCode, 303)
  t.equal(cabinet.all().length, 2)
})

t.test('what was issued before by hand holds still with the step, and is replaced where the order has changed since', async (t) => {
  const cabinet = await start(t)
  const { another, all, cast, db, maria, move, order } = cabinet
  grant(db, cast.maria, 'document_can_issue')
  await maria.post(`/orders/${order}/issue`, { kind: 'invoice' })
  t.equal((await move()).statusCode, 303)
  t.same(statesOf(cabinet), ['invoice 1 issued', `specification ${order + 1000} issued`])
  t.equal(all()[0]?.issued_by_step, null)
  t.equal(orderOf(db, order).invoice, all()[0]?.file)
  const changed = another()
  await maria.post(`/orders/${changed}/issue`, { kind: 'invoice' })
  db.update(orders).set({ comment: 'Second floor' }).where(eq(orders.id, changed)).run()
  t.equal((await move(changed)).statusCode, 303)
  t.same(statesOf(cabinet).slice(2), ['invoice 2 replaced', 'invoice 3 issued', 'specification 9001 issued'])
  t.equal(orderOf(db, changed).invoice, all()[3]?.file)
})

t.test('what a document lacks is said at once, each with a link, and nothing moves; uploads make up for it', async (t) => {
  const cabinet = await start(t)
  const { cast, db, maria, move, order, step } = cabinet
  db.update(settings).set({ bank: null }).run()
  db.update(companies).set({ inn: null }).where(eq(companies.id, cast.companies.alpha)).run()
  const links = ({ body }: Answer) => detailsIn(body, '#step [role=alert]')
  const lacking = [
    ['Supplier: Bank', undefined],
    ['Company: INN', `/company/edit/${cast.companies.alpha}#inn`],
  ]
  const before = await maria.get(`/orders/${order}`)
  const button = elementsOf(before.body, `button[name=transition_id][value=${step}]`)[0] ?? ''
  const beside = `#${attributesOf(button)['aria-describedby']}`
  t.match(
    textOf(elementsOf(before.body, beside)[0] ?? ''),
    /^Its documents cannot be issued yet\. Fill in first: Supplier Bank Company INN Details of the supplier are filled in by an administrator: Root Olga\.$/,
  )
  t.same(detailsIn(before.body, beside), lacking, 'beside the step that needs them')
  const asked = await maria.get(`/orders/${order}?transition_id=${step}`)
  t.same(links(asked), lacking, 'before it is tried')
  t.ok(parseHtml(asked.body)('#step input[type=file][name=invoice]').length, 'files can be uploaded instead')
  const frame = ({ body }: Answer) => parseHtml(body)('#step .alert').attr('class')
  t.equal(frame(asked), 'alert alert-warning', 'nothing went wrong yet')
  const blue = ({ body }: Answer) => {
    const one = parseHtml(body)('.order-next .btn-primary')
    return [textOf(one.text()), one.attr('href')]
  }
  t.same(blue(before), ['Fill in legal details', `/company/edit/${cast.companies.alpha}#inn`], 'what comes before the step stands out')
  const asks = ({ body }: Answer) => /filled in by an administrator: Root Olga/.test(textOf(body))
  t.ok(asks(asked), 'in the dialog, too, it is said whom to ask')
  const byRoot = await (await cabinet.as('root')).get(`/orders/${order}?transition_id=${step}`)
  t.notOk(asks(byRoot), 'nobody is told to ask themselves')
  const refused = await move()
  t.equal(refused.statusCode, 422)
  t.same(links(refused), lacking)
  t.equal(frame(refused), 'alert alert-danger')
  const insteadOf = 'Upload a file, or first fill in what is missing.'
  t.same(errorsOf(refused), { invoice: insteadOf, specification: insteadOf }, 'what was pressed answers at its fields')
  t.notMatch(textsByRole(refused, 'alert').join(), 'Bank of the supplier', 'once')
  const toRoot = links(await (await cabinet.as('root')).post(`/orders/${order}/transition`, { transition_id: step }))
  t.same(toRoot[0], ['Supplier: Bank', '/settings#bank'], 'to whoever may fill it in')
  const card = await requestTransition(maria, order, step)
  t.equal(card.statusCode, 422)
  t.match(textsByRole(card, 'alert').join(), 'Bank of the supplier')
  t.same(cabinet.all(), [])
  t.equal(orderOf(db, order).status_id, statusId('apply'))
  t.same(db.select().from(documentSeries).all(), [], 'no number was given')
  const half = await upload(maria, `/orders/${order}/transition`, { transition_id: step }, ['invoice'])
  t.same(links(half), lacking.slice(1), 'the specification asks for no bank')
  t.same(errorsOf(half), { specification: insteadOf }, 'the invoice is there')
  t.equal((await upload(maria, `/orders/${order}/transition`, { transition_id: step }, ['invoice', 'specification'])).statusCode, 303)
  t.same(cabinet.all(), [])
})

t.test('a step that nothing in its form can help is not offered to be pressed; what was typed stays to be sent again', async (t) => {
  const cabinet = await start(t)
  const { change, db, maria, move, order, step } = cabinet
  const address = `/orders/${order}?transition_id=${step}`
  const offered = ({ body }: Answer) => parseHtml(body)('#step :is(button, input:not([type=hidden]))').length > 0
  change({ issues: ['offer'] })
  db.$client.prepare('delete from order_items where order_id = ?').run(order)
  const lineless = await maria.get(address)
  t.same(
    detailsIn(lineless.body, '#step [role=alert]'),
    [['Order: Order lines', `/orders/${order}/edit/lines`]],
    'a paper that nobody uploads',
  )
  t.notOk(offered(lineless), 'neither button nor field')
  t.same(elementsOf(lineless.body, '#step a.btn').map(textOf), ['Close'])
  t.ok(offered(await move(order, { note: 'Soon' })), 'what was typed')
  change({ issues: [], min_paid: 50 })
  const unpaid = await maria.get(address)
  t.match(textsByRole(unpaid, 'alert').join(), /Requires 50% of the cost paid/)
  t.notOk(offered(unpaid), 'money')
  change({ min_paid: null, issues: ['invoice'] })
  t.ok(offered(await maria.get(address)), 'a file can stand for an invoice')
})

t.test('an invoice of nothing is not issued: its file is asked for where an order is paid or costs nothing', async (t) => {
  const cabinet = await start(t)
  const { change, db, maria, move, order, step } = cabinet
  db.$client.prepare('update order_items set price = 0 where order_id = ?').run(order)
  db.update(orders).set({ cost: 0 }).where(eq(orders.id, order)).run()
  const refused = await move()
  t.equal(refused.statusCode, 422)
  t.same(Object.keys(errorsOf(refused)), ['invoice'])
  t.equal((await upload(maria, `/orders/${order}/transition`, { transition_id: step }, ['invoice'])).statusCode, 303)
  t.same(statesOf(cabinet), [`specification ${order + 1000} issued`])
  const second = cabinet.another()
  db.$client.prepare('delete from order_items where order_id = ?').run(second)
  db.update(orders).set({ cost: 0 }).where(eq(orders.id, second)).run()
  const lineless = await move(second)
  t.match(textOf(lineless.body), /Fill in first: Order Order lines/)
  const insteadOf = 'Upload a file, or first fill in what is missing.'
  t.same(errorsOf(lineless), { invoice: insteadOf, specification: insteadOf }, 'before there is a line a file is one way of two')
  change({ required_fields: [] })
  const third = cabinet.another()
  db.$client.prepare('update order_items set price = 0 where order_id = ?').run(third)
  db.update(orders).set({ cost: 0 }).where(eq(orders.id, third)).run()
  t.equal((await move(third)).statusCode, 303, 'where it is not required, none is needed')
})

t.test('undoing the step cancels what it issued and leaves the numbers where they are', async (t) => {
  const cabinet = await start(t)
  const { db, maria, move, order } = cabinet
  await move()
  const undo = () => maria.post(`/orders/${order}/undo`, { step: historyOf(cabinet, order)[0]?.id as number })
  t.equal((await undo()).statusCode, 303)
  t.same(statesOf(cabinet), ['invoice 1 canceled', `specification ${order + 1000} canceled`])
  t.match(orderOf(db, order), { status_id: statusId('apply'), invoice: null, specification: null })
  t.equal((await move()).statusCode, 303)
  t.same(statesOf(cabinet).slice(2), ['invoice 2 issued', `specification ${order + 1000} issued`])
})

t.test('other programs are told of what a step issued when it can no longer be undone, and of nothing that is undone', async (t) => {
  const cabinet = await start(t)
  const { db, maria, move, order } = cabinet
  db.insert(webhooks)
    .values({ url: 'https://example.com/hook', secret: 'whsec_c2VjcmV0', events: ['document.issued'], created_at: Date.now() })
    .run()
  await move()
  const held = db.select({ at: webhookDeliveries.next_at }).from(webhookDeliveries).all()
  t.same(
    held.map(({ at }) => at),
    Array(2).fill(historyOf(cabinet, order)[0]?.undo_until),
  )
  await maria.post(`/orders/${order}/undo`, { step: historyOf(cabinet, order)[0]?.id as number })
  t.same(db.select().from(webhookMessages).all(), [])
})

t.test('a step of another program and one on the board issue, too', async (t) => {
  const cabinet = await start(t)
  const { another, cast, db, maria, order, step } = cabinet
  const program = clientFor(cabinet, cast.maria)
  const made = await program.post(`/orders/${order}/transitions`, { transition_id: step })
  t.equal(made.statusCode, 200, made.body)
  const files: { field: string; name: string }[] = made.json().files
  t.equal(files.find(({ field }) => field === 'invoice')?.name, 'Invoice 1.pdf')
  const second = another()
  t.equal((await maria.post('/orders/transitions', { transition_id: step, id: second, board: 1 })).statusCode, 303)
  t.same(statesOf(cabinet), ['invoice 1 issued', `specification ${order + 1000} issued`, 'invoice 2 issued', 'specification 9001 issued'])
  t.equal(orderOf(db, second).status_id, statusId('payment'))
  const undone = await maria.post(`/orders/${second}/undo`, { step: historyOf(cabinet, second)[0]?.id as number })
  t.equal(undone.statusCode, 303)
  db.update(settings).set({ bik: null }).run()
  const refused = await program.post(`/orders/${second}/transitions`, { transition_id: step })
  t.match([refused.statusCode, refused.body], [422, /BIK of the supplier/])
})

t.test('ten orders at once are ten invoices without a file; those that lack something say what, and take no number', async (t) => {
  const cabinet = await start(t)
  const { all, another, db, maria, order, step } = cabinet
  const ids = [order, ...Array.from({ length: 9 }, (_, at) => another('apply', at + 1))]
  const lineless = another('apply', 20)
  db.$client.prepare('delete from order_items where order_id = ?').run(lineless)
  const query = [...ids, lineless].map((id) => `id=${id}`).join('&')
  const asked = await maria.get(`/orders/transitions?${query}&transition_id=${step}`)
  t.equal(elementsOf(asked.body, 'main input[type=file]').length, 0)
  t.match(textOf(asked.body), /10 orders will move\..*#\d+ ?: Its documents cannot be issued yet\. Fill in first: Order lines/)
  t.match(textOf(asked.body), 'Issues: Specification, Invoice')
  const answer = await maria.post('/orders/transitions', { id: [...ids.slice(0, 3), lineless, ...ids.slice(3)], transition_id: step })
  t.equal(answer.statusCode, 200)
  const invoices = all().filter(({ kind }) => kind === 'invoice')
  t.same(
    invoices.map(({ number, order_id, state }) => [number, order_id, state]),
    ids.map((id, at) => [String(at + 1), id, 'issued']),
  )
  t.equal(all().length, 20)
  for (const id of ids) t.equal(orderOf(db, id).status_id, statusId('payment'))
  t.equal(orderOf(db, lineless).status_id, statusId('apply'))
  t.match(textOf(answer.body), /1 order was not moved: .*Order lines/)
  const numbered = readPdf(t, cabinet.bytesOf(invoices[6]?.file ?? '')).text
  t.match(numbered, 'Invoice No. 7')
})

t.test('two selections, one step and one button at once: no number is missing and none is given twice', async (t) => {
  const cabinet = await start(t)
  const { all, another, as, db, cast, maria, move, order, step } = cabinet
  grant(db, cast.clerk, 'document_can_issue')
  const ids = Array.from({ length: 14 }, (_, at) => another('apply', at + 1))
  const clerk = await as('clerk')
  const root = await as('root')
  const shared = ids.slice(0, 8)
  const answers = await Promise.all([
    maria.post('/orders/transitions', { id: shared, transition_id: step }),
    root.post('/orders/transitions', { id: ids.slice(5, 12), transition_id: step }),
    move(),
    clerk.post(`/orders/${ids[12]}/issue`, { kind: 'invoice' }),
    move(ids[13]),
  ])
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [200, 200, 303, 303, 303],
  )
  const serials = all().flatMap(({ serial }) => serial ?? [])
  t.same(
    serials.sort((a, b) => a - b),
    Array.from({ length: 15 }, (_, at) => at + 1),
  )
  for (const id of [...ids.slice(0, 12), order]) {
    t.equal(orderOf(db, id).status_id, statusId('payment'))
    t.equal(all().filter(({ kind, order_id }) => kind === 'invoice' && order_id === id).length, 1)
  }
})

t.test('an order that changes while its documents are made is issued as it is then', async (t) => {
  const cabinet = await start(t)
  const { all, db, move, order, bytesOf } = cabinet
  const moving = move()
  await new Promise((resolve) => setTimeout(resolve, 60))
  db.$client.prepare("update order_items set name = 'Door' where order_id = ?").run(order)
  t.equal((await moving).statusCode, 303)
  t.same(
    all().map(({ serial }) => serial),
    [1, null],
  )
  for (const { file } of all()) t.match(readPdf(t, bytesOf(file)).text, 'Door')
})

t.test('more than fifty orders are refused where documents are issued; elsewhere they move', async (t) => {
  const { db, maria, step, change, cast, ...cabinet } = await start(t)
  const ids = Array.from({ length: 51 }, () =>
    insertOrder({ db, cast, maria, ...cabinet } as never, 'apply', { dealer_id: cast.denis, company_id: cast.companies.alpha }),
  )
  const refused = await maria.post('/orders/transitions', { id: ids, transition_id: step })
  t.match([refused.statusCode, textOf(refused.body)], [422, /Documents are issued with up to 50 orders at a time\./])
  change({ issues: [], required_fields: [] })
  const moved = await maria.post('/orders/transitions', { id: ids, transition_id: step })
  t.match([moved.statusCode, textOf(moved.body)], [200, '51 orders moved'])
})

t.test('a step issues whoever may take it: production what it may see, and whoever sees no prices what they may not', async (t) => {
  const cabinet = await start(t)
  const { all, as, cast, change, db, maria, order, step } = cabinet
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  const made = cabinet.another('production')
  const onward = transitionBetween(cabinet, 'production', 'pickup').id
  change({ required_fields: [], issues: ['delivery_note'] }, onward)
  const pavel = await as('pavel')
  t.equal((await pavel.post(`/orders/${made}/transition`, { transition_id: onward })).statusCode, 303)
  t.match(all(), [{ kind: 'delivery_note', number: '1', amount: null, actor_id: cast.pavel }])
  t.equal((await pavel.get(`/documents/${all()[0]?.id}/file`)).statusCode, 200)
  revoke(db, cast.maria, 'order_can_view_prices')
  const page = await maria.get(`/orders/${order}?transition_id=${step}`)
  t.equal(parseHtml(page.body)('#step input[name=invoice]').length, 0)
  t.equal((await maria.post(`/orders/${order}/transition`, { transition_id: step })).statusCode, 303)
  t.equal((await maria.get(`/documents/${all()[1]?.id}/file`)).statusCode, 403)
  t.notMatch(textOf((await maria.get(`/orders/${order}`)).body), 'Invoice 1.pdf')
})

t.test('documents of a step with renewed prices say these, and nothing is renewed while the step fails', async (t) => {
  const cabinet = await start(t)
  const { all, another, as, cast, change, db, bytesOf } = cabinet
  const placed = another('new')
  const first = transitionBetween(cabinet, 'new', 'apply').id
  change({ issues: ['invoice'] }, first)
  useCatalog(db, { vat: '20' })
  const sill = insertProduct(db, { article: 'S-1', name: 'Sill', category_id: cast.category }, [
    [dayIn(-60), 1_000_00],
    [dayIn(-1), 3_000_00],
  ])
  const written = { product_id: sill, price: 1_000_00, piece_price: 1_000_00, unit: 'pcs', basis: 'each', priced_on: dayIn(-20) } as const
  db.update(orderItems)
    .set({ ...written, category_id: cast.category, price_origin: 'base', vat: '20' })
    .where(eq(orderItems.order_id, placed))
    .run()
  const denis = await as('denis')
  const send = (fields: Fields) => denis.post(`/orders/${placed}/transition`, { transition_id: first, ...fields })
  t.equal((await send({})).statusCode, 422)
  db.update(settings).set({ bank: null }).run()
  t.equal((await send({ prices: 'renew' })).statusCode, 422)
  t.match([orderOf(db, placed), linesOf(db, placed)], [{ cost: 2_000_00, status_id: statusId('new') }, [{ piece_price: 1_000_00 }]])
  db.update(settings).set({ bank: 'A bank' }).run()
  const incoming = join(cabinet.app.config.dataDir, 'files', 'incoming')
  rmSync(incoming, { recursive: true, force: true })
  mkdirSync(join(cabinet.app.config.dataDir, 'files'), { recursive: true })
  writeFileSync(incoming, 'in the way')
  t.ok((await send({ prices: 'renew' })).statusCode >= 500, 'no room for its file')
  t.match([orderOf(db, placed), linesOf(db, placed)], [{ cost: 2_000_00, status_id: statusId('new') }, [{ piece_price: 1_000_00 }]])
  rmSync(incoming)
  t.equal((await send({ prices: 'renew' })).statusCode, 303)
  t.match(all(), [{ kind: 'invoice', number: '1', amount: 6_000_00 }])
  t.equal(all().length, 1)
  t.match(readPdf(t, bytesOf(all()[0]?.file ?? '')).text, '6 000,00')
})

t.test('a transition is told what it issues: previewed, saved, shown in table and diagram', async (t) => {
  const { as, db, step, ...cabinet } = await start(t)
  const root = await as('root')
  const row = (issues: string[]): Fields => ({
    transitions: '',
    'transitions[0][id]': step,
    'transitions[0][child_status_id]': statusId('payment'),
    'transitions[0][manager_can]': 1,
    'transitions[0][issues][]': issues,
  })
  const asked = textOf((await root.post('/status/edit/apply?tab=transitions', { ...row(['invoice', 'offer']), _preview: 1 })).body)
  t.match(asked, /Awaiting signing → Awaiting payment would also issue: Commercial offer\./)
  t.match(asked, /Awaiting signing → Awaiting payment would no longer issue: Specification\./)
  const saved = () => db.select().from(statusTransitions).where(eq(statusTransitions.id, step)).get()?.issues
  t.same(saved(), ['specification', 'invoice'], 'nothing is saved yet')
  t.equal((await root.post('/status/edit/apply', row(['act']))).statusCode, 422)
  t.equal((await root.post('/status/edit/apply', row(['invoice', 'offer']))).statusCode, 303)
  t.same(saved(), ['invoice', 'offer'])
  const page = (await root.get('/statuses')).body
  t.match(page, /<title>[^<]*: manager; issues Invoice, Commercial offer<\/title>/)
  t.match(textOf(page), /Awaiting payment manager Specification, Invoice, Prices of all lines issues Invoice, Commercial offer/)
  const form = await root.get('/status/edit/apply?tab=transitions')
  t.equal(parseHtml(form.body)('[name="transitions[0][issues][]"]').length, 4)
  t.equal((await root.post('/status/edit/apply', { ...row([]), 'transitions[0][issues]': '' })).statusCode, 303)
  t.same(saved(), [])
  const paid = transitionBetween({ ...cabinet, db, as }, 'payment', 'paid').id
  const marked = { 'transitions[0][id]': paid, 'transitions[0][child_status_id]': statusId('paid'), 'transitions[0][when_paid]': 1 }
  const refused = await root.post('/status/edit/payment', { ...row(['delivery_note']), ...marked })
  t.equal(refused.statusCode, 422)
  t.match(errorsOf(refused), { 'transitions.0.when_paid': /cannot be made automatically/ })
})

t.test('an order that moves on by itself once paid issues nothing, and waits for the files that are required', async (t) => {
  const cabinet = await start(t)
  const { all, change, db, as, another } = cabinet
  const waiting = another('payment')
  change({ required_fields: ['specification'], issues: ['specification'] }, transitionBetween(cabinet, 'payment', 'paid').id)
  const root = await as('root')
  const paid = await root.post(`/orders/${waiting}/payments`, { amount: '2000', kind: 'transfer' })
  t.equal(paid.statusCode, 303, textOf(paid.body))
  t.equal(orderOf(db, waiting).status_id, statusId('payment'))
  t.same(all(), [])
  t.match(textOf((await root.get(`/orders/${waiting}`)).body), /Paid, waiting for: Specification/)
  t.equal(
    (await root.post(`/orders/${waiting}/transition`, { transition_id: transitionBetween(cabinet, 'payment', 'paid').id })).statusCode,
    303,
  )
  t.match(all(), [{ kind: 'specification' }], 'whoever makes it issues it')
})
