import { browserTest, waitUntil } from '../support/browser.ts'
import { plantCrowd } from '../support/dealers-list.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { insertOrder, setOrder } from '../support/orders.ts'

const maskOfTabs = `getComputedStyle(document.querySelector('.list-tabs .nav')).maskImage`

const phone = { viewport: { width: 390, height: 844 } }

for (const javaScriptEnabled of [true, false])
  browserTest(
    `on a phone the menu has a button that closes it${javaScriptEnabled ? '' : ', without JavaScript, too'}`,
    async (t, cabinet) => {
      const page = await cabinet.pageOf('root', { ...phone, javaScriptEnabled })
      await page.goto('/')
      const menu = page.locator('#menu')
      t.notOk(await menu.isVisible())
      await page.getByRole('button', { name: 'Menu' }).click()
      await menu.waitFor()
      await menu.getByRole('button', { name: 'Close' }).click()
      await menu.waitFor({ state: 'hidden' })
    },
  )

browserTest('on a phone the tabs of a card are one line with the open one in sight, and bars fill a line', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto(`/company/edit/${cabinet.cast.companies.alpha}?tab=history`)
  const tabs = page.locator('.card-header-tabs')
  const tops = await tabs.getByRole('link').evaluateAll((links) => [...new Set(links.map((link) => link.getBoundingClientRect().top))])
  t.equal(tops.length, 1)
  const open = tabs.locator('[aria-current]')
  const { left, right } = await open.evaluate((link) => link.getBoundingClientRect())
  t.ok(left >= 0 && right <= phone.viewport.width, 'the last tab has been scrolled to')

  await page.goto('/')
  const widths = await page.locator('.stage-bar').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width))
  t.ok(widths.length > 0)
  for (const width of widths) t.ok(width > 250, `a bar of ${width} px has room for its share`)
})

browserTest(
  'on a phone a row leads to its person wherever it is touched, without JavaScript, too; box and switch stay themselves',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root', { ...phone, javaScriptEnabled: false })
    await page.goto('/dealers')
    const row = page.locator(`#dealers-${cabinet.cast.denis}`)
    const { width, height } = (await row.boundingBox()) as { width: number; height: number }
    const touched = async (x: number, y: number) => {
      const box = (await row.boundingBox()) as { x: number; y: number }
      return page.evaluate<string>(`document.elementFromPoint(${box.x + x}, ${box.y + y}).closest('a, input, button, label').className`)
    }
    await row.scrollIntoViewIfNeeded()
    for (const y of [4, height / 2, height - 4]) t.match(await touched(width / 2, y), 'row-link')
    t.notMatch(await touched(26, 32), 'row-link', 'the box')
    t.notMatch(await touched(width - 80, 32), 'row-link', 'the switch')
    await page.mouse.click(width / 2, ((await row.boundingBox()) as { y: number }).y + height - 4)
    await page.waitForURL(`**/dealers/edit/${cabinet.cast.denis}**`)
  },
)

browserTest('on a phone payments tell their day, and dealers, whose rows name no company, how was paid', async (t, cabinet) => {
  insertPayment(cabinet.db, cabinet.cast.order, { date: '2026-01-15', kind: 'cash' })
  const shown = async (name: 'denis' | 'root') => {
    const page = await cabinet.pageOf(name, phone)
    await page.goto('/payments')
    const columns = ['company', 'date', 'kind', 'reporter'].map((key) => page.locator(`#payments-table td[data-col=${key}]`))
    return Promise.all(columns.map((column) => column.isVisible()))
  }
  t.same(await shown('denis'), [false, true, true, false])
  t.same(await shown('root'), [true, true, false, false])
})

