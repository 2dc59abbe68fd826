import { eq } from 'drizzle-orm'
import { statusTransitions, users } from '../../src/database/schema/index.ts'
import { browserTest, type Locator, type OpenCabinet, type Page, type Test, violations, waitUntil } from '../support/browser.ts'
import { hasFocus, hasQuery, hasTotal, isSwitched, plantCrowd, region, rowOf } from '../support/dealers-list.ts'
import { insertOrder, orderOf, setOrder, statusId } from '../support/orders.ts'

browserTest('an administrator uses a list with the keyboard alone', async (t, cabinet) => {
  const { denis } = cabinet.cast
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await page.keyboard.press('/')
  t.ok(await hasFocus(page.getByRole('searchbox')), "'/' leads to the search")
  await page.keyboard.type('denis')
  t.ok(await hasTotal(page, 1))
  t.ok(await hasFocus(page.getByRole('searchbox')), 'the search keeps the focus')
  const active = rowOf(page, denis).getByRole('switch')
  await tabTo(t, page, active)
  for (const state of [false, true]) {
    await page.keyboard.press('Space')
    t.ok(await isSwitched(active, state), `Space switches ${state ? 'on' : 'off'}`)
    t.ok(await hasFocus(active), 'the focus stays on the switch')
  }
  const remove = rowOf(page, denis).getByRole('link', { name: 'Delete' })
  await tabTo(t, page, remove)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  t.ok(await waitUntil(async () => !(await page.getByRole('dialog').isVisible())), 'Escape closes the dialog')
  t.ok(await hasFocus(remove), 'the focus is back where the dialog was asked for')
  await page.keyboard.press('/')
  await tabTo(t, page, rowOf(page, denis).getByRole('link').first())
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/dealers/edit/${denis}**`)
  await page.goBack()
  t.ok(await hasQuery(page, { q: 'denis' }), 'Back leads to the search')
  t.equal(await page.getByRole('searchbox').inputValue(), 'denis')
  t.ok(await hasTotal(page, 1))
})

browserTest(
  'the search is opened, read and left with the keyboard: arrows mark the results one after the other and around',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root')
    await page.goto('/profile')
    await page.keyboard.press('Control+k')
    const field = page.getByRole('dialog').getByRole('searchbox')
    await field.waitFor()
    t.ok(await hasFocus(field), 'what is typed goes into the field')
    await page.keyboard.type('alpha windows')
    const links = page.locator('#found a')
    await page.locator('#found[data-q="alpha windows"] .is-marked').waitFor()
    const total = await links.count()
    t.ok(total >= 2, `${total} results`)
    const isMarked = async (place: Locator, key?: string) => {
      if (key) await page.keyboard.press(key)
      t.ok(await place.evaluate((element) => element.classList.contains('is-marked')), key ?? 'the first from the start')
      t.ok(await hasFocus(field), 'typing goes on')
    }
    await isMarked(links.first())
    await isMarked(links.nth(1), 'ArrowDown')
    await isMarked(links.first(), 'ArrowUp')
    await isMarked(links.last(), 'ArrowUp')
    await isMarked(links.first(), 'ArrowDown')
    await page.setViewportSize({ width: 1400, height: 260 })
    await isMarked(links.last(), 'ArrowUp')
    const bottom = await links.last().evaluate((element) => element.getBoundingClientRect().bottom)
    t.ok(bottom <= 260, `what is marked is in sight, though the window is low: ${bottom}`)
    await isMarked(links.first(), 'ArrowDown')
    t.equal(await field.inputValue(), 'alpha windows')
    await field.fill('nobody is called so')
    await page.locator('#found', { hasText: 'No matches' }).waitFor()
    t.equal(await field.getAttribute('aria-activedescendant'), null, 'where nothing is found, nothing is marked')
    await field.fill('alpha windows')
    await page.locator('#found[data-q="alpha windows"] .is-marked').waitFor()
    const address = await links.first().getAttribute('href')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${address}`)
  },
)

