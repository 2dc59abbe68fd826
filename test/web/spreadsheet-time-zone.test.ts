import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import ExcelJS from 'exceljs'
import t from 'tap'
import { writeWorkbook } from '../../src/records/spreadsheet/workbook.ts'
import { setTimeZone } from '../support/time-zone.ts'

// Whatever clock the machine has, this file looks at one that is never that of Greenwich, and at one that changes in summer.
/** The time of a cell that holds this moment; spreadsheets know no time zone, and ExcelJS reads them as Greenwich. */
async function shown(moment: string): Promise<string> {
  const stream = new PassThrough()
  const content = buffer(stream)
  await writeWorkbook(stream, [
    { name: 'Dealers', columns: [{ header: 'When', width: 18, kind: 'moment' }], batches: [[[Date.parse(moment)]]] },
  ])
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load((await content) as never)
  const value = workbook.worksheets[0]?.getCell('A2').value
  return value instanceof Date ? value.toISOString() : `no date: ${value}`
}

for (const [zone, moment, clock] of [
  ['Asia/Vladivostok', '2026-03-01T20:30:00Z', '2026-03-02T06:30:00.000Z'],
  ['America/New_York', '2026-01-15T03:00:00Z', '2026-01-14T22:00:00.000Z'],
  ['America/New_York', '2026-07-15T03:00:00Z', '2026-07-14T23:00:00.000Z'],
  ['UTC', '2026-07-15T03:00:00Z', '2026-07-15T03:00:00.000Z'],
] as const)
  t.test(`an export in ${zone} shows the local time at ${moment}`, async (t) => {
    setTimeZone(t, zone)
    t.equal(await shown(moment), clock)
  })
