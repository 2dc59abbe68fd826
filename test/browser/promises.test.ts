import { ne } from 'drizzle-orm'
import { deleteRecords } from '../../src/database/delete-records.ts'
import {
  categories,
  companies,
  deliveries,
  manufactures,
  news,
  notifications,
  orders,
  stocks,
  users,
} from '../../src/database/schema/index.ts'
import { missingTexts } from '../../src/i18n/translate.ts'
import { createNews, newsLabel } from '../../src/modules/news/news.ts'
import {
  browserTest,
  type OpenCabinet,
  overflow,
  type Page,
  type PageOptions,
  type Test,
  violations,
  waitUntil,
} from '../support/browser.ts'
import type { Cast } from '../support/cast.ts'
import { notifyRecipients } from '../support/notify.ts'

// Walks every page of the route table: a new page is held to the standing promises the day it is added.

/** A fitting record for `:id` and for `?id=` of a confirmation, by how the address begins. */
const recordIds: Record<string, (cast: Cast) => number> = {
  '/admins/': (cast) => cast.clerk,
  '/dealers/': (cast) => cast.denis,
  '/managers/': (cast) => cast.maria,
  '/productions/': (cast) => cast.pavel,
  '/companies/': (cast) => cast.companies.alpha,
  '/company/': (cast) => cast.companies.alpha,
  '/statuses/': () => 1,
  '/status/': () => 1,
  '/orders/': (cast) => cast.order,
  '/stocks/': (cast) => cast.stock,
  '/manufactures/': (cast) => cast.site,
  '/categories/': (cast) => cast.category,
  '/rights/': () => 1,
  '/bin/': () => 1,
  '/news/': () => 1,
  '/notifications/': () => 1,
  '/outbox/': () => 1,
}

/** What else addresses name. */
const otherParts: Record<string, string> = { ':key': 'dealer_can_add', ':policy_key': 'dealer_can_add' }

/** More states of a page than its plain address shows. */
const variants: Record<string, (cast: Cast) => string[]> = {
  '/dealers': () => ['/dealers?q=королев&sort=company&dir=asc&size=50&cols=created_at,updated_at'],
  '/dealers/edit/:id': (cast) => [`/dealers/edit/${cast.daria}?back=%3Fq%3Dкоролев`],
  '/dealers/delete': (cast) => [`/dealers/delete?id=${cast.denis}&id=${cast.daria}`, '/dealers/delete?all=1&q=o'],
  '/companies': () => ['/companies?cols=created_at,updated_at'],
  '/activity': () => ['/activity?kind=users&action=create&from=2020-01-01'],
}

/** Addresses that answer with something else than a page. */
const notPages =
  /\/(export|row|doubts|unread|stream)$|^\/orders\/(dealers|discounts)$|^\/(dealers\/companies|company\/managers)$|^\/(avatars|files|impersonate|resume|news\/images)\/|\*/

/** The cast has written nothing yet, nor thrown anything away. */
function plantNews({ db, cast }: OpenCabinet): void {
  if (db.select().from(news).get()) return
  const description =
    '<h2>Prices</h2><p>New <b>prices</b> from <a href="https://example.com">May</a>.</p><table><tr><th>A</th><td>1</td></tr></table>'
  const author = { id: cast.root, name: 'Root Olga' }
  createNews(db, { name: 'New prices', description, published: true }, author)
  const draft = createNews(db, { name: 'A draft', published: false }, author)
  deleteRecords(db, { table: news, list: 'news', labelOf: newsLabel }, [draft], author)
}

const outcomes = ['waiting', 'failed', 'sent'] as const

/** One has been told of an order, and it was sent with every outcome. */
function plantNotices(cabinet: OpenCabinet): void {
  const { db, cast } = cabinet
  if (db.select().from(deliveries).get()) return
  for (const _ of outcomes) notifyRecipients(cabinet, [cast.root])
  const told = db.select().from(notifications).all()
  const rows = told.map(({ id }, at) => ({ notification_id: id, channel: 'email' as const, state: outcomes[at], next_at: Date.now() }))
  db.insert(deliveries).values(rows).run()
}