browserTest(
  'shortcuts are found by their place on the keyboard, replace what stands in the search, and rest while somebody types',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root')
    await page.goto('/dealers')
    const search = page.locator('#dealers-q')
    await page.keyboard.press('/')
    await page.keyboard.type('de/n')
    t.equal(await search.inputValue(), 'de/n', 'in a field it is a letter')
    await page.locator('h1').first().click()
    await page.keyboard.press('/')
    t.ok(await hasFocus(search))
    await page.keyboard.type('daria')
    t.equal(await search.inputValue(), 'daria', 'a new search replaces the last one')
    await page.locator('h1').first().click()
    await page.keyboard.press('Control+/')
    t.notOk(await search.evaluate((element) => element.matches(':focus')), 'with Ctrl it is for others')

    const field = page.getByRole('dialog').getByRole('searchbox')
    await page.goto('/profile')
    await page.keyboard.press('/')
    await field.waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'hidden' })
    for (const modifier of ['ctrlKey', 'metaKey']) {
      const typed = `{ key: 'л', code: 'KeyK', ${modifier}: true, bubbles: true, cancelable: true }`
      await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', ${typed}))`)
      await field.waitFor()
      t.ok(await hasFocus(field), `with Russian letters, too: ${modifier}`)
      await page.keyboard.press('Escape')
      await field.waitFor({ state: 'hidden' })
    }
  },
)

browserTest('Enter before the results have come opens the first one when they have', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/profile')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('searchbox').waitFor()
  const waiting: (() => void)[] = []
  await page.route('**/find?**', async (route) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    await route.continue()
  })
  await page.keyboard.insertText('alpha windows')
  t.ok(await waitUntil(async () => waiting.length > 0), 'it is asked for')
  await page.keyboard.press('Enter')
  const timer = setInterval(() => waiting.splice(0).map((go) => go()), 50)
  await page.waitForURL(`**/company/edit/${cabinet.cast.companies.alpha}**`)
  clearInterval(timer)
})

async function tabTo(t: Test, page: Page, place: Locator): Promise<void> {
  for (let step = 0; step < 40; step++) {
    if (await place.evaluate((element) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  t.fail('Tab does not reach it')
}

browserTest('an updated list keeps the keyboard focus where it was', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root', { viewport: { width: 1400, height: 600 } })
  const press = async (place: Locator) => {
    await place.focus()
    await page.keyboard.press('Enter')
  }
  const heading = region(page).locator('th[data-col=company] a')
  await page.goto('/dealers')
  await press(heading)
  t.ok(await hasQuery(page, { sort: 'company' }))
  t.ok(await hasFocus(heading), 'on the heading that sorts')
  const size = page.getByRole('navigation', { name: 'Rows per page' }).getByRole('link', { name: '25' })
  await press(size)
  t.ok(await hasFocus(size), 'on the size')

  const pages = page.getByRole('navigation', { name: 'Pages' })
  await press(pages.getByRole('link', { name: 'Next page' }))
  t.ok(await hasQuery(page, { page: '2' }))
  t.ok(await hasFocus(pages.getByRole('link', { name: 'Next page' })), 'on the way to the next page')
  const top = async () => (await page.locator('.list-card').boundingBox())?.y ?? 0
  t.ok(await waitUntil(async () => (await top()) >= 48 && (await top()) <= 64), 'the page begins in sight, below the top bar')
  await press(pages.getByRole('link', { name: 'Next page' }))
  t.ok(await hasQuery(page, { page: '3' }))
  t.ok(await hasFocus(region(page).getByRole('table')), 'where there is no next page, on the table')

  const menu = page.locator('#dealers-columns')
  await press(menu.locator('summary'))
  const created = menu.getByRole('link', { name: 'Created' })
  await press(created)
  await page.locator('th[data-col=created_at]').waitFor()
  t.ok(await hasFocus(created), 'the choice of columns stays open')
  await page.keyboard.press('Escape')
  t.ok(await hasFocus(menu.locator('summary')), 'Escape leads back to what opened it')
  t.equal(await menu.getAttribute('open'), null, 'and closes it')

  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  const tab = page.getByRole('navigation', { name: 'Tabs' }).getByRole('link', { name: 'History' })
  await press(tab)
  await page.locator('.card-header-tabs [aria-current]', { hasText: 'History' }).waitFor()
  t.ok(await hasFocus(tab), 'on the tab')
})

const isAt = (page: Page, selector: string) =>
  waitUntil(() => page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`))

browserTest(
  'rows of a list are gone through, selected, edited and opened by single keys, also with Russian letters',
  async (t, cabinet) => {
    const { denis } = cabinet.cast
    const page = await cabinet.pageOf('root')
    await page.goto('/dealers')
    const rows = page.locator('.list-table tbody tr')
    const isCurrent = (at: number) => hasFocus(rows.nth(at).locator('.row-link'))
    await page.keyboard.press('j')
    t.ok(await isCurrent(0), 'J begins with the first')
    await page.keyboard.press('j')
    t.ok(await isCurrent(1))
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    t.ok(await isCurrent(0), 'K ends at the first')
    await page.keyboard.press('x')
    t.ok(await rows.first().getByRole('checkbox').isChecked())
    t.ok(await isCurrent(0), 'the keyboard stays in the row')
    t.match(await page.locator('.bulk-count').innerText(), /1 selected/)
    await page.keyboard.press('x')
    t.notOk(await rows.first().getByRole('checkbox').isChecked())
    const russian = (key: string, code: string) =>
      page.evaluate(
        `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', ${JSON.stringify({ key, code, bubbles: true, cancelable: true })}))`,
      )
    await russian('о', 'KeyJ')
    t.ok(await isCurrent(1), 'J where it is on a Russian keyboard')
    await rowOf(page, denis).locator('.row-link').focus()
    await page.keyboard.press('e')
    await page.waitForURL(`**/dealers/edit/${denis}**`)
    await page.goBack()
    await rowOf(page, denis).locator('.row-link').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/dealers/edit/${denis}**`)
    await page.goBack()
    await page.keyboard.press('f')
    const filters = page.locator('.list-filters details[open]')
    await filters.waitFor()
    const isIn = async () => (await filters.locator('.dropdown-menu :focus').count()) === 1
    t.ok(await waitUntil(isIn), 'F leads into the filters')
    await page.keyboard.press('Escape')
    t.equal(await page.locator('.list-filters summary:focus').count(), 1, 'Esc back')
    t.equal(await filters.count(), 0)
    await page.goto(`/company/edit/${cabinet.cast.companies.alpha}?tab=overview`)
    await page.keyboard.press('e')
    await page.waitForURL(`**/company/edit/${cabinet.cast.companies.alpha}`)
    t.equal(await page.getByLabel('INN').count(), 1, 'what is read is changed by the same key')
  },
)

browserTest('E in a list of orders opens what is edited first over the list, and saving leads back to the row', async (t, cabinet) => {
  const { order } = cabinet.cast
  const page = await cabinet.pageOf('root')
  setOrder(cabinet, 'new')
  await page.goto('/orders?sort=id&dir=asc')
  await page.locator(`#orders-${order} .row-link`).focus()
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Order lines' })
  await dialog.getByRole('button', { name: 'Save' }).waitFor()
  t.equal(new URL(page.url()).pathname, '/orders', 'over the list')
  t.ok(await waitUntil(async () => (await page.locator('link[href*="tom-select"]').count()) === 1), 'with what its fields need')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await hasFocus(page.locator(`#orders-${order} .row-link`)), 'Esc leads back to the row')
  await page.keyboard.press('e')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText(`order #${order} saved`).waitFor()
  t.match(page.url(), new RegExp(`/orders\\?sort=id&dir=asc#orders-${order}$`))
  t.ok(await page.locator(`#orders-${order}`).isVisible())
})