browserTest(
  'on a phone a search with a button for filters and tools stands below the tabs of a list; the button says how many filters are set',
  async (t, cabinet) => {
    insertEntry(cabinet.db, cabinet.cast.companies.alpha)
    const page = await cabinet.pageOf('root', phone)
    const placeOf = async (selector: string) => (await page.locator(selector).first().boundingBox()) as { y: number; width: number }
    for (const [path, rows] of [
      ['/orders', 2],
      ['/dealers', 1],
      ['/ledger', 1],
    ] as const) {
      await page.goto(path)
      t.ok((await placeOf('tbody tr')).y - (await placeOf('.list-card')).y < rows * 60, path)
      t.ok((await placeOf('.list-search')).width > 300, `${path}: the search is wide`)
      t.notOk(await page.locator('.list-tools').isVisible(), `${path}: filters and tools wait`)
    }
    await page.goto('/orders')
    t.equal(await page.evaluate(maskOfTabs), 'none', 'tabs that have room are whole')
    for (const status of ['apply', 'payment', 'production', 'delivery', 'install']) insertOrder(cabinet, status)
    await page.reload()
    const fade = await page.evaluate<string>(maskOfTabs)
    t.match(fade, /100% - 56px/, 'tabs that go on fade out')
    await page.locator('.list-tabs .nav').evaluate((tabs) => tabs.scrollTo(tabs.scrollWidth, 0))
    t.ok(await waitUntil(async () => (await page.evaluate(maskOfTabs)) === 'none'), 'as long as they do')
    const button = page.getByRole('button', { name: 'Filters' })
    const sheet = page.locator('.list-tools')
    await button.click()
    t.ok(((await sheet.getByText('Export', { exact: true }).boundingBox())?.width ?? 0) > 20, 'tools have names')
    await sheet.getByRole('link', { name: 'In progress' }).click()
    await page.getByRole('button', { name: 'Filters 1' }).waitFor()
    t.notOk(await sheet.isVisible(), 'what was chosen is looked at')
    await button.click()
    await sheet.getByRole('link', { name: 'More filters' }).click()
    await sheet.getByRole('button', { name: 'Show' }).waitFor()
    t.ok(await sheet.isVisible(), 'what opens more choices leaves it open')
  },
)

browserTest('without scripts, choices that load when they are opened are seen on a phone', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { ...phone, javaScriptEnabled: false })
  await page.goto('/orders')
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('link', { name: 'More filters' }).click()
  await page.locator('.further-filters').getByRole('button', { name: 'Show' }).waitFor()
  t.match(page.url(), /choose=filters/)
})

browserTest('on a phone staff are listed by their names, and orders of a company say whose they are', async (t, cabinet) => {
  const { order, companies, maria } = cabinet.cast
  setOrder(cabinet, 'new', { cost: 100_000 })
  const page = await cabinet.pageOf('root', phone)
  const placeOf = async (selector: string) =>
    (await page.locator(selector).boundingBox()) as { x: number; y: number; width: number; height: number }
  await page.goto('/managers')
  const [name, lastname, email] = [
    await placeOf(`#managers-${maria} [data-col=name]`),
    await placeOf(`#managers-${maria} [data-col=lastname]`),
    await placeOf(`#managers-${maria} [data-col=email]`),
  ]
  t.ok(Math.abs(name.y - lastname.y) < 4 && name.y + name.height <= email.y + 2, JSON.stringify([name, lastname, email]))

  await page.goto('/dealers')
  const dealerRow = `#dealers-${cabinet.cast.denis}`
  const [first, last] = [await placeOf(`${dealerRow} [data-col=name]`), await placeOf(`${dealerRow} [data-col=lastname]`)]
  t.ok(Math.abs(first.y - last.y) < 4 && first.height < 40, `the name of a dealer is one line: ${JSON.stringify([first, last])}`)

  await page.goto(`/company/edit/${companies.alpha}?tab=orders`)
  const [id, dealer] = [await placeOf(`#orders-${order} [data-col=id]`), await placeOf(`#orders-${order} [data-col=dealer]`)]
  t.ok(id.y + id.height <= dealer.y, 'below the number')
  const [search, button] = [await placeOf('.list-search'), await placeOf('.list-tools-button')]
  t.ok(search.y < button.y && button.y + button.height <= search.y + search.height, 'search and tools share a row in a card, too')

  await page.goto(`/managers/edit/${maria}?tab=rights`)
  const [choice, below] = [await placeOf('#rights-category'), await placeOf('.list-search + *')]
  t.ok(choice.x + choice.width <= 390 && choice.y + choice.height <= below.y, 'a choice beside a search takes a row of its own')

  await page.goto('/orders')
  const [company, ofCompany, cost] = await Promise.all(
    ['company', 'dealer', 'cost'].map((key) => placeOf(`#orders-${order} [data-col=${key}]`)),
  )
  t.ok(company && ofCompany && cost && company.y + company.height <= ofCompany.y, 'below the name of the company')
  t.ok(ofCompany && cost && Math.abs(ofCompany.y - cost.y) < 6 && ofCompany.x + ofCompany.width <= cost.x, 'beside the cost')
})

