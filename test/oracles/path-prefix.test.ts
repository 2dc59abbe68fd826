import t from 'tap'
import { companies, ledgerEntries, products, users } from '../../src/database/schema/index.ts'
import { type Answer, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { pagesOf } from '../support/every-page.ts'
import { parseHtml } from '../support/html.ts'

const prefix = '/cabinet'

/** Attributes that hold text, or what somebody typed. */
const texts = new Set(['value', 'title', 'aria-label', 'content', 'placeholder', 'alt', 'data-hotkey'])

const isWithin = (address: string) => address === prefix || address.startsWith(`${prefix}/`) || address.startsWith(`${prefix}?`)

/** What else lists and overviews link to: an entry of the ledger, a picture, a file, more dealers than are named. */
function fill({ db, cast }: Cabinet): void {
  const { alpha } = cast.companies
  const entry = {
    company_id: alpha,
    order_id: cast.order,
    kind: 'refund',
    amount: -5,
    date: '2026-01-15',
    at: 1,
    actor_name: 'The test',
  } as const
  db.insert(ledgerEntries).values(entry).run()
  db.update(companies)
    .set({ files: [{ name: 'Contract', file: 'a.pdf' }] })
    .run()
  db.update(products)
    .set({ image: 'a'.repeat(64) })
    .run()
  for (let at = 0; at < 6; at += 1)
    db.insert(users)
      .values({ group_id: 2, email: `${at}@example.com`, password: '-', name: 'A', lastname: 'B', company_id: alpha } as never)
      .run()
}

t.test('whatever a page or a dialog leads to, asks for or sends stays under the path prefix', async (t) => {
  const plain = await startCabinet(t)
  const cabinet = await startCabinet(t, { environment: { BASE_URL: prefix } })
  const app = Object.create(cabinet.app, { routeTable: { value: plain.app.routeTable } })
  const pages = pagesOf({ ...cabinet, app })
  const { cast } = cabinet
  const { alpha } = cast.companies
  fill(cabinet)
  const wrong = new Set<string>()
  let seen = 0
  const look = async (name: Name, path: string, headers = {}): Promise<Answer> => {
    const answer = await (await cabinet.as(name)).get(path, headers)
    const { location } = answer.headers
    if (location !== undefined && !isWithin(String(location))) wrong.add(`${path}: leads to ${location}`)
    if (answer.statusCode !== 200) return answer
    seen += 1
    const elements = parseHtml(answer.body)('*').toArray() as { name: string; attribs: Record<string, string> }[]
    for (const { name: tag, attribs } of elements)
      for (const [attribute, value] of Object.entries(attribs))
        if (value.startsWith('/') && !texts.has(attribute) && !isWithin(value)) wrong.add(`${path}: ${tag} ${attribute}=${value}`)
    return answer
  }
  const known = new Set(pages)
  for (const path of known) {
    const { body } = await look('root', path)
    const tabs = parseHtml(body)(':is(.card-header-tabs, .record-tabs, .record-menu) a[href*="tab="]').toArray()
    for (const { attribs } of tabs) known.add(String(attribs.href).slice(prefix.length))
    await look('root', path, htmx)
    await look('denis', path)
  }
  for (const name of ['maria', 'pavel'] as const)
    for (const path of ['/', '/orders', `/orders/${cast.order}`, '/profile']) await look(name, path)
  const root = await cabinet.as('root')
  const sent: [string, Fields][] = [
    [`/company/${alpha}/ledger`, { kind: 'refund', amount: '1' }],
    [`/company/edit/${alpha}`, { bank: 'Bank' }],
    ['/company/add', { org: 'Another' }],
    ['/products/edit/1', { name: 'Gate' }],
    ['/products/1/active', { value: 0 }],
    ['/payments/import/2', { book: `1:${cast.order}` }],
    ['/payments/1/confirm', {}],
    [`/orders/${cast.order}/payments`, { amount: '1', date: '2026-01-01', kind: 'cash' }],
  ]
  for (const [path, fields] of sent) {
    const { location } = (await root.post(path, fields)).headers
    if (!isWithin(String(location))) wrong.add(`POST ${path} leads to ${location}`)
  }
  t.ok(seen > 100, `${seen} pages`)
  t.same([...wrong], [])
})
