import ExcelJS from 'exceljs'
import t from 'tap'
import type { Answer } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { addressesOf, ask } from '../support/every-route.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { startMarked } from '../support/marked.ts'

/** One of each kind; what the others are offered is looked at too, in every-offer.test.ts. */
const limited = ['maria', 'plain', 'pavel', 'denis'] as const satisfies Name[]

t.test('what a person is answered anywhere is only of records that the access rules give them', async (t) => {
  exportInProcess(t)
  const cabinet = await startMarked(t)
  const { app, cast, marks, mayKnow, whatIs, orderIds, files } = cabinet
  const routes = app.routeTable.filter(
    ({ method, access, answers, url }) => method === 'GET' && access !== 'public' && answers !== 'events' && !url.includes('/delete'),
  )
  const named = routes.flatMap((route) =>
    addressesOf(cabinet, route).flatMap(({ path, asked, found }) => (asked && found === undefined ? [] : path)),
  )
  const exported = routes.filter(({ url }) => url.endsWith('/export')).map(({ url }) => url)
  const ids = [...orderIds, ...Object.values(cast.companies), cast.denis, cast.daria, cast.maria]
  const addresses = new Set([
    ...named,
    ...files.flatMap(({ key }) => [`/files/${key}`, `/files/${key}/preview`]),
    ...orderIds.flatMap((id) => [
      `/orders/add?from=${id}`,
      `/orders/transitions?id=${id}&transition_id=1`,
      `/orders/edit/${id}?tab=history`,
    ]),
    ...exported.map((url) => `${url}?format=csv`),
    ...ids.flatMap((id) => [`/orders/discounts?dealer_id=${id}`, `/dealers/change?id=${id}`, `/orders?company=${id}`]),
    ...[
      '/orders/dealers?q=',
      '/orders/dealers?mode=edit&q=',
      '/dealers/companies?q=',
      '/company/managers?q=',
      '/find?q=',
      '/news?q=',
    ].flatMap((start) => [start, `${start}zq`]),
    ...[
      'cost_from=1',
      'cols=receiver,phone,last_message&size=all',
      'choose=company',
      'choose=filters',
      'waiting=1',
      'overdue=1',
      'stuck=1',
      'all=1',
    ].map((query) => `/orders?${query}`),
  ])
  t.ok(addresses.size > 150, `${addresses.size} addresses`)
  for (const name of limited)
    t.test(name, async (t) => {
      const browser = cabinet.browserOf(name)
      const get = (path: string) => ask(cabinet, browser, { method: 'GET' } as never, path)
      const searched = marks.filter((one) => !mayKnow(name, one) && /^the (name|line|receiver|title|text|comment|email)/.test(whatIs(one)))
      const leaks: string[] = []
      const inspect = (path: string, text: string) => {
        const [, asked] = /[?&]q=(zq\d+q)/.exec(path) ?? []
        for (const leak of cabinet.leaksIn(name, text)) if (leak !== asked) leaks.push(`${whatIs(leak)}: GET ${path}`)
      }
      for (const path of addresses) inspect(path, (await get(path)).body)
      for (const url of exported) {
        const answer = await get(url)
        if (answer.statusCode === 200) inspect(url, await textOfSheet(answer))
      }
      for (const one of searched) {
        const { body } = await get(`/find?q=${one}`)
        if (body.includes('data-found=')) leaks.push(`${whatIs(one)} is found`)
      }
      t.same([...new Set(leaks)], [], 'what they are told and must not know')
    })
})

async function textOfSheet(answer: Answer): Promise<string> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(answer.rawPayload as never)
  return JSON.stringify(workbook.worksheets.map((sheet) => sheet.getSheetValues()))
}
