import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import threads from 'node:worker_threads'
import { parse } from 'csv-parse/sync'
import { eq } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { companies, jobs, ledgerEntries, notifications, orders, recordViews, users } from '../../src/database/schema/index.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { sweepUploads } from '../../src/records/sweep-uploads.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { insertDocument } from '../support/documents.ts'
import { addressOf } from '../support/every-page.ts'
import { attributesOf, elementsOf, tagsOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { endOfJob, insertJob, until } from '../support/jobs.ts'
import { insertPayment } from '../support/ledger.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertProduct } from '../support/products.ts'

const author = { id: null, name: 'Test' }

t.test('every list is exported as xlsx and csv with the rows and the sort order of the screen', async (t) => {
  exportInProcess(t)
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: 'smtp://127.0.0.1:1' } })
  const { app, as, db, cast } = cabinet
  createNews(db, { name: 'New prices', description: '<p>From <b>May</b>.</p>', published: true }, author)
  insertProduct(db, { article: 'Panel 1' })
  insertDocument(cabinet)
  for (const amount of [100, 200]) {
    insertPayment(db, cast.order, { amount })
    db.insert(ledgerEntries)
      .values({ company_id: cast.companies.alpha, kind: 'correction', amount, date: '2026-01-15', at: Date.now(), actor_name: 'Root Olga' })
      .run()
  }
  const root = await as('root')
  notifyRecipients(cabinet, [cast.denis, cast.maria, cast.root])
  t.equal((await root.post('/companies/delete', { id: String(cast.companies.nobodys) })).statusCode, 303, 'something is deleted')
  insertJob(db, cast.root)
  const who = { user_id: cast.root, user_name: 'Root Olga', address: '127.0.0.1' }
  db.insert(recordViews)
    .values({ ...who, kind: 'orders', record_id: cast.order, label: '#1', at: Date.now() })
    .run()
  const lists = app.routeTable.filter(isExport).map(({ url }) => addressOf(url, cast).replace('/export', ''))
  t.ok(lists.length >= 15, lists.join(' '))
  const workbooks = ['/orders', '/companies', '/activity']
  const act = `/company/${cast.companies.alpha}/reconciliation`
  const withoutIds = ['/security-log', '/ledger', '/ledger/balances', act]
  for (const list of lists) {
    const shown = idsOf(await root.get(`${list}?size=all`))
    if (list !== act) t.ok(shown.length > 0, `${list} has rows`)
    const csv = readCsv(await root.get(`${list}/export?format=csv`))
    const rows = csv.slice(1).map(([id]) => Number(id))
    if (list === '/ledger') t.equal(rows.length, shown.length, list)
    if (!withoutIds.includes(list)) t.same(rows, shown, list)
    for (const query of withoutIds.includes(list) ? [] : ['q=an&dir=asc&sort=name']) {
      const found = idsOf(await root.get(`${list}?${query}&size=all`))
      const exported = readCsv(await root.get(`${list}/export?format=csv&${query}`)).slice(1)
      t.same(
        exported.map(([id]) => Number(id)),
        found,
        `${list}?${query}`,
      )
    }
    if (!workbooks.includes(list)) continue
    const xlsx = await readXlsx(await root.get(`${list}/export`))
    t.same(xlsx[0], csv[0], `${list}: the same columns`)
    t.same(
      xlsx.slice(1).map(([id]) => Number(id)),
      shown,
      `${list} as xlsx`,
    )
  }
})

t.test('every list is exported as it is searched and sorted', async (t) => {
  exportInProcess(t)
  const { app, as, cast } = await startCabinet(t)
  const root = await as('root')
  for (const route of app.routeTable.filter(isExport)) {
    const url = addressOf(route.url, cast)
    const page = await root.get(url.replace('/export', ''))
    const keys = tagsOf(page.body, 'th').flatMap((header) => header['data-col'] ?? [])
    for (const query of ['q=1', 'q=order', ...keys.map((key) => `sort=${key}&dir=asc`)])
      t.equal((await root.get(`${url}?format=csv&${query}`)).statusCode, 200, `${url}?${query}`)
  }
})

