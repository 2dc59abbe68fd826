import { ne } from 'drizzle-orm'
import { categories, companies, manufactures, news, orders, stocks, users } from '../../src/database/schema/index.ts'
import { browserTest, violations } from '../support/browser.ts'
import { checkEveryPage } from '../support/looks.ts'

browserTest('every page is accessible, fits and has readable colors, light and dark, wide and narrow', checkEveryPage)

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
