import { ne } from 'drizzle-orm'
import { categories, companies, manufactures, news, orders, stocks, users } from '../../src/database/schema/index.ts'
import { missingTexts } from '../../src/i18n/translate.ts'
import { browserTest, type OpenCabinet, overflow, type Page, type Test, violations, waitUntil } from '../support/browser.ts'
import { addressOf, visitEveryPage } from '../support/every-page.ts'
import { lookAsOthers, setTheme } from '../support/looks.ts'
import { sightFaults } from '../support/sights.ts'

const widths = [390, 768, 1100, 1440]

browserTest('every page is accessible, in Russian complete, and looks whole at four widths, light and dark', async (t, cabinet) => {
  missingTexts.clear()
  await visitEveryPage(t, cabinet, { locale: 'ru-RU' }, async (page, address) => {
    t.equal(await page.locator('html').getAttribute('lang'), 'ru', `${address} speaks Russian`)
    for (const width of widths) await lookAt(t, page, address, width)
    await setTheme(page, 'dark')
    t.same(await violations(page, 'colours'), [], `${address} has readable colors in the dark`)
    await setTheme(page, 'light')
  })
  await submitEmptyForms(t, cabinet)
  t.same([...missingTexts], [], 'no Russian text is missing')
})

async function lookAt(t: Test, page: Page, address: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  t.ok(await waitUntil(async () => (await overflow(page)) === 0), `${address} does not scroll sideways at ${width} px`)
  t.same(await sightFaults(page), [], `${address} at ${width} px looks whole`)
  if (width !== 390 && width !== 1440) return
  // As high as the page, so that no bar that stays in sight covers anything.
  await page.setViewportSize({ width, height: 4000 })
  t.same(await violations(page, 'all'), [], `${address} at ${width} px is accessible`)
}

/** Sends every form empty, for the texts that only answers have; what a body does not name stays as it is. */
async function submitEmptyForms(t: Test, { app, cast, as }: OpenCabinet): Promise<void> {
  const root = await as('root')
  const russian = { 'accept-language': 'ru' }
  const forms = app.routeTable.filter(
    ({ method, access, url }) => method === 'POST' && access !== 'public' && !url.startsWith('/impersonate/'),
  )
  for (const { url } of forms) {
    const address = addressOf(url, cast).split('?')[0] as string
    const answer = await root.post(address, {}, russian)
    t.ok(answer.statusCode < 500, `POST ${address} with nothing in it: ${answer.statusCode}`)
    await root.get('/', russian)
  }
}

browserTest('more pages that others see otherwise are accessible to them, and fit a window of 375 px', async (t, cabinet) => {
  const { order, companies, denis } = cabinet.cast
  // Besides those of the short run.
  await lookAsOthers(t, cabinet, {
    maria: ['/orders', `/orders/${order}`, `/companies/${companies.alpha}`, `/dealers/edit/${denis}`],
    denis: ['/orders', `/orders/${order}`, `/orders/${order}/customer-offer`, '/profile?tab=offer', '/news'],
    pavel: ['/orders', '/orders/board', '/stocks'],
  })
})

browserTest('empty lists are accessible', async (t, cabinet) => {
  const { app, db, cast } = cabinet
  const page = await cabinet.pageOf('root')
  for (const table of [orders, news, companies, stocks, manufactures, categories]) db.delete(table).run()
  db.delete(users).where(ne(users.id, cast.root)).run()
  const addresses = app.registry.menu.map(({ path }) => path)
  for (const address of addresses) {
    await page.goto(address)
    t.same(await violations(page), [], `${address} is accessible when it is empty`)
  }
})