t.test('an export of ticked rows has these rows only, those that one may not see are none', async (t) => {
  exportInProcess(t)
  const { as, cast } = await startCabinet(t)
  const { alpha, beta, nobodys } = cast.companies
  const exported = async (name: 'admin' | 'maria', query: string) =>
    readCsv(await (await as(name)).get(`/companies/export?format=csv&${query}`))
      .slice(1)
      .map(([id]) => Number(id))
  t.same(await exported('admin', `id=${alpha}&id=${nobodys}`), [nobodys, alpha], 'in the order of the list')
  t.same(await exported('admin', `id=${alpha}&id=${beta}&q=alpha`), [alpha])
  t.same(await exported('admin', `id=${alpha}&all=1`), [nobodys, beta, alpha], 'all results are all')
  t.same(await exported('admin', 'q=alpha'), [alpha])
  t.same(await exported('maria', `id=${alpha}&id=${beta}`), [alpha])
  t.same(await exported('maria', `id=${beta}`), [])
  t.same(await exported('maria', ''), [alpha])
})

t.test("an export has the columns chosen on the screen, in the user's language", async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const [headers, ...rows] = readCsv(
    await admin.get('/companies/export?format=csv&cols=updated_at&q=alpha', { 'accept-language': 'ru' }),
    ';',
  )
  const moment = /^\d\d\.\d\d\.\d{4} \d\d:\d\d$/
  t.same(headers, ['ID', 'Организация', 'Менеджер', 'Открытые заказы', 'Сальдо', 'Просроченный долг', 'Последний заказ', 'Изменено'])
  t.match(rows, [[/^\d+$/, 'Alpha Windows', 'Petrova Maria Ivanovna', '1', '0', '0', moment, moment]])
})

t.test('columns of times are dates in every spreadsheet, amounts are numbers, statuses have their names', async (t) => {
  exportInProcess(t)
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: 'smtp://127.0.0.1:1' } })
  const { app, as, db, cast } = cabinet
  const known = { cost: 12_345_67, date_make: '2026-03-04', status_since: Date.UTC(2026, 2, 1, 12) }
  db.update(orders).set(known).where(eq(orders.id, cast.order)).run()
  notifyRecipients(cabinet, [cast.root])
  const root = await as('root')
  await root.post('/companies/delete', { id: String(cast.companies.nobodys) })
  for (const route of app.routeTable.filter(isExport)) {
    const url = addressOf(route.url, cast)
    const list = url.replace('/export', '')
    const hidden = attributesIn((await root.get(list)).body, `id="${list.slice(1)}-column-`)
    const [headers = [], ...rows] = await readXlsx(await root.get(`${url}?cols=${hidden.join()}`))
    for (const row of rows)
      for (const [column, cell] of row.entries()) t.notOk(Number(cell) > 1e11 && !isDate(cell), `${url}: ${headers[column]} is ${cell}`)
  }
  const [headers = [], ...exported] = await readXlsx(await root.get('/orders/export?cols=date_make,since', { 'accept-language': 'ru' }))
  const row = exported.find(([id]) => Number(id) === cast.order) ?? []
  const cells = Object.fromEntries(headers.map((header, column) => [header, row[column]]))
  t.match(cells, { Стоимость: 12345.67, Статус: 'Новый', 'Дата изготовления': new Date('2026-03-04') })
  t.ok(isDate(cells['В статусе с']))
})

t.test('csv is written as spreadsheet programs read it where its reader lives', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const known = { cost: 12_345_67, date_make: '2026-03-04', created_at: new Date(2026, 2, 1, 9, 5).getTime() }
  db.update(orders).set(known).where(eq(orders.id, cast.order)).run()
  const root = await as('root')
  const inLanguage = async (language: string) =>
    (await root.get('/orders/export?format=csv&cols=date_make', { 'accept-language': language })).body
  const [english, russian] = [await inLanguage('en'), await inLanguage('ru')]
  t.match(english, /,New,12345\.67,2026-03-01 09:05,2026-03-04\r\n/)
  t.match(russian, /;Новый;"12345,67";01\.03\.2026 09:05;04\.03\.2026\r\n/)
  t.match(russian, /^\ufeffID;№\sспец\.;/)
})

