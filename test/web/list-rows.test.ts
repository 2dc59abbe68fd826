import type { Element } from 'domhandler'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { ledgerEntries, orders, users } from '../../src/database/schema/index.ts'
import { type Browser, startCabinet } from '../support/cabinet.ts'
import { pagesOf } from '../support/every-page.ts'
import { idsOf, parseHtml } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

type Cell = [column: string | undefined, label: string | undefined]

const cellsOf = (body: string, selector: string, labelOf: (cell: Element) => string | undefined): Cell[] =>
  parseHtml(body)<Element, string>(selector)
    .toArray()
    .map((cell) => [cell.attribs['data-col'], labelOf(cell)])

const headsOf = (body: string) => cellsOf(body, '.list-region thead th[data-col]', (head) => parseHtml(body)(head).text().trim())

const rowIds = (body: string) =>
  parseHtml(body)<Element, string>('.list-region tbody tr[id]')
    .toArray()
    .map(({ attribs }) => attribs.id as string)

/** What stands beside a value where there is no heading, if not the heading itself. */
const inShort = new Map([
  ['In status', 'Time in status'],
  ['Ready', 'Production date'],
  ['Delivery', 'Delivery date'],
  ['Payment', 'Payment date'],
])

/** The addresses of lists with every column shown: those of the menu and those on tabs. */
async function listsOf(browser: Browser, pages: string[]): Promise<string[]> {
  const found: string[] = []
  const waiting = pages.filter((address) => !address.includes('?'))
  for (const address of waiting) {
    const { body } = await browser.get(address)
    const html = parseHtml(body)
    const tabs = html<Element, string>(':is(.card-header-tabs, .record-menu) a[href*="tab="]').toArray()
    if (!address.includes('?')) waiting.push(...tabs.map(({ attribs }) => attribs.href as string))
    const columns = html<Element, string>('.list-region [id*="-column-"]').toArray()
    const names = columns.map(({ attribs }) => attribs.id?.split('-column-')[1])
    if (headsOf(body).length > 0) found.push(`${address}${address.includes('?') ? '&' : '?'}cols=${names.join()}`)
  }
  return found
}

t.test('the rows of every list have a cell for each of its columns, in their order and labelled as they are or in short', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const root = await cabinet.as('root')
  insertProduct(db, { article: 'A' })
  insertPayment(db, cast.order)
  const entry = { company_id: cast.companies.alpha, kind: 'refund', amount: -5, date: '2026-01-15', at: 1, actor_name: 'The test' } as const
  db.insert(ledgerEntries).values(entry).run()
  const lists = await listsOf(root, pagesOf(cabinet))
  const seen = new Set<string>()
  for (const address of lists) {
    const { body } = await root.get(address)
    const heads = headsOf(body)
    const [id] = rowIds(body)
    if (!id) continue
    seen.add(id.replace(/-\d+$/, ''))
    const cells = cellsOf(body, `[id="${id}"] td[data-col]:not(.row-restore)`, ({ attribs }) => attribs['data-label'])
    t.same(
      cells.map(([column, label]) => [column, inShort.get(label ?? '') ?? label ?? heads.find(([one]) => one === column)?.[1]]),
      heads,
      address,
    )
  }
  const people = ['dealers', 'admins', 'productions']
  const things = ['companies', 'orders', 'payments', 'ledger', 'products', 'news', 'statuses', 'stocks', 'categories', 'outbox']
  for (const name of [...people, ...things]) t.ok(seen.has(name), name)
})

t.test('rows without a date come last, whichever way the others are sorted and whichever page is read', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, as } = cabinet
  db.delete(orders).run()
  const days = Array.from({ length: 28 }, (_, index) => `2026-02-${String(index + 1).padStart(2, '0')}`)
  const dated = days.map((date_make) => insertOrder(cabinet, 'new', { date_make }))
  const without = [insertOrder(cabinet, 'new'), insertOrder(cabinet, 'new')]
  const root = await as('root')
  const shown = async (query: string) => idsOf(await root.get(`/orders?sort=date_make&${query}`), 'orders')
  t.same([...(await shown('dir=asc')), ...(await shown('dir=asc&page=2'))], [...dated, ...without])
  t.same([...(await shown('dir=desc')), ...(await shown('dir=desc&page=2'))], [...dated.toReversed(), ...without.toReversed()])
})

t.test('rows without the record by whose name they are sorted come first, and last when the order is turned', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const admin = await as('admin')
  const without = [cast.roman, cast.vera]
  for (const id of without) db.update(users).set({ company_id: null }).where(eq(users.id, id)).run()
  const shown = async (dir: string) => idsOf(await admin.get(`/dealers?sort=company&dir=${dir}`), 'dealers')
  const sorted = [cast.vera, cast.roman, cast.denis, cast.ivan, cast.daria]
  t.same(await shown('asc'), sorted, 'of one company in the order in which they came')
  t.same(await shown('desc'), sorted.toReversed())
  db.update(users).set({ company_id: null }).run()
  t.same(await shown('desc'), Object.values([cast.denis, cast.daria, cast.vera, cast.roman, cast.ivan]).toReversed(), 'all of them')
})