browserTest('on a phone what failed is said above what failed, and amounts stand beside the bars of a chart', async (t, cabinet) => {
  cabinet.provoked.push(/ERR_INTERNET_DISCONNECTED|htmx:sse|htmx:error|Failed to fetch/)
  setOrder(cabinet, 'new', { cost: 100_000 })
  const page = await cabinet.pageOf('root', phone)
  await page.goto(`/orders/${cabinet.cast.order}`)
  const field = page.locator('.composer textarea')
  await field.fill('When will it be ready?')
  await field.evaluate((one) => one.scrollIntoView({ block: 'end' }))
  await page.context().setOffline(true)
  await page.locator('.composer-bar button').last().click()
  const note = page.getByRole('alert').filter({ hasText: 'Not sent' })
  await note.waitFor()
  const [said, typed] = [await note.boundingBox(), await field.boundingBox()] as { y: number; height: number }[]
  t.ok(said && typed && said.y + said.height <= typed.y)
  await page.context().setOffline(false)

  await page.goto(`/company/edit/${cabinet.cast.companies.alpha}?tab=overview`)
  const chart = page.locator('.chart.has-amounts')
  const edges = (selector: string, side: 'left' | 'right') =>
    chart.locator(selector).evaluateAll((all, edge) => all.map((one) => one.getBoundingClientRect()[edge]), side)
  const [texts, areas] = [await edges('.chart-tick', 'right'), await edges('.chart-area', 'left')]
  t.ok(texts.length > 0 && Math.max(...texts) < Math.min(...areas))
})

browserTest('on a phone the bar of ticked rows is one line above the rows, and filters have a head and a foot', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders')
  await page.locator('.row-select input').nth(1).check()
  const bar = (await page.locator('.bulk-bar').boundingBox()) as { y: number; height: number }
  t.ok(bar.height < 80, `one line: ${bar.height}`)
  const above = `document.elementFromPoint(30, ${bar.y + bar.height / 2}).closest('.bulk-bar') !== null`
  t.ok(await page.evaluate<boolean>(above), 'nothing of a row lies over it')

  await page.getByRole('button', { name: 'Move to' }).click()
  const dialog = page.getByRole('dialog')
  const last = (await dialog.locator('.bulk-choices li').last().boundingBox()) as { y: number; height: number }
  const foot = (await dialog.locator('.btn-list').boundingBox()) as { y: number; height: number }
  t.ok(last.y + last.height <= foot.y, 'what can be chosen ends above what stays in sight')
  const { y, height } = (await dialog.boundingBox()) as { y: number; height: number }
  t.ok(Math.abs(y + height - foot.y - foot.height) < 3, 'which lies at the edge')
  await page.keyboard.press('Escape')

  await page.locator('.bulk-more summary').click()
  const menu = (await page.locator('.bulk-more .dropdown-menu').boundingBox()) as { x: number; y: number; width: number; height: number }
  t.ok(menu.x >= 0 && menu.x + menu.width <= 390 && menu.y + menu.height <= 844, 'what else can be done is a sheet at the bottom')
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, 'and nothing leads beyond the screen')

  t.ok(await page.locator('.bulk-more').getByRole('button', { name: 'Delete' }).isVisible())
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear' }).click()
  t.notOk(await page.locator('.bulk-bar').isVisible(), 'nothing is ticked any more')
  for (const path of ['/companies', '/stocks']) {
    await page.goto(path)
    await page.locator('.row-select input').nth(1).check()
    const { height } = (await page.locator('.bulk-bar').boundingBox()) as { height: number }
    t.ok(height < 80, `${path}: ${height}`)
  }

  await page.goto('/orders')
  const sheet = page.locator('.list-tools')
  await page.getByRole('button', { name: 'Filters' }).click()
  await sheet.getByRole('link', { name: 'More filters' }).click()
  const show = sheet.getByRole('button', { name: 'Show' })
  const close = sheet.getByRole('button', { name: 'Close' })
  for (const top of [0, 10_000]) {
    await sheet.evaluate((element, to) => element.scrollTo(0, to), top)
    for (const button of [show, close]) {
      const { y, height } = (await button.boundingBox()) as { y: number; height: number }
      t.ok(y >= 0 && y + height <= 844, `in sight, scrolled to ${top}: ${y}`)
    }
  }
  t.ok(((await show.boundingBox())?.width ?? 0) > 340, 'as wide as the sheet')
  await close.click()
  await sheet.waitFor({ state: 'hidden' })
})