browserTest(
  'Shift with J or K ticks rows one after the other, and back; G G, Shift G, Home and End lead to the ends of a list',
  async (t, cabinet) => {
    plantCrowd(cabinet)
    const page = await cabinet.pageOf('root')
    await page.goto('/dealers?size=25')
    const rows = page.locator('.list-table tbody tr')
    const isCurrent = (at: number) => hasFocus(rows.nth(at).locator('.row-link'))
    const ticked = () =>
      rows
        .locator('.row-select input')
        .evaluateAll((boxes) => boxes.flatMap(({ checked }: { checked: boolean }, at) => (checked ? [at] : [])))
    await page.keyboard.press('Shift+J')
    t.same(await ticked(), [], 'without a row there is nothing to go on from')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    for (const _ of [1, 2]) await page.keyboard.press('Shift+J')
    t.same(await ticked(), [1, 2, 3])
    t.ok(await isCurrent(3))
    await page.keyboard.press('Shift+K')
    t.same(await ticked(), [1, 2], 'on the way back a row is left as it was')
    t.ok(await isCurrent(2))
    await page.locator('.row-select input').nth(1).click()
    await page
      .locator('.row-select input')
      .nth(6)
      .click({ modifiers: ['Shift'] })
    t.same(await ticked(), [0, 1, 2, 3, 4, 5], 'Shift and a click tick all between')
    await page.keyboard.press('Shift+G')
    t.ok(await isCurrent(24), 'the last row')
    await page.keyboard.press('Shift+J')
    t.ok(await isCurrent(24), 'below which there is none')
    t.ok((await ticked()).includes(24))
    await page.keyboard.press('g')
    await page.keyboard.press('g')
    t.ok(await isCurrent(0), 'the first row')
    await page.keyboard.press('End')
    t.ok(await isCurrent(24))
    await page.keyboard.press('Home')
    t.ok(await isCurrent(0))
    await page.locator('[data-hotkey="/"]').focus()
    await page.keyboard.type('GJ')
    t.equal(await page.locator('[data-hotkey="/"]').inputValue(), 'GJ', 'while somebody types they are letters')
  },
)

