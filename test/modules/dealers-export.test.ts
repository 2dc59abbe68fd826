import { eq } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import t from 'tap'
import { users } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { insertDealer, insertDealers } from '../support/dealers.ts'
import { idsOf } from '../support/html.ts'

type Sheet = { headers: unknown[]; rows: ExcelJS.CellValue[][] }

async function readSheet(answer: Answer): Promise<Sheet> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(answer.rawPayload as never)
  const table: ExcelJS.CellValue[][] = []
  workbook.worksheets[0]?.eachRow((row) => table.push((row.values as ExcelJS.CellValue[]).slice(1)))
  return { headers: table[0] ?? [], rows: table.slice(1) }
}

t.test('the dealer list is exported as a spreadsheet', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const admin = await as('admin')

  t.test('the dealer export is an xlsx file with a dated name and the columns of the specification', async (t) => {
    const answer = await admin.get('/dealers/export')
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['content-type'], 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    t.match(String(answer.headers['content-disposition']), /^attachment; filename="?dealers_export_\d{8}_\d{6}\.xlsx"?$/)
    t.match(String(answer.headers['cache-control']), /no-store/)
    const { headers, rows } = await readSheet(answer)
    t.same(headers, ['ID', 'Company', 'Name', 'Lastname', 'Manager', 'Active', 'Created'])
    t.equal(rows.length, 5)
  })

  t.test('the dealer export has the values of the list, with numbers as numbers and dates as dates', async (t) => {
    db.update(users)
      .set({ created_at: new Date(2026, 2, 4, 15, 6, 7).getTime() })
      .where(eq(users.id, cast.denis))
      .run()
    const { rows } = await readSheet(await admin.get('/dealers/export?q=denisov'))
    const [id, company, name, lastname, manager, active, created] = rows[0] ?? []
    t.same([id, company, name, lastname, manager], [cast.denis, 'Alpha Windows', 'Denis', 'Denisov', 'Petrova Maria Ivanovna'])
    t.equal(active, 'Yes')
    t.ok(created instanceof Date)
    t.equal((created as Date).toISOString().slice(0, 16), '2026-03-04T15:06', 'by the clock of the service')
    const [ivan] = (await readSheet(await admin.get('/dealers/export?q=inactive'))).rows
    t.equal(ivan?.[5], 'No')
  })

  t.test('the dealer export keeps the search, the sort order and the scope of the list, and includes every page', async (t) => {
    insertDealers(cabinet, 30)
    // Text is written faster, and holds the same records.
    const ids = async (query: string, browser = admin) => {
      const { body } = await browser.get(`/dealers/export?format=csv&${query}`)
      return [...body.matchAll(/^(\d+)[;,]/gm)].map(([, id]) => Number(id))
    }
    const listed = async (query: string, browser = admin) => idsOf(await browser.get(`/dealers?${query}&size=all`), 'dealers')
    for (const query of [
      '',
      'q=planted',
      'q=ёлка',
      'sort=company&dir=asc',
      'sort=created_at&dir=asc',
      'q=nothing at all'.replaceAll(' ', '+'),
    ])
      t.same(await ids(`${query}&page=2&size=25`), await listed(query), query)
    const mikhail = await as('mikhail')
    t.same(await ids('', mikhail), await listed('', mikhail))
    t.equal((await ids('', mikhail)).length, 2)
    for (const name of ['plain', 'denis'] as const) t.equal((await (await as(name)).get('/dealers/export')).statusCode, 403, name)
  })

  t.test('a name that looks like a formula is exported as text', async (t) => {
    const odd = ['=1+1', '+7', '-1', '@SUM(A1)', '=HYPERLINK("http://evil.example")', '\t=1']
    const planted = odd.map((lastname) => insertDealer(cabinet, { lastname, name: 'Formula' }))
    const { rows } = await readSheet(await admin.get('/dealers/export?q=formula'))
    for (const [index, id] of planted.entries()) t.equal(rows.find((row) => row[0] === id)?.[3], odd[index], `${odd[index]}`)
  })

  t.test('characters that a spreadsheet cannot hold do not break the dealer export', async (t) => {
    const id = insertDealer(cabinet, { lastname: 'Bell\u0007 & <b> \uD83D\uDE00', name: 'Strange' })
    const { rows } = await readSheet(await admin.get('/dealers/export?q=strange'))
    t.equal(rows[0]?.[0], id)
    t.match(rows[0]?.[3], /Bell.* & <b>/)
  })

  t.test('an export of 5,000 dealers does not block other requests', async (t) => {
    db.$client.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
      insert into users (group_id, email, password, name, lastname, company_id, manager_id, search)
      select 2, 'bulk' || i || '@example.com', 'x', 'Bulk', 'Number ' || i, ${cast.companies.alpha}, ${cast.maria}, 'number ' || i || ' bulk' from n`)
    let done = false
    const exporting = admin.get('/dealers/export?q=bulk').then((answer) => {
      done = true
      return answer
    })
    let served = 0
    for (const maria = await as('maria'); !done && served < 3; served++) t.equal((await maria.get('/healthz')).statusCode, 200)
    t.equal(served, 3)
    t.equal(done, false, 'while it was still being written')
    const { rows } = await readSheet(await exporting)
    t.equal(rows.length, 5000)
    t.equal(new Set(rows.map((row) => row[0])).size, 5000)
  })
})
