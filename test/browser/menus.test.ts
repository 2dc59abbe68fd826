import { companies } from '../../src/database/schema/index.ts'
import { browserTest, type Page, violations, waitUntil } from '../support/browser.ts'
import { insertOrder, orderOf, setOrder, statusId } from '../support/orders.ts'

const isAt = (page: Page, selector: string) =>
  waitUntil(() => page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`))

/** Keys of other alphabets, which the browser is not told to press. */
const pressLetter = (page: Page, key: string) =>
  page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true }))`)

browserTest('a menu is opened by an arrow, gone through by arrows, Home, End and first letters, and left by Esc', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
  await page.goto('/orders')
  const opener = page.locator('summary.person')
  const isAtItem = (name: string) =>
    waitUntil(async () => (await page.locator(':focus').evaluate((one) => one.textContent)).trim() === name)
  const goes = async (key: string, name: string, what = '') => {
    await page.keyboard.press(key)
    t.ok(await isAtItem(name), `${key} leads to ${name} ${what}`)
  }
  await opener.focus()
  await goes('ArrowDown', 'Мой профиль', 'and has opened it')
  await goes('ArrowDown', 'Сочетания клавиш')
  await goes('ArrowUp', 'Мой профиль')
  await goes('ArrowUp', 'Выйти', 'around')
  await goes('ArrowDown', 'Мой профиль')
  await goes('End', 'Выйти')
  await goes('Home', 'Мой профиль')
  await pressLetter(page, 'т')
  t.ok(await isAtItem('Тёмная'), 'a letter leads to what begins with it')
  await pressLetter(page, 'С')
  t.ok(
    (await isAtItem('Светлая')) === false && (await isAtItem('Сочетания клавиш')),
    'the next after it, from the end on from the beginning',
  )
  for (const key of ['ArrowRight', 'j', 'x', '?']) await page.keyboard.press(key)
  t.ok(await isAtItem('Сочетания клавиш'), 'other keys rest')
  await page.keyboard.press('Escape')
  t.ok(await isAt(page, 'summary.person'), 'the keyboard is back at what has opened it')
  t.equal(await page.locator('details.dropdown[open]').count(), 0)
  await goes('ArrowUp', 'Выйти', 'the last one first')
  await page.keyboard.press('Escape')
  await opener.press('Enter')
  await goes('ArrowUp', 'Выйти', 'opened otherwise')
})

browserTest('steps of a card and options of a filter are chosen by arrows; in a field they are for what is typed', async (t, cabinet) => {
  const order = setOrder(cabinet, 'new')
  const crowd = Array.from({ length: 9 }, (_, at) => ({ org: `Crowd ${at}` }))
  cabinet.db.insert(companies).values(crowd).run()
  const page = await cabinet.pageOf('root')
  await page.goto(`/orders/board`)
  const steps = page.locator(`[data-order="${order}"] .board-move`)
  await steps.locator('summary').focus()
  await page.keyboard.press('ArrowDown')
  t.ok(await isAt(page, `[data-order="${order}"] .board-steps button:first-of-type`))
  await page.keyboard.press('End')
  t.ok(await isAt(page, `[data-order="${order}"] .board-steps button:last-of-type`))
  await page.keyboard.press('Escape')
  t.ok(await isAt(page, `[data-order="${order}"] summary`))

  await page.goto('/orders?choose=company')
  const search = page.locator('[data-filter-options]')
  await search.focus()
  await page.keyboard.type('cr')
  await page.keyboard.press('Home')
  t.ok(await isAt(page, '[data-filter-options]'), 'Home is for the text')
  await page.keyboard.press('ArrowDown')
  t.ok(await isAt(page, 'li:not([hidden]) > .dropdown-item'))
  t.match(await page.locator(':focus').innerText(), /^Crowd 0/, 'what is left of them')
  await page.keyboard.press('ArrowUp')
  t.ok(await isAt(page, '[data-filter-options]'), 'and back to the field')
  await page.keyboard.press('Escape')
  t.ok(await isAt(page, '.list-filter > summary'), 'one menu at a time')
})

browserTest('a filter chosen by keyboard leaves it at its chip, and a chip taken off where another is chosen', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers?choose=company')
  await page.getByRole('button', { name: 'Alpha' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('a.tag').waitFor()
  t.ok(await isAt(page, 'a.tag'))
  await page.keyboard.press('Enter')
  await page.locator('a.tag').waitFor({ state: 'detached' })
  t.ok(await isAt(page, '#dealers-company, #dealers-company > summary'))
})

browserTest('after a step on the board the message names the order, and the keyboard is at its card', async (t, cabinet) => {
  const order = setOrder(cabinet, 'new')
  insertOrder(cabinet, 'apply', { dealer_id: cabinet.cast.denis, company_id: cabinet.cast.companies.alpha })
  for (const javaScriptEnabled of [true, false]) {
    setOrder(cabinet, 'new')
    const page = await cabinet.pageOf('root', { javaScriptEnabled })
    await page.goto('/orders/board')
    await page.locator(`[data-order="${order}"] summary`).click()
    await page.locator(`[data-order="${order}"] .board-steps button[name=transition_id]`).first().click()
    await page.getByText(`Order #${order} moved to Awaiting signing`).waitFor()
    t.equal(orderOf(cabinet.db, order).status_id, statusId('apply'))
    if (javaScriptEnabled) t.ok(await isAt(page, `[data-order="${order}"] .board-title a`))
    else t.equal(await page.locator('[autofocus]').getAttribute('href'), `/orders/${order}?back=board`)
  }
})

browserTest('an open menu of a record is readable on dark surfaces', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { colorScheme: 'dark' })
  await page.goto('/status/edit/new')
  await page.locator('header details summary[title], header details summary.btn-icon').last().click()
  await page.getByRole('link', { name: 'Delete…' }).waitFor()
  t.same(await violations(page), [])
})

browserTest('the keys of the search open it once they can, however early they are pressed', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/cabinet\.js/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/orders', { waitUntil: 'commit' })
  await page.locator('#find').waitFor()
  await page.keyboard.press('Control+k')
  release()
  await page.locator('dialog[open] #find-q').waitFor()
  t.match(page.url(), /\/orders$/)
})