browserTest('on a phone the bar of ticked rows is one line, what ticks all that was found among it', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root', { ...phone, locale: 'ru-RU' })
  await page.goto('/dealers?size=25')
  await page.locator('.row-select input').nth(1).check()
  const bar = page.locator('.bulk-bar')
  const { height } = (await bar.boundingBox()) as { height: number }
  t.ok(height < 64, `one line: ${height}`)
  const all = (await bar.locator('[name=all]').boundingBox()) as { x: number; width: number }
  const more = (await bar.locator('> :last-child').boundingBox()) as { x: number; width: number }
  t.ok(all.x > 0 && all.x + all.width < more.x && more.x + more.width <= 390, 'in sight')
  const said = (selector: string) => page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}'), '::before').content`)
  t.equal(await bar.locator('.bulk-count').innerText(), 'Выбрано: 1')
  t.equal(await said('.bulk-bar [data-short]'), '"Все 60" / ""', 'and all there are')
  t.same(await bar.getByRole('button').allInnerTexts(), ['', 'Изменить…'], 'what is done most')
  const change = await bar
    .getByRole('button', { name: 'Изменить…' })
    .evaluate((one) => one.scrollWidth <= one.clientWidth && one.clientHeight < 48)
  t.ok(change, 'in one line and whole')
  await bar.locator('.bulk-more summary').click()
  t.ok(await bar.getByRole('button', { name: 'Пригласить' }).isVisible(), 'the rest is folded')
  t.ok(await bar.evaluate((element) => element.scrollWidth <= element.clientWidth), 'nothing sticks out')
})

browserTest('on a phone a dialog keeps its buttons in sight', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { viewport: { width: 390, height: 500 } })
  await page.goto(`/orders/${cabinet.cast.order}`)
  await page.locator('#edit-lines').click()
  const save = page.locator('dialog[open] .save-bar .btn-primary')
  await save.waitFor()
  const { y, height } = (await save.boundingBox()) as { y: number; height: number }
  t.ok(y > 0 && y + height <= 500, 'the button that saves is in sight')
})

browserTest('a long form begins with links to its parts on a desk, and with its first field on a phone', async (t, cabinet) => {
  for (const [options, shown] of [
    [{}, true],
    [phone, false],
  ] as const) {
    const page = await cabinet.pageOf('root', options)
    for (const path of ['/settings', `/company/edit/${cabinet.cast.companies.alpha}`]) {
      await page.goto(path)
      t.equal(await page.locator('.form-contents').isVisible(), shown, path)
    }
  }
})

browserTest('on a phone the offer for the customer has a word in the bar of a new order', async (t, cabinet) => {
  const page = await cabinet.pageOf('denis', phone)
  await page.goto('/orders/add')
  const offer = page.getByRole('button', { name: 'Offer for the customer' })
  t.ok(await offer.getByText('Offer', { exact: true }).isVisible())
  t.notOk(await offer.locator('.icon').isVisible(), 'rather than a picture')
  const { right } = await page.getByRole('button', { name: 'Place order' }).evaluate((button) => button.getBoundingClientRect())
  t.ok(right <= phone.viewport.width, 'and what places the order stays in sight')
  await page.setViewportSize({ width: 1440, height: 900 })
  t.notOk(await offer.getByText('Offer', { exact: true }).isVisible(), 'on a desk its whole name stands there')
})

