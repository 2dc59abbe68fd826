import t from 'tap'
import { categories, companies, ledgerEntries, manufactures, stocks, users } from '../../src/database/schema/index.ts'
import type { Name } from '../support/cast.ts'
import { parseHtml } from '../support/html.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { type MarkedCabinet, people, startMarked } from '../support/marked.ts'
import { insertProduct } from '../support/products.ts'

// Filters are the one place where a list tells of records that are in none of its rows.

/** What each canary is called, and with which policy one reads the list that has it. No row of another list names any of them. */
const canaries = {
  company: { name: 'Canary company', policy: 'company_can_view' },
  manager: { name: 'Canaryev', policy: 'manager_can_view' },
  stock: { name: 'Canary warehouse', policy: 'stock_can_view' },
  manufacture: { name: 'Canary site', policy: 'manufacture_can_view' },
  category: { name: 'Canary category', policy: 'category_can_view' },
} as const

/** Which filters a list has at all is asked by one of each kind, the others ask for those. */
const ofEachKind = ['root', 'maria', 'pavel', 'denis'] as const satisfies Name[]
const further = people.filter((name) => !ofEachKind.some((one) => one === name))

/** They read nearly everything, so that one name stands for all. */
const sampled: readonly Name[] = ['root', 'admin', 'clerk']

t.test('filters of lists name only what the list may show', async (t) => {
  const cabinet = await startMarked(t)
  const { app, db, cast } = cabinet
  const ids = plantCanaries(cabinet)
  // A list without any record has no filters.
  insertProduct(db, { article: 'W-1', category_id: cast.category })
  insertPayment(db, cast.order)
  insertEntry(db, cast.companies.alpha)
  const everybody = db.select({ id: users.id }).from(users).all()
  const everyCompany = db.select({ id: companies.id }).from(companies).all()
  const named = Object.entries({ ...ids, dealer: cast.vera, actor: cast.root, user: cast.root, order: 1, kind: 1, active: 1 })
  const lists = app.routeTable.flatMap(({ method, url }) => (method === 'GET' && url.endsWith('/export') ? url.slice(0, -7) : []))
  const walked = new Set<string>()
  t.ok(lists.length > 15, `${lists.length} lists`)
  for (const name of [...ofEachKind, ...further])
    t.test(name, async (t) => {
      const browser = cabinet.browserOf(name)
      const holds = heldBy(cabinet, cast[name])
      const wrong: string[] = []
      const look = async (path: string) => {
        const { statusCode, body } = await browser.get(path)
        if (statusCode !== 200) return false
        const $ = parseHtml(body)
        const filters = $('.list-filter, a.tag, .further-filters').text()
        for (const { name, policy } of Object.values(canaries)) if (filters.includes(name) && !holds(policy)) wrong.push(`${name}: ${path}`)
        for (const leak of cabinet.leaksIn(name, filters)) wrong.push(`${cabinet.whatIs(leak)}: ${path}`)
        return $('a.tag').length > 0
      }
      for (const list of lists) {
        await look(`${list}?choose=filters`)
        for (const [filter, id] of named) {
          if (further.some((one) => one === name) && !walked.has(`${list} ${filter}`)) continue
          if (!(await look(`${list}?${filter}=${id}`))) continue
          walked.add(`${list} ${filter}`)
          await look(`${list}?choose=${filter}`)
          if (sampled.includes(name)) continue
          const others = filter === 'company' ? everyCompany : ['manager', 'dealer', 'actor', 'user'].includes(filter) ? everybody : []
          for (const { id } of others) await look(`${list}?${filter}=${id}`)
        }
      }
      t.same(wrong, [])
    })
  t.test('those of all lists were looked at', async (t) => {
    for (const one of ['/ledger company', '/orders company', '/orders dealer', '/orders stock', '/orders category', '/payments company'])
      t.ok(walked.has(one), one)
    for (const one of ['/dealers manager', '/companies stock', '/products category', '/activity actor', '/security-log user'])
      t.ok(walked.has(one), one)
  })
})

t.test('a filter names what its rows name, also for whoever may not open the list of those', async (t) => {
  const cabinet = await startMarked(t)
  const { db, cast } = cabinet
  const { alpha } = cast.companies
  const byName = { date: '2026-01-15', at: 1, kind: 'correction', amount: 1, actor_name: 'The test' } as const
  db.insert(ledgerEntries)
    .values({ ...byName, company_id: alpha })
    .run()
  const org = db.select().from(companies).all()[0]?.org as string
  const chosen = async (name: (typeof people)[number], path: string) =>
    parseHtml((await cabinet.browserOf(name).get(path)).body)('a.tag').text()
  t.match(await chosen('denis', `/ledger?company=${alpha}`), org, 'a dealer reads the name of their own company')
  t.notMatch(await chosen('daria', `/ledger?company=${alpha}`), org, 'not that of another')
  t.match(await chosen('maria', `/ledger?company=${alpha}`), org)
  t.match(await chosen('clerk', `/orders?company=${alpha}`), org, 'orders name companies')
  t.match(await chosen('pavel', `/orders?stock=${cast.stock}`), 'North stock')
  const options = parseHtml((await cabinet.browserOf('pavel').get('/orders?choose=filters')).body)('#orders-stock .dropdown-item').text()
  t.equal(options.trim(), 'North stock', 'production chooses among the warehouses of the orders they see')
})

function plantCanaries({ db }: MarkedCabinet) {
  // biome-ignore lint/suspicious/noExplicitAny: any table with an id
  const insert = (table: any, values: object) => Number(db.insert(table).values(values).run().lastInsertRowid)
  const person = { group_id: 3, name: 'Ivan', email: 'canary@example.com', password: '-' }
  return {
    company: insert(companies, { org: canaries.company.name }),
    manager: insert(users, { ...person, lastname: canaries.manager.name }),
    stock: insert(stocks, { name: canaries.stock.name }),
    manufacture: insert(manufactures, { name: canaries.manufacture.name }),
    category: insert(categories, { name: canaries.category.name }),
  }
}

function heldBy({ db }: MarkedCabinet, id: number): (policy: string) => boolean {
  const superadmin = db.$client.prepare('select superadmin from users where id = ?').pluck().get(id)
  const held = db.$client
    .prepare('select key from user_policies join policies on policies.id = policy_id where user_id = ? and value')
    .pluck()
    .all(id)
  return (policy) => superadmin === 1 || held.includes(policy)
}
