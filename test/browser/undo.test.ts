import { eq } from 'drizzle-orm'
import { users } from '../../src/database/schema/index.ts'
import { missingTexts } from '../../src/i18n/translate.ts'
import { browserTest, overflow, violations, waitUntil } from '../support/browser.ts'

browserTest('an administrator undoes a deletion at once, with JavaScript', async (t, { db, cast, pageOf }) => {
  const page = await pageOf('root')
  await page.goto('/dealers')
  const row = page.locator(`#dealers-${cast.denis}`)
  await row.hover()
  await row.getByRole('link', { name: /^Delete/ }).click()
  await page.locator('#dialog').getByRole('button', { name: 'Delete' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await row.waitFor({ state: 'detached' })
  t.ok(await waitUntil(async () => (await page.evaluate('document.activeElement?.getAttribute("role")')) === 'status'), 'and read out')
  t.same(await violations(page), [])
  await page.keyboard.press('Tab')
  t.equal(await page.evaluate('document.activeElement?.textContent.trim()'), 'Undo', 'the next stop of the keyboard takes it back')
  await page.keyboard.press('Enter')
  await page.getByText('Restored: Denisov Denis').waitFor()
  t.equal(new URL(page.url()).pathname, '/dealers')
  t.equal(await row.count(), 1)
  t.ok(db.select().from(users).where(eq(users.id, cast.denis)).get())
})

browserTest(
  'the offer to undo stays for half a minute, another message for eight seconds or while the mouse is on it',
  async (t, { cast, pageOf }) => {
    const page = await pageOf('root')
    await page.clock.install()
    const isShown = async (text: string) => (await page.locator('.flash', { hasText: text }).count()) > 0
    const pass = (seconds: number) => page.clock.runFor(seconds * 1000)
    await page.goto(`/dealers/delete?id=${cast.denis}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
    await page.mouse.move(1, 1)
    await pass(25)
    t.ok(await isShown('Undo'))
    await pass(10)
    t.notOk(await isShown('Undo'))

    await page.goto(`/dealers/delete?id=${cast.daria}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.mouse.move(1, 1)
    await page.getByRole('button', { name: 'Undo' }).focus()
    await pass(35)
    t.ok(await isShown('Undo'), 'while the keyboard is on it it stays')

    await page.goto(`/stocks/edit/${cast.stock}`)
    await page.locator('input[name=name]').fill('South stock')
    await page.getByRole('button', { name: 'Save' }).last().click()
    await page.locator('.flash', { hasText: 'South stock' }).hover()
    await pass(20)
    t.ok(await isShown('South stock'), 'while it is read it stays')
    await page.mouse.move(1, 1)
    await pass(9)
    t.notOk(await isShown('South stock'))
  },
)

browserTest('without JavaScript a deletion is undone at once and later from the trash', async (t, { cast, pageOf }) => {
  const page = await pageOf('root', { javaScriptEnabled: false })
  const remove = async () => {
    await page.goto(`/companies/delete?id=${cast.companies.alpha}`)
    await page.getByRole('button', { name: 'Delete' }).click()
  }
  await remove()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.locator('.flash [role=status]').filter({ hasText: 'Restored: Alpha Windows' }).waitFor()
  await remove()
  await page.goto('/bin')
  t.match(await page.locator('#bin-table').textContent(), /Alpha Windows/)
  await page.getByRole('button', { name: 'Restore: Alpha Windows' }).click()
  t.equal(new URL(page.url()).pathname, '/bin')
  t.match(await page.locator('#bin-table').textContent(), /What is deleted can be restored here/)
})

browserTest('a restore that conflicts shows the reason', async (t, { db, cast, pageOf, provoked }) => {
  provoked.push(/^409 \/bin/)
  const page = await pageOf('root')
  await page.goto(`/dealers/delete?id=${cast.denis}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  db.update(users).set({ email: 'denis@example.com' }).where(eq(users.id, cast.clerk)).run()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Denisov Denis: another record now has the same value (Email).').waitFor()
  t.same(await violations(page), [])
  await page.getByRole('link', { name: 'Back to recently deleted' }).click()
  await page.getByRole('button', { name: 'Restore: Denisov Denis' }).waitFor()
})

browserTest('the history of a record and of all records is readable in Russian', async (t, { cast, pageOf }) => {
  missingTexts.clear()
  const page = await pageOf('root', { locale: 'ru-RU', viewport: { width: 375, height: 750 } })
  await page.goto(`/stocks/edit/${cast.stock}`)
  await page.locator('input[name=name]').fill('Южный склад')
  await page.getByRole('button', { name: 'Сохранить' }).last().click()
  await page.getByText('Сохранено: Южный склад').waitFor()
  await page.getByRole('link', { name: 'История' }).first().click()
  await page.locator('#history-table').waitFor()
  t.match(await page.locator('#history-table').textContent(), /Название склада:\s*North stock\s*→\s*Южный склад/)
  t.equal(await overflow(page), 0)
  await page.goto('/activity')
  await page.locator('#activity-table a[href$="choose=kind"]').click()
  await page.locator('button[name=kind][value=stocks]').click()
  await page.locator('#activity-table .tag').waitFor()
  await page.locator('#activity-table').getByRole('link', { name: 'Root Olga' }).first().click()
  await page.locator('#activity-table').getByText('Кто: Root Olga').waitFor()
  await page.goto('/activity?from=2020-01-31&until=2020-02-01')
  t.match(await page.locator('#activity-table').textContent(), /Период: 31\.01\.2020 – 01\.02\.2020.*Ничего не найдено/s)
  t.equal(await overflow(page), 0)
  t.same([...missingTexts], [])
})