browserTest('on a phone what was done is said at the lower edge, above the bar of a form', async (t, cabinet) => {
  const { height } = phone.viewport
  const page = await cabinet.pageOf('root', phone)
  const box = async (selector: string) => {
    const { y, height: high } = (await page.locator(selector).first().boundingBox()) ?? { y: 0, height: 0 }
    return { top: y, bottom: y + high }
  }
  const toastSaying = async (text: string) => {
    await page.locator('.flash', { hasText: text }).waitFor()
    await page.evaluate('Promise.all(document.querySelector(".flash").getAnimations().map((one) => one.finished))')
    return box('.flash')
  }
  await page.goto('/profile')
  await page.locator('input[name=lastname]').fill('Rootova')
  await page.getByRole('button', { name: 'Save' }).last().click()
  const [saved, bar] = [await toastSaying('Rootova'), await box('main .save-bar')]
  t.ok(saved.bottom <= bar.top && bar.top - saved.bottom < 16, `it ends at ${saved.bottom}, the bar begins at ${bar.top}`)

  const order = setOrder(cabinet, 'delivery')
  await page.goto(`/orders/${order}`)
  await page.getByRole('button', { name: 'Start installation' }).click()
  const moved = await toastSaying('moved to')
  t.ok(moved.bottom > height - 16, 'where there is no bar, at the lower edge')
  t.ok(moved.bottom - moved.top < 80, 'in few lines')
})

browserTest('on a phone what a dialog does stands above how to leave it, where both do not fit a line', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/dealers')
  const row = page.locator(`#dealers-${cabinet.cast.ivan}`)
  await row.locator('.row-menu').click()
  await row.locator('.is-trash').click()
  const [leave, act] = [page.locator('.dialog .btn[data-close]'), page.locator('.dialog .btn-danger')]
  await act.evaluate((button) => button.append(' the dealer and everything that belongs to them'))
  const topOf = async (button: typeof act) => (await button.boundingBox())?.y ?? 0
  t.ok((await topOf(act)) < (await topOf(leave)))
})

browserTest(
  'on a phone what filters is named beside the search, and is taken off there; tools stand under a name of their own',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root', phone)
    await page.goto(`/orders?company=${cabinet.cast.companies.alpha}&open=1`)
    const chosen = page.locator('.list-chosen')
    t.match(await chosen.innerText(), /In progress\s+Alpha Windows/)
    await page.locator('.list-tools-button').click()
    const heading = `getComputedStyle(document.querySelector('.list-actions'), '::before').content`
    t.match(await page.evaluate(heading), /^"Actions"/)
    await page.keyboard.press('Escape')
    await chosen.getByRole('link', { name: 'Remove filter: Company' }).click()
    await page.waitForURL('**/orders?open=1')
    await page.setViewportSize({ width: 1100, height: 800 })
    t.notOk(await chosen.isVisible(), 'a desk has chips')
  },
)

browserTest('on a phone the sheet of an order offers its steps, and the one of ticked rows covers the header', async (t, cabinet) => {
  const order = setOrder(cabinet, 'new')
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/orders?open=1')
  const row = page.locator(`#orders-${order}`)
  await row.locator('.row-menu').click()
  await row.getByRole('link', { name: 'Move to…' }).click()
  await page.locator('.dialog').getByText('Move 1 order').waitFor()
  t.match(page.url(), /\/orders\?open=1$/)
  await page.keyboard.press('Escape')
  await row.locator('.row-select input').check()
  t.match(await page.locator('.bulk-count').innerText(), '1 selected')
  await page.locator('.bulk-more > summary').click()
  const atTop = `document.elementFromPoint(150, 20).closest('.topbar, .bulk-bar').className`
  t.equal(await page.evaluate(atTop), 'bulk-bar')
})

browserTest('on a phone what adds to a list stands beside its title', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { ...phone, locale: 'ru-RU' })
  for (const list of ['admins', 'productions', 'manufactures']) {
    await page.goto(`/${list}`)
    const [title, add] = [page.locator('h1'), page.locator('.page-actions > .btn-primary')]
    const topOf = async (one: typeof add) => (await one.boundingBox())?.y ?? 0
    t.ok((await topOf(add)) - (await topOf(title)) < 20, `/${list}`)
  }
})