t.test('a long export waits in the inbox of its user for a day', async (t) => {
  const { app, as, db, cast, newBrowser } = await startCabinet(t)
  const admin = await as('admin')
  const waited = app.timeouts.export
  app.timeouts.export = 0
  const left = await admin.get('/companies/export?format=csv&q=alpha', { referer: 'http://localhost/companies?q=alpha' })
  t.match(left, { statusCode: 303, headers: { location: '/companies?q=alpha' } })
  t.match((await admin.get('/companies?q=alpha')).body, 'A link to the spreadsheet will be in your notifications.')
  await endOfJob({ db })
  const notice = db.select().from(notifications).where(eq(notifications.event, 'export-ready')).get()
  t.match(notice, { user_id: cast.admin, file_name: /^companies_export_.*\.csv$/ })
  const path = `/notifications/${notice?.id}/file`
  for (const place of ['/notifications', '/notifications/latest']) t.match((await admin.get(place)).body, `href="${path}"`, place)
  const file = await admin.get(path)
  t.match(file.headers['content-disposition'], notice?.file_name)
  t.equal(readCsv(file)[1]?.[1], 'Alpha Windows')
  t.equal((await admin.get(path)).statusCode, 200, 'as often as they like')
  t.equal((await (await as('root')).get(path)).statusCode, 403)
  db.update(notifications).set({ user_id: cast.maria }).run()
  t.equal((await (await as('maria')).get(path)).statusCode, 200)
  const impersonator = newBrowser()
  await impersonator.post('/login', { email: emailOf('root'), password })
  await impersonator.post(`/impersonate/${cast.maria}`)
  t.equal((await impersonator.get('/notifications')).statusCode, 200)
  t.equal((await impersonator.get(path)).statusCode, 403, 'nobody reads it in their name')
  db.update(notifications).set({ user_id: cast.admin }).run()
  const stored = join(app.config.dataDir, 'files/incoming', String(notice?.file))
  utimesSync(stored, 0, 0)
  await sweepUploads(app)
  t.equal((await admin.get(path)).statusCode, 410)
  app.timeouts.export = waited
})

t.test('an export that the end of the service interrupts is made after its next start', async (t) => {
  const { app, as, db, cast } = await startCabinet(t, { anew: true })
  const admin = await as('admin')
  app.timeouts.export = 0
  t.equal((await admin.get('/companies/export?format=csv&q=alpha')).statusCode, 303)
  await app.close()
  t.match(db.select().from(jobs).get(), { kind: 'export', list: 'companies', state: /waiting|running/ })
  t.same(db.select().from(notifications).all(), [], 'nobody is told yet')
  const restarted = await buildApp({ config: app.config, db })
  await restarted.ready()
  t.equal(restarted.timeouts.export, 5_000, 'nobody waits longer for one')
  t.match(await endOfJob({ db }), { state: 'done', done: 1, total: 1 })
  const [notice, ...others] = db.select().from(notifications).all()
  t.same(others, [])
  t.match(notice, { user_id: cast.admin, event: 'export-ready', file_name: /^companies_export_.*\.csv$/ })
  t.match(readFileSync(join(app.config.dataDir, 'files/incoming', String(notice?.file)), 'utf8'), 'Alpha Windows')
  await restarted.close()
})

t.test('how far a long export is stands where it was asked for; its file is only for who asked', async (t) => {
  const { app, as, db } = await startCabinet(t)
  const [admin, root, roman] = [await as('admin'), await as('root'), await as('roman')]
  const waited = app.timeouts.export
  app.timeouts.export = 0
  await admin.get('/companies/export', { referer: 'http://localhost/companies' })
  const [shown = ''] = elementsOf((await admin.get('/companies')).body, '.flash [hx-get]')
  const address = attributesOf(shown)['hx-get'] ?? ''
  t.match(address, /^\/jobs\/\d+$/)
  t.match(shown, `href="${address}"`, 'without scripts a link')
  t.equal(elementsOf((await admin.get(address, htmx)).body, 'h1').length, 0, 'within another page it has no heading of its own')
  await endOfJob({ db }, address)
  const file = /\/notifications\/\d+\/file/
  t.match((await admin.get(address)).body, file)
  t.match((await root.get(address)).statusCode, 200)
  t.notMatch((await root.get(address)).body, file)
  t.equal((await roman.get(address)).statusCode, 403)
  app.timeouts.export = waited
})