function pagesOf(cabinet: OpenCabinet): string[] {
  const { app, cast } = cabinet
  plantNews(cabinet)
  plantNotices(cabinet)
  const routes = app.routeTable.filter(({ method, access, url }) => method === 'GET' && access !== 'public' && !notPages.test(url))
  return routes.flatMap(({ url }) => [addressOf(url, cast), ...(variants[url]?.(cast) ?? [])])
}

function addressOf(url: string, cast: Cast): string {
  const needsId = url.includes(':id')
  if (!needsId && !url.endsWith('/delete')) return url
  const [, idOf] = Object.entries(recordIds).find(([start]) => url.startsWith(start)) ?? []
  if (!idOf) throw new Error(`GET ${url}: which record shall it show? Add it to recordIds.`)
  const filled = url.replace(':id', String(idOf(cast))).replace(/(?<=\/):\w+/g, (name) => otherParts[name] ?? name)
  if (filled.includes('/:')) throw new Error(`${url}: what stands for the parts other than ':id'? Add them to otherParts.`)
  return needsId ? filled : `${url}?id=${idOf(cast)}`
}

/** The page, then what it leads to without being a route: its tabs, and its list when nothing is found. */
async function open(t: Test, page: Page, address: string): Promise<string[]> {
  const answer = await page.goto(address)
  t.equal(answer?.status(), 200, `${address} answers`)
  t.equal(await page.locator('main').count(), 1, `${address} is a page, or belongs to notPages`)
  const path = address.split('?')[0] as string
  const isList = (await page.locator('section[data-total]').count()) > 0
  const tabs = await page.locator('.tabs a[href*="tab="]').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  return [...tabs.filter((href) => href.startsWith(path)), ...(isList ? [`${path}?q=nothing+has+this`] : [])]
}

/** Opens each address and whatever it leads to, once; two pages share the work. */
async function walk(t: Test, cabinet: OpenCabinet, options: PageOptions, look: (page: Page, address: string) => Promise<void>) {
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

const wide = { width: 1400, height: 900 }
const narrow = { width: 375, height: 750 }

/** What the page looks like in both sizes and both colour schemes: early.js decides at loading by the same attribute. */
async function checkLooks(t: Test, page: Page, name: string): Promise<void> {
  t.same(await violations(page), [], `${name}, light and wide, is accessible`)
  await page.setViewportSize(narrow)
  t.equal(await overflow(page), 0, `${name} does not scroll sideways at 375 px`)
  t.same(await violations(page), [], `${name}, light and narrow, is accessible`)
  await setTheme(page, 'dark')
  t.same(await violations(page, 'colours'), [], `${name}, dark and narrow, is readable`)
  await page.setViewportSize(wide)
  // A state of a page has the colours of the page.
  if (!name.includes('?')) t.same(await violations(page, 'colours'), [], `${name}, dark and wide, is readable`)
  t.equal(await overflow(page), 0, `${name} does not scroll sideways at 1400 px`)
  await setTheme(page, 'light')
}

async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.evaluate(`document.documentElement.dataset.bsTheme = '${theme}'`)
}

browserTest('every page, in light and dark, wide and narrow', async (t, cabinet) => {
  await walk(t, cabinet, {}, (page, address) => checkLooks(t, page, address))
})

browserTest('every page in Russian', async (t, cabinet) => {
  await walk(t, cabinet, { locale: 'ru-RU', viewport: narrow }, async (page, address) => {
    t.equal(await page.locator('html').getAttribute('lang'), 'ru', `${address} speaks Russian`)
    t.equal(await overflow(page), 0, `${address} does not scroll sideways at 375 px in Russian`)
  })
  await answerInRussian(t, cabinet)
  t.same([...missingTexts], [], 'no Russian text is missing')
})

/** Sends every form empty, for the texts that only answers have; what a body does not name stays as it is. */
async function answerInRussian(t: Test, { app, cast, as }: OpenCabinet): Promise<void> {
  const root = await as('root')
  const russian = { 'accept-language': 'ru' }
  for (const { url } of app.routeTable.filter(({ method, access }) => method === 'POST' && access !== 'public')) {
    const address = addressOf(url, cast).split('?')[0] as string
    const answer = await root.post(address, {}, russian)
    t.ok(answer.statusCode < 500, `POST ${address} with nothing in it: ${answer.statusCode}`)
    await root.get('/', russian)
  }
}

