import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, notifications, orderItems, orders } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { addLine, makeIssuable } from '../support/documents.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { endOfJob } from '../support/jobs.ts'
import { insertEntry, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { readPdf } from '../support/read-pdf.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db, as } = cabinet
  makeIssuable(cabinet)
  const places = { manufacture_id: cast.site, stock_id: cast.stock }
  db.update(companies).set(places).where(eq(companies.id, cast.companies.alpha)).run()
  const other = insertOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  addLine(cabinet, other)
  db.update(orderItems).set({ name: 'A gate' }).where(eq(orderItems.order_id, other)).run()
  const foreign = insertOrder(cabinet, 'production', { dealer_id: cast.daria, company_id: cast.companies.beta })
  const pdf = (answer: Answer) => readPdf(test, answer.rawPayload)
  return { ...cabinet, other, foreign, pdf, maria: await as('maria') }
}

type Started = Awaited<ReturnType<typeof start>>

/** What a job has made of the orders, read as its person downloads it. */
async function printed({ db, pdf, maria }: Started, ids: number[], what: string) {
  const answer = await maria.post('/orders/print', { id: ids.map(String), what })
  if (answer.statusCode !== 303) return answer
  const { id } = await endOfJob({ db }, String(answer.headers.location))
  const notice = db.select().from(notifications).where(eq(notifications.job_id, id)).get()
  const file = await maria.get(`/notifications/${notice?.id}/file`)
  return { name: notice?.file_name, type: file.headers['content-type'], ...pdf(file) }
}

t.test('the order sheet and the work sheet are files that say what their pages say; the work sheet no price', async (t) => {
  const { cast, as, pdf } = await start(t)
  const denis = await as('denis')
  for (const name of ['sheet', 'work-sheet']) {
    const path = `/orders/${cast.order}/${name}`
    const page = parseHtml((await denis.get(path)).body)
    t.equal(page('.sheet-tools a[download]').attr('href'), `${path}?format=pdf`)
    const file = await denis.get(`${path}?format=pdf`)
    t.equal(file.headers['content-type'], 'application/pdf')
    t.match(file.headers['content-disposition'], /^attachment; filename=".*sheet #\d+\.pdf"/)
    const { text, pages } = pdf(file)
    t.equal(pages, 1)
    for (const said of [page('h1').text(), 'Window', 'Quantity']) t.ok(text.includes(said), said)
    if (name === 'sheet') t.match(text, /Makers LLC.*Alpha Windows.*1 000,00 ₽.*2 000,00 ₽/)
    else t.notMatch(text, /₽|\d,\d\d\b/)
  }
  t.equal((await (await as('daria')).get(`/orders/${cast.order}/sheet?format=pdf`)).statusCode, 403)
})

t.test('two documents at a time are made for a person, of all kinds together; others do not wait for that', async (t) => {
  const { cast, as, maria } = await start(t)
  const sheet = `/orders/${cast.order}/sheet?format=pdf`
  const act = `/company/${cast.companies.alpha}/reconciliation?format=pdf`
  const denis = await as('denis')
  const answers = await Promise.all([...[sheet, act, sheet, act].map((path) => denis.get(path)), maria.get(sheet)])
  const [ofMaria, ofDenis] = [answers.at(-1), answers.slice(0, -1)]
  t.equal(ofMaria?.statusCode, 200)
  t.same(ofDenis.map(({ statusCode }) => statusCode).sort(), [200, 200, 429, 429])
  const refused = ofDenis.find(({ statusCode }) => statusCode === 429)
  t.match(refused?.headers['retry-after'], /^\d+$/)
  t.match(textOf(refused?.body ?? ''), /2 documents are being made for you Try again after/)
  t.equal((await denis.get(sheet)).statusCode, 200, 'afterwards there is room again')
})

t.test('two files of many documents at a time are made for a person', async (t) => {
  const started = await start(t)
  const { cast, db, maria } = started
  const print = () => maria.post('/orders/print', { id: String(cast.order), what: 'work_sheets' })
  const answers = [await print(), await print(), await print()]
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [303, 303, 429],
  )
  t.match(answers[2]?.body, '2 documents are being made for you. Try again after')
  for (const { headers } of answers.slice(0, 2)) await endOfJob({ db }, String(headers.location))
  t.equal((await print()).statusCode, 303, 'afterwards there is room again')
})

t.test('selected orders are printed as one file, in the order in which they stand, each on its page', async (t) => {
  const started = await start(t)
  const { cast, other } = started
  const { text, pages, name, type } = (await printed(started, [other, cast.order], 'work_sheets')) as { [key: string]: unknown }
  t.match([pages, type], [2, 'application/pdf'])
  t.match(name, /^work_sheets_\d{8}_\d{6}\.pdf$/)
  t.match(text, new RegExp(`Work sheet #${other}.*A gate.*Work sheet #${cast.order}.*Window`))
  t.notMatch(text, /₽/)
})

