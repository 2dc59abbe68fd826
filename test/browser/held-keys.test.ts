import { browserTest, type Page, waitUntil } from '../support/browser.ts'
import { hasFocus } from '../support/dealers-list.ts'
import { insertOrder, setOrder } from '../support/orders.ts'

/** Answers wait until they are let go. */
async function holdBack(page: Page, address: string | RegExp): Promise<{ asked: () => Promise<boolean>; letGo: () => void }> {
  const waiting: (() => void)[] = []
  let open = false
  await page.route(address, async (route) => {
    if (!open) await new Promise<void>((resolve) => waiting.push(resolve))
    await route.continue()
  })
  return {
    asked: () => waitUntil(async () => waiting.length > 0),
    letGo: () => {
      open = true
      for (const go of waiting) go()
    },
  }
}

browserTest('keys that are pressed before the answer of the next page has come are for that page', async (t, cabinet) => {
  const order = setOrder(cabinet, 'new')
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders')
  await page.locator(`#orders-${order} .row-link`).focus()
  const answer = await holdBack(page, /\/orders\/\d+/)
  await page.keyboard.press('Enter')
  t.ok(await answer.asked())
  for (const key of ['.', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
  answer.letGo()
  await page.waitForURL(`**/orders/${order}**`)
  await page.getByRole('dialog', { name: 'Cancel order' }).waitFor()
  await page.keyboard.press('Escape')
  await page.reload()
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  t.equal(await page.getByRole('dialog').count(), 0, 'they are pressed once')
})

browserTest('J pressed as often as wanted leads as far, however late the pages come', async (t, cabinet) => {
  const [first, , , last] = [setOrder(cabinet, 'new'), ...['new', 'new', 'new'].map((status) => insertOrder(cabinet, status))]
  const page = await cabinet.pageOf('root')
  await page.goto('/orders?sort=id&dir=asc')
  await page.locator(`#orders-${first} .row-link`).focus()
  const answer = await holdBack(page, /\/orders\/\d+/)
  await page.keyboard.press('Enter')
  t.ok(await answer.asked())
  for (const key of ['j', 'j', 'j']) await page.keyboard.press(key)
  answer.letGo()
  await page.waitForURL(`**/orders/${last}?**`)
  t.equal(new URL(page.url()).pathname, `/orders/${last}`)
})

browserTest('a page is left once no key follows, as while browsers change pages keys reach neither', async (t, cabinet) => {
  setOrder(cabinet, 'new')
  insertOrder(cabinet, 'new')
  const page = await cabinet.pageOf('root')
  await page.goto('/profile')
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  await page.evaluate(`
    const press = (key) => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      pressed.push(key)
    }
    const pressed = []
    addEventListener('beforeunload', () => sessionStorage.setItem('before', pressed.join('')))
    press('g')
    press('o')
    setTimeout(press, 60, 'j')
    setTimeout(press, 110, 'j')
  `)
  await page.waitForURL('**/orders')
  t.ok(await waitUntil(() => hasFocus(page.locator('.list-table tbody tr:nth-child(2) .row-link'))))
  t.equal(await page.evaluate(`sessionStorage.getItem('before')`), 'gojj')
})

for (const [what, address] of [
  ['styles', '**/cabinet.css'],
  ['scripts', '**/cabinet.js'],
] as const)
  browserTest(
    `keys that are pressed before the ${what} have come are not lost, nor is what they lead to typed elsewhere`,
    async (t, cabinet) => {
      const page = await cabinet.pageOf('root', { serviceWorkers: 'block' })
      const late = await holdBack(page, address)
      await page.goto('/dealers', { waitUntil: 'commit' })
      t.ok(await late.asked())
      await page.waitForTimeout(300)
      for (const key of ['/', 'd', 'e', 'n']) await page.keyboard.press(key)
      late.letGo()
      const search = page.locator('#dealers-q')
      t.ok(await waitUntil(async () => (await search.inputValue()) === 'den'), await search.inputValue())
      t.ok(await hasFocus(search))
      t.equal(new URL(page.url()).pathname, '/dealers', 'E edits nothing')
    },
  )

browserTest('who stays on the page goes on with its keys', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  await page.locator('form[data-guard] input[name=name]').first().fill('Other')
  page.once('dialog', (dialog) => dialog.dismiss())
  await page.locator('#menu a').first().click()
  await page.locator('h1').first().click()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  t.equal(new URL(page.url()).pathname, `/dealers/edit/${cabinet.cast.denis}`)
})

browserTest('what is pressed before a dialog has come is for that dialog', async (t, cabinet) => {
  const order = setOrder(cabinet, 'new')
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders')
  await page.locator(`#orders-${order} .row-link`).focus()
  const answer = await holdBack(page, '**/steps?**')
  for (const key of ['.', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
  t.ok(await answer.asked())
  answer.letGo()
  await page.getByRole('dialog', { name: 'Cancel order' }).waitFor()
  t.equal(new URL(page.url()).pathname, '/orders')
})