browserTest('from the search an arrow leads into the list, and Esc back to the row, once more to the whole list', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers?size=25')
  const search = page.locator('[data-hotkey="/"]')
  const rows = page.locator('.list-table tbody tr')
  const isCurrent = (at: number) => hasFocus(rows.nth(at).locator('.row-link'))
  await page.keyboard.press('/')
  await page.keyboard.press('ArrowDown')
  t.ok(await isCurrent(0), 'to the first row')
  await page.keyboard.press('j')
  await page.keyboard.press('/')
  await page.keyboard.press('Escape')
  t.ok(await isCurrent(1), 'Esc to where one was')
  await page.keyboard.press('/')
  await page.keyboard.type('denis')
  await page.keyboard.press('Enter')
  t.ok(await hasTotal(page, 1), 'what was typed is searched for')
  await page.keyboard.press('Escape')
  t.ok(await isCurrent(0))
  t.equal(await search.inputValue(), 'denis', 'and stays')
  await page.keyboard.press('j')
  await page.keyboard.press('Escape')
  t.equal(await search.inputValue(), 'denis', 'also where another key came between')
  await page.keyboard.press('/')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  t.equal(await search.inputValue(), '', 'twice it empties the search')
  t.ok(await waitUntil(async () => (await rows.count()) === 25), 'and shows the whole list')
  await page.keyboard.press('/')
  await page.keyboard.type('nobody is called so')
  await page.locator('.empty').waitFor()
  await page.keyboard.press('Escape')
  t.notOk(await hasFocus(search), 'where nothing is found it leaves the search, too')
})

browserTest('C creates, G and a letter go where the menu leads, and only there', async (t, cabinet) => {
  const root = await cabinet.pageOf('root')
  await root.goto('/dealers')
  await root.keyboard.press('c')
  await root.waitForURL('**/dealers/add')
  for (const [letter, path] of Object.entries({
    o: '/orders',
    c: '/companies',
    n: '/news',
    d: '/dealers',
    h: '/',
    m: '/payments',
    b: '/ledger',
    f: '/documents',
  })) {
    await root.goto('/settings')
    await root.keyboard.press('g')
    await root.keyboard.press(letter)
    await root.waitForURL(`**${path}`)
  }
  const dealer = await cabinet.pageOf('denis')
  await dealer.goto('/orders')
  await dealer.keyboard.press('g')
  await dealer.keyboard.press('c')
  await dealer.keyboard.press('g')
  await dealer.keyboard.press('d')
  await dealer.waitForTimeout(200)
  t.equal(new URL(dealer.url()).pathname, '/orders', 'a dealer has neither companies nor dealers, and nothing was created')
})

