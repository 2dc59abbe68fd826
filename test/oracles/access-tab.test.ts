import type { Element } from 'domhandler'
import t from 'tap'
import { users } from '../../src/database/schema/index.ts'
import type { Name } from '../support/cast.ts'
import { parseHtml } from '../support/html.ts'
import { startMarked } from '../support/marked.ts'

const cards: Record<number, string> = { 1: '/admins', 2: '/dealers', 3: '/managers', 4: '/productions' }

const ofEachKind = ['root', 'admin', 'maria', 'plain', 'pavel', 'denis'] as const satisfies Name[]

const columns = { list: 'List', view: 'Details', add: 'Adding' } as const

t.test('the access tab says of people of each kind what happens when they try', async (t) => {
  const cabinet = await startMarked(t)
  const { app, db, cast, orderIds, browserOf } = cabinet
  const groups = new Map(
    db
      .select()
      .from(users)
      .all()
      .map(({ id, group_id }) => [id, group_id]),
  )
  const idsIn = (group: number) => [...groups].flatMap(([id, of]) => (of === group ? id : []))
  const records: Record<string, string[]> = {
    '/orders': orderIds.map((id) => `/orders/${id}`),
    '/companies': Object.values(cast.companies).map((id) => `/company/edit/${id}`),
    '/dealers': idsIn(2).map((id) => `/dealers/edit/${id}`),
    '/managers': idsIn(3).map((id) => `/managers/edit/${id}`),
    '/admins': idsIn(1).map((id) => `/admins/edit/${id}`),
    '/productions': idsIn(4).map((id) => `/productions/edit/${id}`),
    '/stocks': [1, 2].map((id) => `/stocks/edit/${id}`),
    '/categories': [1, 2].map((id) => `/categories/edit/${id}`),
    '/statuses': [1, 2].map((id) => `/status/edit/${id}`),
  }
  const wrong: string[] = []
  let looked = 0
  for (const name of ofEachKind) {
    const tab = `${cards[groups.get(cast[name]) ?? 0]}/edit/${cast[name]}?tab=access`
    const $ = parseHtml((await browserOf('root').get(tab)).body)
    const rows = $<Element, string>('#abilities tbody tr').toArray()
    const said = new Map(
      rows.map((row) => [
        $(row).find('th').text().trim(),
        Object.fromEntries(Object.entries(columns).map(([key, label]) => [key, $(row).find(`td[data-label="${label}"] summary`).text()])),
      ]),
    )
    const opens = async (path: string) => (await browserOf(name).get(path)).statusCode === 200
    const compare = (what: string, text: string, opened: boolean[]) => {
      looked++
      const can = /\b(Yes|Limited|No)\b/.exec(text)?.[1]
      const fits = can === 'Yes' ? !opened.includes(false) : can === 'No' ? !opened.includes(true) : can === 'Limited'
      if (!fits) wrong.push(`${name}: ${what} is said to be “${can}”, ${opened.filter(Boolean).length} of ${opened.length} open`)
    }
    for (const { path, label } of app.registry.menu) {
      const cells = said.get(label)
      if (!cells) wrong.push(`${name}: nothing is said of ${label}`)
      if (cells?.list) compare(`the list of ${label}`, cells.list, [await opens(path)])
      const add = app.records.get(path.slice(1))?.list?.add?.path
      if (cells?.add && add) compare(`adding to ${label}`, cells.add, [await opens(add)])
      const opened = await Promise.all((records[path] ?? []).map(opens))
      if (cells?.view && opened.length > 0) compare(`the cards of ${label}`, cells.view, opened)
    }
  }
  t.same(wrong, [])
  t.ok(looked > 150, `${looked} statements`)
})