browserTest('what opens on a page', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers')
  await page.getByText('Columns', { exact: true }).click()
  await checkLooks(t, page, 'the open choice of columns')
  await page.locator('header summary').click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await checkLooks(t, page, "the person's menu")
  await page.keyboard.press('Escape')
  await page.locator(`#dealers-${cabinet.cast.denis}`).getByRole('checkbox').check()
  await checkLooks(t, page, 'a list with a ticked row')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').waitFor()
  await checkLooks(t, page, 'the deletion dialog')
  await page.keyboard.press('Escape')
  await page.setViewportSize(narrow)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('navigation', { name: 'Main menu' }).waitFor()
  t.same(await violations(page), [], 'the menu of a narrow window is accessible')
})

browserTest('messages and errors', async (t, cabinet) => {
  cabinet.provoked.push(/^4\d\d \//)
  const page = await cabinet.pageOf('root')
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  await page.locator('input[name=lastname]').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#lastname-error').waitFor()
  await checkLooks(t, page, 'a card with an invalid field')
  await page.locator('input[name=lastname]').fill('Denisov')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
  await checkLooks(t, page, 'a card that has been saved')
  t.equal((await page.goto('/no/such/page'))?.status(), 404)
  await checkLooks(t, page, 'a page that is not there')
  t.equal((await page.goto('/dealers/edit/987654'))?.status(), 404)
  await checkLooks(t, page, 'a record that is not there')
  const stranger = await cabinet.pageOf('clerk')
  t.equal((await stranger.goto('/dealers'))?.status(), 403)
  await checkLooks(t, stranger, 'a refused page')
})

browserTest('read-only cards and an impersonation', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers?q=denis')
  await page.getByRole('link', { name: 'Act as: Denisov Denis' }).click()
  await page.locator('#impersonation').waitFor()
  await checkLooks(t, page, 'the dashboard of an impersonated dealer')
  const plain = await cabinet.pageOf('plain')
  await plain.goto('/')
  await checkLooks(t, plain, 'the dashboard of somebody without rights')
})

browserTest('the sign-in page', async (t, cabinet) => {
  cabinet.provoked.push(/^422 \/login/)
  const page = await cabinet.newPage()
  await page.goto('/login')
  await checkLooks(t, page, 'the sign-in page')
  await page.locator('input[name=email]').fill('nobody@example.com')
  await page.locator('input[name=password]').fill('no such password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  t.equal(await page.locator('input[name=email]').inputValue(), 'nobody@example.com', 'what was typed is kept')
  await checkLooks(t, page, 'a failed sign-in')
  const russian = await cabinet.newPage({ locale: 'ru-RU', colorScheme: 'dark' })
  await russian.goto('/login')
  t.equal(await russian.locator('html').getAttribute('lang'), 'ru')
  t.equal(await russian.locator('html').getAttribute('data-bs-theme'), 'dark', 'a dark browser gets dark pages')
})

browserTest('lists of nothing', async (t, cabinet) => {
  const { app, db, cast } = cabinet
  const page = await cabinet.pageOf('root')
  for (const table of [orders, news, companies, stocks, manufactures, categories]) db.delete(table).run()
  db.delete(users).where(ne(users.id, cast.root)).run()
  const addresses = app.menu.map(({ path }) => path)
  for (const address of addresses) {
    await page.goto(address)
    await checkLooks(t, page, `${address} when there is nothing`)
  }
})

browserTest('language and theme are kept per person', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  const html = page.locator('html')
  await page.goto('/dealers?q=denis')
  await page.locator('header summary').click()
  await page.getByRole('button', { name: 'Dark' }).click()
  t.ok(await waitUntil(async () => (await html.getAttribute('data-bs-theme')) === 'dark'), 'the page is dark')
  await page.locator('header summary').click()
  await page.getByRole('button', { name: 'Русский' }).click()
  t.ok(await waitUntil(async () => (await html.getAttribute('lang')) === 'ru'), 'the page is Russian')
  t.equal(new URL(page.url()).search, '?q=denis', 'still on the same page')
})
