import ExcelJS from 'exceljs'
import type { Answer, Cabinet } from './cabinet.ts'
import { addressOf, pagesOf } from './every-page.ts'

export const everyColumn =
  'cols=date_make,date_delivery,date_payment,receiver,phone,since,last_message,discount,created_at,updated_at,city,dealers,open_orders'

/** Whatever can be read: each page with its tabs and columns, each fragment and each export. */
export function addressesIn(cabinet: Cabinet): string[] {
  const { app, cast } = cabinet
  const reads = app.routeTable.filter(({ method, access }) => method === 'GET' && access !== 'public')
  const exports = reads.filter(({ url }) => /\/(export|template)$/.test(url)).map(({ url }) => `${url}?format=csv&${everyColumn}`)
  const fragments = reads.filter(({ answers }) => answers === 'fragment').map(({ url }) => addressOf(url, cast))
  const records = reads.filter(({ url }) => /^\/api\/(?!.*:key)/.test(url)).map(({ url }) => addressOf(url, cast))
  const cards = [`/orders/edit/${cast.order}`, `/company/edit/${cast.companies.alpha}`, `/managers/edit/${cast.maria}`, '/products/edit/1']
  const tabs = ['data', 'history', 'files', 'prices', 'orders', 'dealers', 'companies', 'activity'].map(
    (tab) => `tab=${tab}&${everyColumn}`,
  )
  const all = [
    ...pagesOf(cabinet),
    ...exports,
    `/orders/export?${everyColumn}`,
    `/companies/export?${everyColumn}`,
    '/products/export',
    ...fragments,
    ...records,
    ...cards.flatMap((card) => tabs.map((tab) => `${card}?${tab}`)),
    ...['/orders', '/companies', '/products'].map((list) => `${list}?${everyColumn}`),
    `/orders/add?from=${cast.order}`,
    `/orders/discounts?dealer_id=${cast.denis}`,
    `/orders/${cast.order}?workflow=1`,
    '/find?q=door',
    ...cabinet.db.$client
      .prepare<[], number>('select id from status_transitions')
      .pluck()
      .all()
      .flatMap((id) => [`/orders/${cast.order}?transition_id=${id}`, `/orders/transitions?id=${cast.order}&transition_id=${id}`]),
  ]
  return [...new Set(all)]
}

/** What an answer says, the cells of a workbook included. */
export async function wordsOf(answer: Answer): Promise<string> {
  if (!String(answer.headers['content-type']).includes('spreadsheetml')) return answer.body
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(answer.rawPayload as never)
  const cells: string[] = []
  workbook.worksheets[0]?.eachRow((row) =>
    row.eachCell((cell) => cells.push(cell.value instanceof Date ? cell.value.toISOString().slice(0, 10) : String(cell.value))),
  )
  return cells.join('\n')
}
