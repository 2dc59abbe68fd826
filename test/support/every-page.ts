import { deleteRecords } from '../../src/database/delete-records.ts'
import { deliveries, importRows, imports, news, notifications, payments, products } from '../../src/database/schema/index.ts'
import { url } from '../../src/http/request/addresses.ts'
import { createNews } from '../../src/modules/news/news.ts'
import type { OpenCabinet, Page, PageOptions, Test } from './browser.ts'
import type { Cabinet } from './cabinet.ts'
import type { Cast } from './cast.ts'
import { insertJob } from './jobs.ts'
import { insertPayment } from './ledger.ts'
import { notifyRecipients } from './notify.ts'
import { insertProduct, useCatalog } from './products.ts'

const recordIds: Record<string, (cast: Cast) => number> = {
  '/admins/': (cast) => cast.clerk,
  '/dealers/': (cast) => cast.denis,
  '/managers/': (cast) => cast.maria,
  '/productions/': (cast) => cast.pavel,
  '/companies/': (cast) => cast.companies.alpha,
  '/company/': (cast) => cast.companies.alpha,
  '/statuses/': () => 1,
  '/status/': () => 1,
  '/orders/drafts/': () => 1,
  '/orders/': (cast) => cast.order,
  '/payments/import/': () => 2,
  '/payments/': () => 1,
  '/documents/': () => 1,
  '/stocks/': (cast) => cast.stock,
  '/manufactures/': (cast) => cast.site,
  '/categories/': (cast) => cast.category,
  '/products/': () => 1,
  '/rights/': () => 1,
  '/bin/': () => 1,
  '/imports/': () => 1,
  '/jobs/': () => 1,
  '/news/': () => 1,
  '/notifications/': () => 1,
  '/outbox/': () => 1,
  '/views/': () => 1,
  '/permission-sets/': () => 1,
  '/profile/passkeys/': () => 1,
  '/profile/tokens/': () => 1,
  '/ledger/': () => 1,
  '/webhooks/': () => 1,
}

const otherParts: Record<string, string> = { ':key': 'dealer_can_add', ':policy_key': 'dealer_can_add', ':order': '1', ':deputy': '1' }

const variants: Record<string, (cast: Cast) => string[]> = {
  '/payments/:id': () => ['/payments/2'],
  '/payments/add': (cast) => [`/payments/add?order=${cast.order}`],
  '/dealers': () => ['/dealers?q=королев&sort=company&dir=asc&size=50&cols=created_at,updated_at'],
  '/dealers/edit/:id': (cast) => [`/dealers/edit/${cast.daria}?back=%3Fq%3Dкоролев`],
  '/dealers/delete': (cast) => [`/dealers/delete?id=${cast.denis}&id=${cast.daria}`, '/dealers/delete?all=1&q=o'],
  '/orders': () => ['/orders?choose=filters'],
  '/companies': () => ['/companies?cols=created_at,updated_at'],
  '/activity': () => ['/activity?kind=users&action=create&from=2020-01-01'],
}

/** Offers to customers are pages of dealers: they are looked at as those. */
const notPages =
  /\/(export|template|report|links|row|warnings|latest|unread|stream|timeline|people|file|refused|customer-offer)$|^\/orders\/(dealers|discounts|products)$|^\/orders\/:id\/files\/|^\/(dealers\/companies|payments\/companies|company\/(managers|products))$|^\/service-worker\.js$|^\/(api|avatars|files|impersonate|resume|(news|products)\/images)\/|\*/

function seedNews({ db, cast }: Cabinet): void {
  if (db.select().from(news).get()) return
  const description =
    '<h2>Glazing</h2><p>Fresh <b>tariffs</b> from <a href="https://example.com">May</a>.</p><table><tr><th>A</th><td>1</td></tr></table>'
  const author = { id: cast.root, name: 'Root Olga' }
  createNews(db, { name: 'New prices', description, published: true }, author)
  const draft = createNews(db, { name: 'A draft', published: false }, author)
  deleteRecords(db, { table: news, list: 'news' }, [draft], author)
}

const outcomes = ['waiting', 'failed', 'sent'] as const

function seedNotifications(cabinet: Cabinet): void {
  const { db, cast } = cabinet
  if (db.select().from(deliveries).get()) return
  for (const _ of outcomes) notifyRecipients(cabinet, [cast.root], 'Glazed')
  const notificationRows = db.select().from(notifications).all()
  const rows = notificationRows.map(({ id }, at) => ({
    notification_id: id,
    channel: 'email' as const,
    state: outcomes[at],
    next_at: Date.now(),
  }))
  db.insert(deliveries).values(rows).run()
}

