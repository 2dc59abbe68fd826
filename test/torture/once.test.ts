import t from 'tap'
import type { RouteEntry } from '../../src/web/app-types.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { type FormFields, formsOf, realPaths, routePattern } from './collect-forms.ts'

const copies = 6

/** What a request may write each time it comes: who asked, and links and sessions of which only the last one counts. */
const perRequest = new Set(['submissions', 'security_events', 'sessions', 'rate_hits', 'sign_in_failures', 'uploads', 'sqlite_sequence'])

t.test('every write six times at once with one key: no server error, and the effect of one', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const forms = await formsOf(cabinet, root)
  const writes = cabinet.app.routeTable.filter(({ method, access }) => method === 'POST' && access !== 'public')
  const complaints = new Map<string, unknown>()
  let effects = 0
  for (const [number, route] of writes.entries())
    for (const path of realPaths(cabinet, route).slice(0, 2)) {
      const fields = fieldsFor(forms, route, path)
      const send = () => post(root, path, [...fields.filter(([name]) => name !== 'once'), ['once', `key ${number}`]])
      const one = await effectOf(cabinet, root, () => Promise.all([send()]))
      const many = await effectOf(cabinet, root, () => Promise.all(Array.from({ length: copies }, send)))
      const broken = [...one.codes, ...many.codes].filter((code) => code >= 500)
      if (broken.length > 0) complaints.set(`${route.url}: answered`, broken)
      if (JSON.stringify(one.rows) !== JSON.stringify(many.rows)) complaints.set(`${route.url}: rows`, { one: one.rows, many: many.rows })
      effects += Object.keys(one.rows).length > 0 ? 1 : 0
    }
  t.same(Object.fromEntries(complaints), {})
  t.comment(`${writes.length} writes, ${effects} of them with an effect`)
  t.ok(effects > 20, `${effects} requests did something`)
})

/** The fields of the form that a page holds; where none is sent there, those that short forms have. */
function fieldsFor(forms: Map<string, FormFields>, route: RouteEntry, path: string): FormFields {
  const known = forms.get(path) ?? [...forms].find(([action]) => routePattern(route).test(action))?.[1]
  const more: FormFields = route.url.endsWith('/delete') || route.url.endsWith('/change') ? [['id', '3']] : []
  return [...(known ?? [['value', '1']]), ...more]
}

function post(browser: Browser, path: string, fields: FormFields) {
  return browser.send('POST', path, { 'content-type': 'application/x-www-form-urlencoded' }, new URLSearchParams(fields).toString())
}

/** How many rows each table gains or loses; everything is taken back. */
async function effectOf({ db }: Cabinet, browser: Browser, work: () => Promise<{ statusCode: number }[]>) {
  const cookies = [...browser.cookies]
  db.$client.exec('begin immediate')
  try {
    const before = countRows(db)
    const answers = await work()
    const after = countRows(db)
    const changed = Object.entries(after).filter(([table, count]) => count !== before[table] && !perRequest.has(table))
    return {
      codes: answers.map(({ statusCode }) => statusCode),
      rows: Object.fromEntries(changed.map(([table, count]) => [table, count - (before[table] ?? 0)])),
    }
  } finally {
    db.$client.exec('rollback')
    browser.cookies.clear()
    for (const [name, value] of cookies) browser.cookies.set(name, value)
  }
}

function countRows({ $client: client }: Cabinet['db']): Record<string, number> {
  const tables = client.prepare("select name from sqlite_master where type = 'table' and name not like '%_fts%'").pluck().all() as string[]
  return Object.fromEntries(tables.map((name) => [name, Number(client.prepare(`select count(*) from "${name}"`).pluck().get())]))
}
