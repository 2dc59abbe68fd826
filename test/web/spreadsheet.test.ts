import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import ExcelJS from 'exceljs'
import t from 'tap'
import { incomingFolder } from '../../src/http/uploads/folder.ts'
import type { Cell } from '../../src/records/spreadsheet/csv.ts'
import { writeSpreadsheet } from '../../src/records/spreadsheet/write.ts'
import { startCabinet } from '../support/cabinet.ts'

const folder = mkdtempSync(join(tmpdir(), 'spreadsheet-'))
t.teardown(() => rmSync(folder, { recursive: true }))

const nobodyLeft = () => new AbortController().signal
const query = (sql: string, ...params: unknown[]) => ({ sql, params })

t.test('a thread writes query results to a spreadsheet', async (t) => {
  const { db } = await startCabinet(t)
  const job = (rows: string, ids = 'select id from policies order by id desc limit 3') => ({
    database: db.$client.name,
    name: 'R&D "x"',
    columns: [
      { header: 'Id', width: 10 },
      { header: '<Key>', width: 40 },
      { header: 'When', width: 18, kind: 'moment' as const },
    ],
    format: 'xlsx' as const,
    language: 'en' as const,
    ids: query(ids),
    load: loading(rows, 'x', ' '),
  })
  const loading =
    (rows: string, ...params: unknown[]) =>
    (wanted: number[]) =>
      db.$client
        .prepare(
          `select record.* from json_each(?) as wanted cross join (${rows}) as record on record.id = wanted.value order by wanted.key`,
        )
        .raw()
        .all(JSON.stringify(wanted), ...params.slice(0, rows.split('?').length - 1)) as Cell[][]
  const good = () => job('select id, ? || key || ? as key, iif(id % 2, 0, null) as at from policies')

  t.test('a spreadsheet has rows in order, a frozen bold header, widths, dates and blanks', async (t) => {
    const sheet = await read(await writeSpreadsheet(good(), folder, nobodyLeft()))
    t.equal(sheet.name, 'R&D "x"')
    t.match(sheet.views, [{ state: 'frozen', ySplit: 1 }])
    t.same(sheet.getRow(1).values, [undefined, 'Id', '<Key>', 'When'])
    t.ok(sheet.getCell('A1').font?.bold)
    t.notOk(sheet.getCell('A2').font?.bold)
    t.same(
      [1, 2, 3].map((column) => sheet.getColumn(column).width),
      [10, 40, 18],
    )
    const expected = db.$client.prepare('select id, key from policies order by id desc limit 3').all() as { id: number; key: string }[]
    for (const [index, { id, key }] of expected.entries()) {
      const [first, second, third] = ['A', 'B', 'C'].map((column) => sheet.getCell(`${column}${index + 2}`))
      t.same([first?.value, second?.value], [id, `x${key} `])
      if (id % 2) t.equal(third?.numFmt, 'dd.mm.yyyy hh:mm')
      t.same(third?.value, id % 2 ? new Date(-new Date(0).getTimezoneOffset() * 60_000) : null)
    }
    t.equal(sheet.rowCount, 4)
  })

  t.test('the thread selects rows by itself, in order, and writes their values as they are shown', async (t) => {
    const own = {
      ...job(''),
      columns: [
        { header: 'Id', width: 10, fields: [1] },
        { header: 'Name', width: 10, fields: [2, 3, 4] },
        { header: 'Active', width: 10, fields: [5], words: new Map([['1', 'Yes']]) },
        { header: 'Day', width: 10, fields: [6], kind: 'date' as const },
        { header: 'Cost', width: 10, fields: [7], kind: 'money' as const, numFmt: '0.00' },
        { header: 'When', width: 10, fields: [8], kind: 'moment' as const },
      ],
      ids: query('select value from json_each(?)', '[3, 999999, 1]'),
      load: undefined,
    }
    const sql = `select ? as text, id, 'Last', '', 'Middle', id = 1, iif(id = 1, '2026-03-04', null), 123456, 0 from policies
      where id in (select value from json_each(?))`
    const rows = { sql, params: ['x', null], ids: 1, id: 1 }
    const sheet = await read(await writeSpreadsheet({ ...own, rows }, folder, nobodyLeft()))
    const moment = new Date(-new Date(0).getTimezoneOffset() * 60_000)
    t.same(sheet.getRow(2).values, [undefined, 3, 'Last Middle', 0, undefined, 1234.56, moment])
    t.ok(sheet.getCell('D3').value instanceof Date)
    t.same(sheet.getRow(3).values, [undefined, 1, 'Last Middle', 'Yes', new Date('2026-03-04'), 1234.56, moment])
    t.same([sheet.getCell('D3').numFmt, sheet.getCell('E3').numFmt], ['dd.mm.yyyy', '0.00'])
    t.equal(sheet.rowCount, 3)
  })

  t.test('a spreadsheet may have more columns than the alphabet has letters', async (t) => {
    const names = Array.from({ length: 60 }, (_, index) => `column ${index + 1}`)
    const wide = {
      ...job('', 'select id from policies where id = 1'),
      columns: names.map((header) => ({ header, width: 10 })),
      load: loading(`select id, ${names.slice(1).map((name) => `'${name}'`)} from policies`),
    }
    const sheet = await read(await writeSpreadsheet(wide, folder, nobodyLeft()))
    t.same(sheet.getRow(1).values, [undefined, ...names])
    t.same(sheet.getRow(2).values, [undefined, 1, ...names.slice(1)])
  })

  t.test('records deleted meanwhile are left out of a spreadsheet', async (t) => {
    const sheet = await read(
      await writeSpreadsheet(
        job('select id, ? || ? as key, 0 as at from policies', "select value from json_each('[1, 999999, 2]')"),
        folder,
        nobodyLeft(),
      ),
    )
    t.same(sheet.getColumn(1).values.slice(2), [1, 2])
  })

  t.test('the spreadsheet thread cannot change the database, whatever query it gets', async (t) => {
    await t.rejects(writeSpreadsheet(job('select 1', 'delete from policies returning id'), folder, nobodyLeft()), /readonly/)
  })

  t.test('failed and aborted spreadsheets leave no files and do not block others', async (t) => {
    const begun = new AbortController()
    const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000) select 1 from n'
    const waiting = [
      writeSpreadsheet(job('select nowhere'), folder, nobodyLeft()).catch((error: Error) => error.message),
      writeSpreadsheet({ ...good(), ids: query(endless) }, folder, begun.signal),
      writeSpreadsheet(good(), folder, AbortSignal.abort()),
      writeSpreadsheet(good(), folder, nobodyLeft()),
    ]
    await waiting[0]
    await pause(300)
    begun.abort()
    const [failed, ended, unwanted, last] = await Promise.all(waiting)
    t.match(failed, /no such column: nowhere/)
    t.equal(ended, undefined)
    t.equal(unwanted, undefined)
    t.equal((await read(last)).rowCount, 4)
    t.same(readdirSync(folder), [], 'what was read is removed, of the others nothing is left')
  })
})