browserTest('an order is moved by keyboard alone: from its list, by its steps, and from the search', async (t, cabinet) => {
  const { order } = cabinet.cast
  const page = await cabinet.pageOf('denis')
  setOrder(cabinet, 'new')
  await page.goto('/orders')
  await page.locator('#orders-table').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/orders\/\d+/)
  await page.goto(`/orders/${order}`)
  await page.keyboard.press('.')
  await page.locator('dialog .bulk-choices button:focus', { hasText: 'Send for signing' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('moved to').first().waitFor()
  t.equal(orderOf(cabinet.db, order).status_id, statusId('apply'))

  setOrder(cabinet, 'new')
  await page.goto('/profile')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('searchbox').waitFor()
  await page.keyboard.type(`${order} send for sig`)
  await page.locator('#found .is-marked', { hasText: 'Send for signing' }).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Send for signing' })
  await dialog.waitFor()
  t.same(await violations(page), [])
  t.ok(await isAt(page, 'dialog .btn-primary[name=transition_id]'), 'it asks, and its button has the keyboard')
  t.equal(orderOf(cabinet.db, order).status_id, statusId('new'), 'nothing has happened yet')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/orders/${order}**`)
  await page.getByText('moved to').first().waitFor()
  t.equal(orderOf(cabinet.db, order).status_id, statusId('apply'))
})

browserTest('the steps of a card on the board open by a full stop, and the board goes on from it', async (t, cabinet) => {
  cabinet.db.update(statusTransitions).set({ required_fields: [], issues: [] }).run()
  const order = setOrder(cabinet, 'new')
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders/board')
  await page.keyboard.press('j')
  t.ok(await isAt(page, '.board-card a'))
  await page.keyboard.press('.')
  await page.locator('dialog .bulk-choices button:focus', { hasText: 'Send for signing' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('moved to').first().waitFor()
  t.equal(new URL(page.url()).pathname, '/orders/board')
  t.ok(await isAt(page, `[data-order="${order}"] .board-title a`))
})

/** Orders of Alpha beside that of the cast. */
const plantOrders = (cabinet: OpenCabinet, ...statuses: string[]) =>
  statuses.map((status) => insertOrder(cabinet, status, { dealer_id: cabinet.cast.denis, company_id: cabinet.cast.companies.alpha }))

/** With its scripts. */
const isOrder = (page: Page, order: number) =>
  waitUntil(() => page.evaluate<boolean>(`location.pathname === '/orders/${order}' && !!document.querySelector('[data-htmx-powered]')`))

/** Enter opens what is current, and Back leads to it again. */
async function opensAndReturns(t: Test, page: Page, order: number, isCurrent: (order: number) => Promise<boolean>): Promise<void> {
  await page.keyboard.press('Enter')
  t.ok(await isOrder(page, order))
  await page.goBack()
  t.ok(await isCurrent(order), 'one comes back to where one was')
}

browserTest('J and K lead from order to order, Esc back to the list, where the last one is the current row', async (t, cabinet) => {
  const [one, two, three] = [setOrder(cabinet, 'new'), ...plantOrders(cabinet, 'new', 'new')] as [number, number, number]
  const page = await cabinet.pageOf('root')
  const isCurrent = (order: number) => hasFocus(page.locator(`#orders-${order} .row-link`))
  const list = '/orders?sort=id&dir=asc'
  await page.goto(list)
  await page.locator(`#orders-${one} .row-link`).focus()
  await page.keyboard.press('Enter')
  t.ok(await isOrder(page, one))
  await page.keyboard.press('j')
  t.ok(await isOrder(page, two), 'J leads to the next')
  await page.keyboard.press('j')
  t.ok(await isOrder(page, three))
  await page.keyboard.press('k')
  t.ok(await isOrder(page, two), 'K to the one before')

  const menu = page.locator('.order-tools details')
  await menu.locator('summary').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  t.equal(await menu.getAttribute('open'), null, 'Esc closes the menu')
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.press('Escape')
  t.notOk(await hasFocus(message), 'Esc leaves the field')
  await page.keyboard.press('k')
  t.ok(await isOrder(page, one), 'so that the next key is for the page')
  await page.keyboard.press('j')
  t.ok(await isOrder(page, two))
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('searchbox').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.evaluate(
    `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', repeat: true, bubbles: true, cancelable: true }))`,
  )
  t.ok(await isOrder(page, two), 'or the dialog, and leaves the page alone while somebody types or holds it')
  await page.keyboard.press('Escape')
  await page.waitForURL(`**${list}`)
  t.ok(await isCurrent(two), 'the order that one comes from')
  await page.keyboard.press('j')
  t.ok(await isCurrent(three), 'from where J goes on')
  await opensAndReturns(t, page, three, isCurrent)
  await page.goto('/companies')
  await page.goto(list)
  t.ok(await isAt(page, 'body'), 'who comes from elsewhere begins at the top')
})

browserTest('who has switched keys off is led nowhere', async (t, cabinet) => {
  const page = await cabinet.pageOf('denis')
  cabinet.db.update(users).set({ key_shortcuts: false }).where(eq(users.id, cabinet.cast.denis)).run()
  const order = setOrder(cabinet, 'new')
  await page.goto(`/orders/${order}?back=%3F`)
  await page.keyboard.press('Escape')
  await page.waitForTimeout(200)
  t.ok(await isOrder(page, order))
  await page.goto('/orders')
  t.ok(await isAt(page, 'body'), 'the focus is where the browser has put it')
  await page.goto('/orders/board')
  for (const key of ['ArrowRight', 'l']) await page.keyboard.press(key)
  t.ok(await isAt(page, 'body'), 'arrows scroll')
})

browserTest('cards of the board are gone through by column, and one comes back to the card', async (t, cabinet) => {
  const first = setOrder(cabinet, 'new')
  const [second, third, paid] = plantOrders(cabinet, 'new', 'new', 'payment') as [number, number, number]
  const page = await cabinet.pageOf('denis')
  const isCurrent = (order: number) => hasFocus(page.locator(`[data-order="${order}"] .board-title a`))
  const goes = async (key: string, order: number, what = '') => {
    await page.keyboard.press(key)
    t.ok(await isCurrent(order), `${key}: ${what}`)
  }
  await page.goto('/orders/board')
  await goes('ArrowRight', first, 'begins with the first card')
  await goes('j', second)
  await goes('ArrowDown', third)
  await goes('j', third, 'ends where the column ends')
  await goes('l', paid, 'past columns without cards')
  await goes('ArrowRight', paid, 'the last column')
  await goes('k', paid, 'the only card of its column')
  await goes('h', first, 'the card beside it')
  await goes('h', first, 'the first column')
  await goes('ArrowRight', paid)
  await goes('ArrowLeft', first)
  await goes('ArrowDown', second)
  await goes('ArrowUp', first)
  await goes('j', second)
  await page.keyboard.press('Control+ArrowRight')
  t.ok(await isCurrent(second), 'with Ctrl it is for others')
  await opensAndReturns(t, page, second, isCurrent)

  await page.locator(`[data-order="${second}"] summary`).press('Enter')
  const steps = page.locator(`[data-order="${second}"] .board-steps`)
  await steps.locator('[name=transition_id]').first().focus()
  await steps.waitFor()
  const [menu, board] = [await steps.boundingBox(), await page.locator('#board').boundingBox()]
  t.ok(menu && board && menu.x >= board.x, 'the steps of a card in the first column are in sight')
  t.equal(await page.locator('#board').evaluate((element) => element.scrollLeft), 0, 'and the board stays')
  await page.keyboard.press('ArrowRight')
  t.ok(await isAt(page, '.board-steps button'), 'nor does an arrow leave them')
})

browserTest(
  'single keys rest while somebody types, with modifiers, over a dialog, and with the keys of screen readers',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root')
    await page.goto('/dealers')
    const first = page.locator('.list-table tbody tr .row-link').first()
    const rests = async (what: string) => t.notOk(await first.evaluate((link) => link.matches(':focus')), what)
    for (const keys of ['Control+j', 'Alt+j', 'Meta+j', 'Shift+j']) {
      await page.keyboard.press(keys)
      await rests(keys)
    }
    for (const modifier of ['CapsLock', 'Insert']) {
      await page.keyboard.down(modifier)
      await page.keyboard.press('j')
      await page.keyboard.up(modifier)
      await rests(`${modifier} and J are for a screen reader`)
    }
    await page.locator('#dealers-q').focus()
    await page.keyboard.type('jcgoex.')
    t.equal(await page.locator('#dealers-q').inputValue(), 'jcgoex.')
    t.equal(new URL(page.url()).pathname, '/dealers')
    await page.goto('/dealers')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('c')
    await page.keyboard.press('NumpadDecimal')
    t.equal(new URL(page.url()).pathname, '/dealers', 'the dialog is in front')
    await page.keyboard.press('Escape')
    await page.keyboard.press('NumpadDivide')
    t.notOk(await hasFocus(page.locator('#dealers-q')), 'the number pad is for screen readers')
    await page.keyboard.press('j')
    t.ok(await hasFocus(first), 'afterwards they work again')
  },
)