t.test('invoices are printed where they are issued and still say what the order does; others are named', async (t) => {
  const started = await start(t)
  const { cast, other, db, maria } = started
  grant(db, cast.maria, 'document_can_issue')
  for (const order of [cast.order, other]) t.equal((await maria.post(`/orders/${order}/issue`, { kind: 'invoice' })).statusCode, 303)
  const { text, pages } = (await printed(started, [cast.order, other], 'invoices')) as { [key: string]: unknown }
  t.equal(pages, 2)
  t.match(text, /Invoice for payment No\. 1,.*Invoice for payment No\. 2,|Invoice No\. 1,.*Invoice No\. 2,/)
  db.update(orders).set({ comment: 'Second floor' }).where(eq(orders.id, other)).run()
  const refused = (await printed(started, [cast.order, other], 'invoices')) as Answer
  t.equal(refused.statusCode, 422)
  const alert = textOf(elementsOf(refused.body, '[role=alert]')[0] ?? '')
  t.match(alert, `#${other}`)
  t.notMatch(alert, `#${cast.order} `)
})

t.test('the selection is asked about before it is printed; who may not see an order prints nothing', async (t) => {
  const { cast, other, foreign, maria, as } = await start(t)
  const page = parseHtml((await maria.get(`/orders/print?id=${other}&id=${cast.order}`)).body)
  t.equal(page('h1').text(), 'Print as PDF: 2 orders')
  t.same(
    page('form [name=what]')
      .toArray()
      .map((button) => page(button).attr('value')),
    ['invoices', 'work_sheets'],
  )
  t.same(
    page('form [name=id]')
      .toArray()
      .map((field) => page(field).attr('value')),
    [String(other), String(cast.order)],
  )
  const pavel = await as('pavel')
  const shown = parseHtml((await pavel.get(`/orders/print?id=${other}`)).body)
  t.equal(shown('form [name=what]').length, 1, 'without prices no invoices')
  t.equal((await pavel.post('/orders/print', { id: String(other), what: 'invoices' })).statusCode, 422)
  t.equal((await maria.post('/orders/print', { id: String(other), what: 'anything' })).statusCode, 422)
  t.equal((await maria.post('/orders/print', { what: 'work_sheets' })).statusCode, 422, 'nothing is selected')
  t.match(page('form [name=once]').attr('value'), /\S/, 'pressed twice it is one job')
  for (const post of [true, false]) {
    const ask = (ids: number[]) => {
      const body = { id: ids.map(String), what: 'work_sheets' }
      return post ? pavel.post('/orders/print', body) : pavel.get(`/orders/print?${ids.map((id) => `id=${id}`).join('&')}`)
    }
    t.equal((await ask([other, foreign])).statusCode, 403)
    t.equal((await ask([other, 9999])).statusCode, 404)
  }
})

t.test('the act of reconciliation is a file with its entries, balances and what is owed in words', async (t) => {
  const { cast, db, as, pdf } = await start(t)
  insertEntry(db, cast.companies.alpha, { amount: -300_00, date: '2026-01-10', note: 'By hand' })
  payOrder(db, cast.order, 100_00, '2026-01-15')
  const path = `/company/${cast.companies.alpha}/reconciliation?from=2026-01-01&until=2026-01-31`
  const denis = await as('denis')
  t.ok(parseHtml((await denis.get(path)).body)(`.sheet-tools a[href="${path}&format=pdf"]`).length)
  const { text } = pdf(await denis.get(`${path}&format=pdf`))
  t.match(
    text,
    /Act of reconciliation.*01\.01\.2026.*Opening balance.*10\.01\.2026.*300,00 ₽.*By hand.*15\.01\.2026.*100,00 ₽.*Closing balance/,
  )
  t.match(text, /Owed on 31\.01\.2026: 200,00 ₽ \(Two hundred rubles.*Debtor: Alpha Windows.*Creditor: Makers LLC/)
  t.equal((await (await as('daria')).get(`${path}&format=pdf`)).statusCode, 403)
})

t.test('a company lists its documents', async (t) => {
  const { cast, db, maria } = await start(t)
  grant(db, cast.maria, 'document_can_issue')
  await maria.post(`/orders/${cast.order}/issue`, { kind: 'invoice' })
  const tab = async (company: number) =>
    parseHtml((await maria.get(`/company/edit/${company}?tab=documents`)).body)('#documents tbody tr[id], [id^=documents-]').length
  t.ok((await tab(cast.companies.alpha)) > 0)
})