function seedImport({ db, cast }: Cabinet): void {
  if (db.select().from(imports).get()) return
  const headers = ['Client', 'Email', 'Other']
  const rows = [
    { row: 2, cells: ['Alpha Windows', 'alpha@example.com', ''] },
    { row: 3, cells: ['A new one', '', ''] },
    { row: 4, cells: ['A new one', '', ''] },
  ]
  const fields = ['org', 'email', null]
  db.insert(imports)
    .values({
      user_id: cast.root,
      list: 'companies',
      file_name: 'companies.xlsx',
      headers,
      fields,
      row_count: rows.length,
      key_field: 'org',
      created_at: Date.now(),
    })
    .run()
  db.insert(importRows).values({ import_id: 1, rows }).run()
  const columns = ['date', 'amount', 'payer', 'inn', 'purpose']
  const statement = { user_id: cast.root, list: 'payments', file_name: 'statement.txt', headers: columns, fields: columns, key_field: '' }
  db.insert(imports)
    .values({ ...statement, row_count: 3, created_at: Date.now() })
    .run()
  const paid = [
    { row: 1, cells: ['01.02.2026', '100', 'Alpha Windows', '7701234567', `Paying for order ${cast.order}`] },
    { row: 2, cells: ['02.02.2026', '200', 'Somebody', '', 'For windows'] },
    { row: 3, cells: ['03.02.2026', 'much', 'Somebody', '', 'For doors'] },
  ]
  db.insert(importRows).values({ import_id: 2, rows: paid }).run()
}

function seedProduct({ db, cast }: Cabinet): void {
  if (db.select().from(products).get()) return
  insertProduct(db, { article: 'W-1', category_id: cast.category, basis: 'area', unit: 'm2' })
  useCatalog(db)
}

/** One that waits, beside a confirmed and a rejected one. */
function seedPayments({ db, cast }: Cabinet): void {
  if (db.select().from(payments).get()) return
  insertPayment(db, cast.order, { note: 'First half' })
  const decided = { decider_name: 'Adminov Anton', decided_at: Date.now() + 60_000 }
  insertPayment(db, cast.order, { state: 'confirmed', ...decided })
  insertPayment(db, cast.order, { state: 'rejected', reason: 'Not on the account', ...decided })
}

/** An address of each page of the route table, with data to show. */
export function pagesOf(cabinet: Cabinet): string[] {
  const { app, cast } = cabinet
  seedNews(cabinet)
  seedNotifications(cabinet)
  seedImport(cabinet)
  seedProduct(cabinet)
  seedPayments(cabinet)
  insertJob(cabinet.db, cabinet.cast.root, { payload: { ids: [], body: '', back: url(cabinet.app, '/dealers') } })
  const routes = app.routeTable.filter(({ method, access, url }) => method === 'GET' && access !== 'public' && !notPages.test(url))
  return routes.flatMap(({ url }) => [addressOf(url, cast), ...(variants[url]?.(cast) ?? [])])
}

export function addressOf(url: string, cast: Cast): string {
  const needsId = url.includes(':id')
  if (!needsId && !/\/(delete|transitions|change|confirm|prices|print|remind|invite|work-sheets|drafts\/products)$/.test(url)) return url
  const [, idOf] = Object.entries(recordIds).find(([start]) => url.replace('/api/v1/', '/').startsWith(start)) ?? []
  if (!idOf) throw new Error(`GET ${url}: which record shall it show? Add it to recordIds.`)
  const filled = url.replace(':id', String(idOf(cast))).replace(/(?<=\/):\w+/g, (name) => otherParts[name] ?? name)
  if (filled.includes('/:')) throw new Error(`${url}: what stands for the parts other than ':id'? Add them to otherParts.`)
  return needsId ? filled : `${url}?id=${idOf(cast)}`
}

async function open(t: Test, page: Page, address: string): Promise<string[]> {
  const answer = await page.goto(address)
  t.equal(answer?.status(), 200, `${address} answers`)
  t.equal(await page.locator('main').count(), 1, `${address} is a page, or belongs to notPages`)
  const path = address.split('?')[0] as string
  const isList = (await page.locator('section[data-total]').count()) > 0
  const tabs = await page
    .locator(':is(.card-header-tabs, .record-menu) a[href*="tab="]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  return [...tabs.filter((href) => href.startsWith(path)), ...(isList ? [`${path}?q=nothing+has+this`] : [])]
}

/**
 * Opens each page of the route table and whatever it links to, once, in two browser pages. A new route is covered the day it is added.
 */
export async function visitEveryPage(
  t: Test,
  cabinet: OpenCabinet,
  options: PageOptions,
  look: (page: Page, address: string) => Promise<void>,
) {
  const waiting = pagesOf(cabinet)
  const known = new Set(waiting)
  const walker = async () => {
    const page = await cabinet.pageOf('root', options)
    for (let address = waiting.shift(); address; address = waiting.shift()) {
      for (const next of await open(t, page, address)) {
        if (!known.has(next)) waiting.push(next)
        known.add(next)
      }
      await look(page, address)
    }
  }
  await Promise.all([walker(), walker()])
}