browserTest('Ctrl with Enter sends a message and saves a form, where Enter alone begins a new line', async (t, cabinet) => {
  const page = await cabinet.pageOf('maria')
  const {
    order,
    companies: { alpha },
  } = cabinet.cast
  await page.goto(`/orders/${order}`)
  const text = page.getByRole('textbox', { name: 'Message' })
  await text.fill('First line')
  await text.press('Enter')
  await page.keyboard.type('second line')
  await page.keyboard.press('Control+Enter')
  await page.getByText('second line').waitFor()
  t.equal(await text.inputValue(), '')

  await page.goto(`/company/edit/${alpha}`)
  await page.getByLabel('INN').focus()
  await page.keyboard.press('Meta+Enter')
  await page.getByText('saved').first().waitFor()
})

browserTest('the shortcuts that are shown are those of the page, and without single keys only those that are left', async (t, cabinet) => {
  const page = await cabinet.pageOf('denis')
  const shown = async () => {
    await page.locator('#shortcuts').evaluate((link: { click(): void }) => link.click())
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.waitFor()
    const texts = (await dialog.locator('dt:visible').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
    await page.keyboard.press('Escape')
    return texts
  }
  await page.goto('/orders')
  const list = await shown()
  for (const keys of ['J K', 'Enter', 'C', 'G O', 'Ctrl+K', '/', '?']) t.ok(list.includes(keys), `orders have ${keys}`)
  for (const keys of ['G D', 'G C']) t.notOk(list.includes(keys), `orders of a dealer have no ${keys}`)
  setOrder(cabinet, 'new')
  await page.goto(`/orders/${cabinet.cast.order}`)
  const order = await shown()
  t.ok(order.includes('.'), 'an order has steps')
  t.ok(order.includes('Ctrl+Enter'), 'and messages')
  t.notOk(list.includes('Ctrl+Enter'), 'which a list has not')
  t.notOk(order.includes('J K'), 'and no rows')
  t.ok(order.includes('Esc'), 'but a way back')
  t.equal(order.filter((keys) => keys === 'Esc').length - list.filter((keys) => keys === 'Esc').length, 1, 'which a list has not')
  plantOrders(cabinet, 'new')
  await page.goto(`/orders/${cabinet.cast.order}?back=%3F`)
  t.ok((await shown()).includes('J K'), 'from a list, the orders before and after it')
  await page.goto('/orders/board')
  const board = await shown()
  for (const keys of ['J K', 'H L', '← ↑ ↓ →', '.']) t.ok(board.includes(keys), `the board has ${keys}`)
  t.notOk(board.includes('X'), 'and nothing to select')
  t.notOk(list.includes('H L'), 'a list has no columns')

  await page.goto('/profile')
  await page.getByLabel('Single-key shortcuts').focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('saved').first().waitFor()
  await page.goto('/orders')
  for (const key of ['c', 'j', '/', '?']) await page.keyboard.press(key)
  await page.waitForTimeout(200)
  t.equal(new URL(page.url()).pathname, '/orders')
  t.notOk(await page.locator('dialog[open]').count())
  t.same(await shown(), ['Ctrl+K', '↑ ↓', 'Enter', 'Esc', 'Ctrl+Z'])
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('searchbox').waitFor()
})

browserTest('ticked rows are moved by a full stop or the next Tab, and Esc unticks them', async (t, cabinet) => {
  setOrder(cabinet, 'new')
  const page = await cabinet.pageOf('root')
  await page.goto('/orders')
  const ticked = () => page.locator('.list-table tbody .row-select input:checked').count()
  await page.keyboard.press('.')
  await page.waitForTimeout(200)
  t.notOk(await page.locator('dialog[open]').count(), 'no row, nothing to be done')
  await page.keyboard.press('j')
  await page.keyboard.press('Tab')
  t.notOk(await isBulk(page), 'without a ticked row the next Tab leads through the row')
  await page.keyboard.press('k')
  await page.keyboard.press('x')
  await page.keyboard.press('Shift+Tab')
  t.notOk(await isBulk(page), 'Shift and Tab lead back')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('x')
  t.equal(await ticked(), 1)
  await page.keyboard.press('Tab')
  t.ok(await isAt(page, '.bulk-bar [formaction$="/orders/transitions"]'), 'the next Tab leads to what can be done with it')
  const current = page.locator('.list-table tbody .row-link').first()
  await page.keyboard.press('Escape')
  t.ok(await hasFocus(current), 'Esc leads back to the row one was in')
  t.equal(await ticked(), 1, 'and leaves it ticked')
  await page.keyboard.press('Escape')
  t.equal(await ticked(), 0, 'once more it unticks it')

  await page.keyboard.press('.')
  const dialog = page.locator('dialog[open]')
  await dialog.waitFor()
  t.equal(await ticked(), 0, 'for the row where the keyboard is nothing is ticked')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await isAt(page, '.list-table tbody .row-link'), 'Esc leads back to the row')
  await page.keyboard.press('x')
  await page.keyboard.press('.')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  t.equal(await ticked(), 1, 'Esc closes the dialog alone')
  await page.locator('#orders-export summary').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  t.equal(await ticked(), 1, 'or the menu alone')
  await page.keyboard.press('Escape')
  t.equal(await ticked(), 0)
})

