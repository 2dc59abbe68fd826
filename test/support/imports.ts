import ExcelJS from 'exceljs'
import type { Answer, Browser } from './cabinet.ts'
import { parseHtml, textOf } from './html.ts'

export type Cells = (string | number | Date | null | object)[]

export async function xlsx(rows: Cells[], prepare?: (sheet: ExcelJS.Worksheet) => void): Promise<Buffer> {
  const workbook = new ExcelJS.Workbook()
  const sheet = workbook.addWorksheet('Sheet')
  sheet.addRows(rows)
  prepare?.(sheet)
  return Buffer.from(await workbook.xlsx.writeBuffer())
}

export const csv = (rows: (string | number)[][], separator = ',') => Buffer.from(rows.map((row) => row.join(separator)).join('\r\n'))

export async function upload(browser: Browser, list: string, content: Buffer, name = 'sheet.xlsx'): Promise<Answer> {
  const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--x--\r\n')])
  return browser.send('POST', `/${list}/import`, { 'content-type': 'multipart/form-data; boundary=x' }, body as never)
}

export async function checked(browser: Browser, list: string, content: Buffer): Promise<{ path: string; page: Answer }> {
  const answer = await upload(browser, list, content)
  if (answer.statusCode !== 303) throw new Error(`${answer.statusCode}: ${textOf(answer.body)}`)
  const path = String(answer.headers.location)
  return { path, page: await browser.get(path) }
}

export function rowsOf(page: Answer): { row: number; outcome: string; text: string }[] {
  const query = parseHtml(page.body)
  return query('tr[data-row]')
    .toArray()
    .map((row) => ({
      row: Number(query(row).attr('data-row')),
      outcome: String(query(row).attr('data-outcome')),
      text: textOf(query.html(row)),
    }))
}

export const outcomesOf = (page: Answer) => rowsOf(page).map(({ outcome }) => outcome)