async function read(path: string | undefined): Promise<ExcelJS.Worksheet> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.readFile(String(path))
  rmSync(String(path))
  return workbook.worksheets[0] as ExcelJS.Worksheet
}

t.test('an export over HTTP', async (t) => {
  const log: string[] = []
  const { app, as } = await startCabinet(t, { log })
  const admin = await as('admin')

  t.test('an export whose client disconnects is not logged as an error', async (t) => {
    await app.listen({ port: 0, host: '127.0.0.1' })
    const cookie = [...admin.cookies].map((pair) => pair.join('=')).join('; ')
    const leaving = new AbortController()
    const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/dealers/export`
    app.server.once('request', () => leaving.abort())
    await t.rejects(fetch(address, { headers: { cookie }, signal: leaving.signal }), { name: 'AbortError' })
    t.equal((await admin.get('/dealers/export')).statusCode, 200)
    t.notMatch(log.join(''), /failed/)
  })

  t.test('an export that fails shows an error page and is logged', async (t) => {
    app.db.$client.exec('alter table companies rename column org to was')
    const answer = await admin.get('/dealers/export')
    t.equal(answer.statusCode, 500)
    t.match(answer.headers['content-type'], /html/)
    t.match(log.join(''), /request failed/)
    t.same(readdirSync(incomingFolder(app.config.dataDir)), [])
  })
})