const isBulk = (page: Page) => page.evaluate<boolean>(`document.activeElement.matches('.bulk-bar *')`)

browserTest('the keyboard is where one goes on: in the first field of something new, at the heading after a step', async (t, cabinet) => {
  const { order } = cabinet.cast
  const dealer = await cabinet.pageOf('denis')
  await dealer.goto('/orders')
  await dealer.keyboard.press('c')
  await dealer.waitForURL('**/orders/add')
  t.ok(await isAt(dealer, '.repeater-row :first-child > :is(input, select, .ts-wrapper *)'), 'a dealer begins with the first line')

  setOrder(cabinet, 'new')
  await dealer.goto(`/orders/${order}`)
  await dealer.keyboard.press('.')
  await dealer.locator('dialog .bulk-choices button:focus', { hasText: 'Send for signing' }).waitFor()
  await dealer.keyboard.press('Enter')
  await dealer.getByText('moved to').first().waitFor()
  t.ok(await isAt(dealer, 'main h1'), 'after the step, at the heading')

  const root = await cabinet.pageOf('root')
  await root.goto('/settings')
  await root.keyboard.press('Control+k')
  await root.getByRole('dialog').getByRole('searchbox').waitFor()
  await root.keyboard.type('new order')
  await root.locator('#found[data-q="new order"] .is-marked').waitFor()
  await root.keyboard.press('Enter')
  await root.waitForURL('**/orders/add')
  t.ok(await isAt(root, '.field:has(#dealer_id) [role=combobox], #dealer_id'), 'staff chooses the dealer')
  await root.goto('/company/add')
  t.ok(await isAt(root, '#org'))
  await root.goto('/settings')
  await root.keyboard.press('?')
  await root.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await root.keyboard.press('Escape')
  t.ok(await isAt(root, '#main'), 'after a dialog over nothing in particular, in the page')
  await root.goto(`/orders/${order}`)
  await root.locator('#edit-lines').waitFor()
  await root.keyboard.press('e')
  await root.locator('dialog[open] .order-section').waitFor()
  t.ok(
    await isAt(root, 'dialog :is(.repeater-row :first-child > :is(input, select, .ts-wrapper *), [data-row-add])'),
    'in the first field of the lines',
  )
})

