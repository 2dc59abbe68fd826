import { ne } from 'drizzle-orm'
import { categories, companies, manufactures, news, orders, stocks, users } from '../../src/database/schema/index.ts'
import { missingTexts } from '../../src/i18n/translate.ts'
import { browserTest, type OpenCabinet, overflow, type Test, violations } from '../support/browser.ts'
import { addressOf, visitEveryPage } from '../support/every-page.ts'
import { narrow, setTheme, wide } from '../support/looks.ts'

for (const locale of ['en-GB', 'ru-RU'])
  browserTest(
    `every page in ${locale} is accessible, fits and has readable colors, light and dark, wide and narrow`,
    async (t, cabinet) => {
      await visitEveryPage(t, cabinet, { locale }, async (page, address) => {
        t.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2), `${address} speaks ${locale}`)
        for (const theme of ['light', 'dark'] as const) {
          await setTheme(page, theme)
          for (const viewport of [wide, narrow]) {
            await page.setViewportSize(viewport)
            // All rules once; another theme, width or language changes colors and places only.
            const rules = locale === 'en-GB' && theme === 'light' && viewport === wide ? 'all' : 'colours'
            t.same(await violations(page, rules), [], `${address}, ${theme}, ${viewport.width} px, is accessible`)
            if (theme === 'light') t.equal(await overflow(page), 0, `${address} does not scroll sideways at ${viewport.width} px`)
          }
        }
        await setTheme(page, 'light')
      })
      if (locale === 'en-GB') return
      await submitEmptyForms(t, cabinet)
      t.same([...missingTexts], [], 'no Russian text is missing')
    },
  )

browserTest('empty lists are accessible', async (t, cabinet) => {
  const { app, db, cast } = cabinet
  const page = await cabinet.pageOf('root')
  for (const table of [orders, news, companies, stocks, manufactures, categories]) db.delete(table).run()
  db.delete(users).where(ne(users.id, cast.root)).run()
  const addresses = app.menu.map(({ path }) => path)
  for (const address of addresses) {
    await page.goto(address)
    t.same(await violations(page), [], `${address} is accessible when it is empty`)
  }
})

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
