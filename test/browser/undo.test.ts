import { eq } from 'drizzle-orm'
import t from 'tap'
import { users } from '../../src/database/schema/index.ts'
import { missingTexts } from '../../src/web/i18n/translate.ts'
import { browserTest, eventually, overflow, violations } from '../support/browser.ts'

t.setTimeout(240_000)

browserTest('a deletion is taken back at once, with JavaScript', async (t, { db, cast, pageOf }) => {
  const page = await pageOf('root')
  await page.goto('/dealers')
  const row = page.locator(`#dealers-${cast.denis}`)
  await row.hover()
  await row.getByRole('link', { name: /^Delete/ }).click()
  await page.locator('#dialog').getByRole('button', { name: 'Delete' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  t.equal(await row.count(), 0, 'gone without a new page')
  t.ok(await eventually(async () => (await page.evaluate('document.activeElement?.getAttribute("role")')) === 'status'), 'and read out')
  t.same(await violations(page), [])
  await page.keyboard.press('Tab')
  t.equal(await page.evaluate('document.activeElement?.textContent.trim()'), 'Undo', 'the next stop of the keyboard takes it back')
  await page.keyboard.press('Enter')
  await page.getByText('Denisov Denis has been restored.').waitFor()
  t.equal(new URL(page.url()).pathname, '/dealers')
  t.equal(await row.count(), 1)
  t.ok(db.select().from(users).where(eq(users.id, cast.denis)).get())
})

browserTest('without JavaScript, and from the bin', async (t, { cast, pageOf }) => {
  const page = await pageOf('root', { javaScriptEnabled: false })
  const remove = async () => {
    await page.goto(`/companies/delete?id=${cast.companies.alpha}`)
    await page.getByRole('button', { name: 'Delete' }).click()
  }
  await remove()
  await page.getByRole('button', { name: 'Undo' }).click()
  t.match(await page.locator('[role=status]').textContent(), /Alpha Windows has been restored/)
  await remove()
  await page.goto('/bin')
  t.match(await page.locator('#bin-table').textContent(), /Alpha Windows/)
  await page.getByRole('button', { name: 'Restore: Alpha Windows' }).click()
  t.equal(new URL(page.url()).pathname, '/bin')
  t.match(await page.locator('#bin-table').textContent(), /Nothing here yet/)
})

browserTest('what no longer fits says why', async (t, { db, cast, pageOf, provoked }) => {
  provoked.push(/^409 \/bin/)
  const page = await pageOf('root')
  await page.goto(`/dealers/delete?id=${cast.denis}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  db.update(users).set({ email: 'denis@example.com' }).where(eq(users.id, cast.clerk)).run()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Denisov Denis: another record has the same Email now.').waitFor()
  t.same(await violations(page), [])
  await page.getByRole('link', { name: 'To the bin' }).click()
  await page.getByRole('button', { name: 'Restore: Denisov Denis' }).waitFor()
})

browserTest('the history of a record and of everything, in Russian', async (t, { cast, pageOf }) => {
  const page = await pageOf('root', { locale: 'ru-RU', viewport: { width: 375, height: 750 } })
  await page.goto(`/stocks/edit/${cast.stock}`)
  await page.locator('input[name=name]').fill('Южный склад')
  await page.getByRole('button', { name: 'Сохранить' }).last().click()
  await page.getByText('Сохранено.').waitFor()
  await page.getByRole('link', { name: 'История' }).first().click()
  await page.locator('#history-table').waitFor()
  t.match(await page.locator('#history-table').textContent(), /Название склада:\s*North stock\s*→\s*Южный склад/)
  t.equal(await overflow(page), 0)
  await page.goto('/activity')
  await page.locator('select[name=kind]').selectOption('stocks')
  await page.locator('#activity-table .chip').waitFor()
  await page.locator('#activity-table').getByRole('link', { name: 'Root Olga' }).first().click()
  t.match(await page.locator('#activity-table').textContent(), /Кто: Root Olga/)
  await page.goto('/activity?from=2020-01-31&until=2020-02-01')
  t.match(await page.locator('#activity-table').textContent(), /С: 31\.01\.2020.*По: 01\.02\.2020.*Ничего не найдено/s)
  t.equal(await overflow(page), 0)
  t.same(await violations(page), [])
  t.same([...missingTexts], [])
})