t.test('an export that is stopped is not made, and one whose person may no longer act fails', async (t) => {
  const { app, as, db, cast } = await startCabinet(t, { anew: true })
  const [admin, root] = [await as('admin'), await as('root')]
  app.timeouts.export = 0
  await admin.get('/companies/export')
  const { id } = db.select().from(jobs).get() ?? {}
  t.equal((await root.post(`/jobs/${id}/stop`)).statusCode, 303)
  await until(() => app.jobs.awaited.size === 0)
  t.match(db.select().from(jobs).get(), { state: 'stopped' })
  t.match(db.select().from(notifications).all(), [{ event: 'job-stopped', file: null }])
  const incoming = join(app.config.dataDir, 'files/incoming')
  await until(() => !existsSync(incoming) || readdirSync(incoming).length === 0)
  db.update(users).set({ active: false }).where(eq(users.id, cast.admin)).run()
  t.equal((await root.post(`/jobs/${id}/retry`)).statusCode, 303)
  t.match(await endOfJob({ db }), { state: 'failed', problem: ['The account of whoever started this is no longer active.'] })
  t.match(db.select().from(notifications).all(), [{ event: 'job-stopped' }, { event: 'export-failed', file: null }])
  db.update(users).set({ active: true }).where(eq(users.id, cast.admin)).run()
  await root.post(`/jobs/${id}/retry`)
  t.match(await endOfJob({ db }), { state: 'done', problem: null })
})

t.test('the change history is exported with what has changed, in words', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  await root.post(`/stocks/edit/${cast.stock}`, { name: 'North' })
  const [headers, newest] = readCsv(await root.get('/activity/export?format=csv'))
  t.same(headers, ['ID', 'When', 'Who', 'Impersonation', 'IP address', 'Type', 'Record', 'Action', 'Fields'])
  t.match(newest, [/^\d+$/, /^\d{4}-/, /./, '', '127.0.0.1', 'Warehouses', 'North', 'Updated', /^Warehouse name: North stock → North$/])
})

t.test('people in the exported change history are of their kind, and those who are gone are people', async (t) => {
  exportInProcess(t)
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  await root.post(`/managers/edit/${cast.maria}`, { tg_id: '@maria' })
  await root.post('/dealers/delete', { id: String(cast.daria) })
  const rows = readCsv(await root.get('/activity/export?format=csv', { 'accept-language': 'ru' }), ';').slice(1, 4)
  t.same(
    rows.map(([, , , , , type, record, action, fields]) => [type, record, action, fields?.split('\n').at(-1)]),
    [
      ['Пользователи', 'Королёва Дарья', 'Удалено', 'Доступ включён: Да → Нет'],
      ['Менеджеры', 'Petrova Maria Ivanovna', 'Изменено', 'Telegram: — → @maria'],
      ['Дилеры', 'Inactive Ivan', 'Создано', 'Просмотр товаров: Нет → Да'],
    ],
  )
})

t.test('what was deleted is exported in the words of its reader', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  await root.post('/dealers/delete', { id: [cast.denis, cast.daria].map(String) })
  await root.post('/orders/delete', { id: String(cast.order) })
  const [headers, ...rows] = readCsv(await root.get('/bin/export?format=csv', { 'accept-language': 'ru' }), ';')
  t.same(headers, ['ID', 'Удалено', 'Тип', 'Кто удалил', 'Когда', 'Хранится до'])
  t.match(rows, [
    [/^\d+$/, `№\u00a0${cast.order}`, 'Заказы', 'Root Olga', /^\d\d\.\d\d\.\d{4} \d\d:\d\d$/, /^\d\d\.\d\d\.\d{4} /],
    [/^\d+$/, /^\S+ \S+ и\sещё\s1$/, 'Дилеры', 'Root Olga'],
  ])
})