browserTest('a button shows what it has begun, until it is answered', async (t, cabinet) => {
  setOrder(cabinet, 'new')
  const page = await cabinet.pageOf('root')
  await page.goto(`/orders/${cabinet.cast.order}`)
  const button = page.locator('.order-steps form[hx-get] .btn').first()
  const waiting: (() => void)[] = []
  await page.route('**transition_id=**', async (route) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    await route.continue()
  })
  await page.locator('.order-others > summary').click()
  await button.click()
  t.ok(await waitUntil(async () => waiting.length > 0), 'it is asked for')
  t.equal(await button.getAttribute('aria-busy'), 'true')
  waiting.map((go) => go())
  await page.locator('dialog[open]').waitFor()
  t.ok(await waitUntil(async () => (await button.getAttribute('aria-busy')) === null), 'it rests')
})

browserTest('the search tells keys, and where it finds nothing it says so and lets the arrow go on', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/orders')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('dialog').getByRole('searchbox')
  await field.waitFor()
  const keysOf = (path: string) => page.locator(`#found li:has(a[href="${path}"]) .hit-keys:visible`).allInnerTexts()
  t.same(
    (await keysOf('/orders')).map((text) => text.replace(/\s+/g, ' ')),
    ['G O'],
  )
  t.same(await keysOf('/orders/add'), ['C'], 'what C creates here')
  t.same(await keysOf('/companies/add'), [], 'and nothing else')
  t.match(await page.locator('#found .is-marked').getAttribute('href'), /^\/orders\/\d+/, 'what one works on comes first')
  await field.fill('dark')
  await page.locator('#found[data-q="dark"] button.is-marked').waitFor()
  t.same(await violations(page), [])
  await page.keyboard.press('Enter')
  await page.locator('html[data-bs-theme="dark"]').waitFor()
  await page.keyboard.press('Control+k')
  await field.waitFor()
  await field.fill('nobody is called so')
  await page.locator('#found[data-q="nobody is called so"] .empty').waitFor()
  t.equal(await page.locator('#found .is-marked').count(), 0, 'Enter opens nothing else instead')
  await page.keyboard.press('ArrowUp')
  t.ok(await isAt(page, '#find-q'))
  await page.keyboard.press('ArrowDown')
  t.ok(await isAt(page, '#found .empty a'), 'on to what can be made of it')
  t.same(await violations(page), [])
})