t.test('products are exported with all their prices, for dealers with their own', async (t) => {
  exportInProcess(t)
  const { as, db, cast } = await startCabinet(t)
  const product = { article: 'A-1', category_id: cast.category, basis: 'area', unit: 'm2', minimum: 50, width_max: 900 } as const
  insertProduct(db, product, [
    ['2026-01-01', 1_200_50],
    ['2099-01-01', 1_300_00],
  ])
  db.update(companies).set({ discount: 10 }).where(eq(companies.id, cast.companies.alpha)).run()
  const exported = async (name: 'root' | 'denis') => {
    const [headers = [], row = []] = readCsv(await (await as(name)).get('/products/export?format=csv'))
    return Object.fromEntries(headers.map((header, at) => [header, row[at]]))
  }
  t.match(await exported('root'), {
    Article: 'A-1',
    Category: 'Windows',
    Unit: 'm²',
    'Price basis': 'Per square meter',
    'Minimum charged': '0,5',
    'Largest width, mm': '900',
    Price: '1200.5',
    Prices: '2026-01-01: 1200,50; 2099-01-01: 1300,00',
    'For sale': 'Yes',
  })
  const own = await exported('denis')
  t.match(own, { Article: 'A-1', Unit: 'm²', 'Your price': '1080.45' })
  t.notOk('Prices' in own || 'Minimum charged' in own)
})

t.test('the threads of exports read and describe all rows without asking the service', async (t) => {
  const { app, as, db, cast } = await startCabinet(t)
  insertProduct(db, { article: 'Panel 1' })
  const root = await as('root')
  await root.post('/companies/delete', { id: String(cast.companies.nobodys) })
  const asked: unknown[] = []
  countMessages(t, asked)
  for (const { url } of app.routeTable.filter(isExport))
    t.equal((await root.get(`${addressOf(url, cast)}?format=csv`)).statusCode, 200, url)
  t.same(asked.filter(Array.isArray), [], 'they tell only how far they are')
})

t.test('csv cells that a spreadsheet would compute are escaped, phone numbers are not', async (t) => {
  const { as, db } = await startCabinet(t)
  const names = ['=1+1', '@SUM(A1)', '+cmd', '-x', '+7 900', '-5', 'a "quoted", name\nin two lines']
  for (const org of names) db.insert(companies).values({ org }).run()
  const admin = await as('admin')
  const found = readCsv(await admin.get('/companies/export?format=csv&sort=org')).map(([, org]) => org)
  for (const org of ["'=1+1", "'@SUM(A1)", "'+cmd", "'-x", '+7 900', '-5', 'a "quoted", name\nin two lines']) t.ok(found.includes(org), org)
})

t.test('a manager exports only their own companies, and a dealer none (403)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.update(users).set({ active: true }).run()
  const rows = readCsv(await (await as('maria')).get('/companies/export?format=csv')).slice(1)
  t.same(
    rows.map(([id]) => Number(id)),
    [cast.companies.alpha],
  )
  t.equal((await (await as('denis')).get('/companies/export')).statusCode, 403)
})

/** Notes what threads ask the service for. */
function countMessages({ teardown }: Pick<typeof t, 'teardown'>, asked: unknown[]): void {
  const { Worker } = threads
  const replace = (worker: typeof Worker) => {
    threads.Worker = worker
    syncBuiltinESMExports()
  }
  replace(
    class extends Worker {
      constructor(...made: ConstructorParameters<typeof Worker>) {
        super(...made)
        this.on('message', (message) => asked.push(message))
      }
    },
  )
  teardown(() => replace(Worker))
}

function isExport({ method, url }: { method: string; url: string }): boolean {
  return method === 'GET' && url.endsWith('/export')
}

function idsOf(answer: Answer): number[] {
  return elementsOf(answer.body, 'tr[id]').map((row) => Number(attributesOf(row).id?.split('-').at(-1)))
}

/** What follows this in the page, up to the quotation mark. */
function attributesIn(page: string, beginning: string): string[] {
  return page
    .split(beginning)
    .slice(1)
    .map((rest) => rest.split('"', 1)[0] as string)
}

const isDate = (cell: unknown) => cell instanceof Date

async function readXlsx(answer: Answer): Promise<string[][]> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(answer.rawPayload as never)
  const table: string[][] = []
  workbook.worksheets[0]?.eachRow((row) => table.push((row.values as string[]).slice(1)))
  return table
}

function readCsv(answer: Answer, delimiter = ','): string[][] {
  return parse(answer.body, { bom: true, delimiter })
}
