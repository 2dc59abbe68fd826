import { orderItems } from '../../src/database/schema/index.ts'
import { browserTest } from '../support/browser.ts'
import { setOrder } from '../support/orders.ts'

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

browserTest('on a phone bar, tabs, switches and what is done with a page are as large as a fingertip', async (t, cabinet) => {
  const page = await cabinet.pageOf('denis', phone)
  const touched = '.topbar :is(a, button, summary), .nav-link, .segment > a, label.form-check, .contact a, #main .btn:not(.btn-sm)'
  for (const path of ['/', '/orders', '/profile', `/orders/${cabinet.cast.order}`]) {
    await page.goto(path)
    const small = await page.locator(touched).evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility())
        .map((one) => [one.getBoundingClientRect(), one.textContent.trim() || one.className] as const)
        .filter(([{ width, height }]) => height < 43.5 || width < 40)
        .map(([, name]) => name),
    )
    t.same(small, [], path)
  }
})

browserTest(
  'on a phone words that open something are as high as a fingertip, and open it in a row that leads elsewhere',
  async (t, cabinet) => {
    const page = await cabinet.pageOf('root', { ...phone, hasTouch: true })
    await page.goto('/orders/add')
    const heights = await page
      .locator('.line-more > * > summary, .is-folded > summary')
      .evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().height))
    t.ok(heights.length > 0 && Math.min(...heights) >= 43.5, heights.join())
    await (await cabinet.as('root')).post('/stocks/add', { name: 'East' })
    await page.goto('/activity')
    const fields = page.locator('.changed-fields summary').first()
    await fields.tap()
    t.ok(await fields.locator('..').evaluate((details) => details.hasAttribute('open')))
    t.match(page.url(), /activity$/)
  },
)

browserTest('on a phone the tabs of a card are one line with the open one in sight', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto(`/company/edit/${cabinet.cast.companies.alpha}?tab=history`)
  const tabs = page.locator('.card-header-tabs')
  const tops = await tabs.getByRole('link').evaluateAll((links) => [...new Set(links.map((link) => link.getBoundingClientRect().top))])
  t.equal(tops.length, 1)
  const open = tabs.locator('[aria-current]')
  const { left, right } = await open.evaluate((link) => link.getBoundingClientRect())
  t.ok(left >= 0 && right <= phone.viewport.width, 'the last tab has been scrolled to')
})

browserTest(
  'on a phone an order of the dashboard takes three lines, its button in one of them, and four numbers two',
  async (t, cabinet) => {
    const { db, cast } = cabinet
    setOrder(cabinet, 'new', { receiver: 'Anna Customer' })
    db.insert(orderItems).values({ order_id: cast.order, name: 'Gate', quantity: 1, price: 1, discount: 0 }).run()
    const page = await cabinet.pageOf('denis', phone)
    await page.goto('/')
    const line = page.locator('.order-lines li', { hasText: 'Anna Customer' })
    const middles = await line.locator('.order-line, .status, .order-line-subject > span, .btn').evaluateAll((parts) =>
      parts.map((part) => {
        const { top, bottom } = part.getBoundingClientRect()
        return (top + bottom) / 2
      }),
    )
    const apart = middles.sort((a, b) => a - b).filter((middle, index) => index === 0 || middle - (middles[index - 1] as number) > 6)
    t.equal(apart.length, 3)
    t.ok((await line.locator('.btn').evaluate((button) => button.getBoundingClientRect().height)) >= 44)
    const manager = await cabinet.pageOf('maria', phone)
    await manager.goto('/')
    const places = (side: 'left' | 'top') =>
      manager.locator('.tile').evaluateAll((all, edge) => [...new Set(all.map((one) => one.getBoundingClientRect()[edge]))], side)
    t.equal(await manager.locator('.tile:visible').count(), 4)
    t.same([(await places('left')).length, (await places('top')).length], [2, 2])
  },
)

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

browserTest('on a phone what is done with a record is in reach of the thumb, over nothing of the record', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto(`/companies/${cabinet.cast.companies.alpha}`)
  const boxOf = (selector: string) => page.locator(selector).last().boundingBox() as Promise<{ y: number; height: number }>
  const edit = page.getByRole('link', { name: 'Edit', exact: true }).last()
  const { y } = (await edit.boundingBox()) as { y: number }
  t.ok(y > 750, 'at the lower edge')
  const first = await boxOf('.record .card >> nth=0')
  t.ok(first.y < 500, `the record itself is seen at once: ${first.y}`)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const last = await boxOf('.record .card')
  t.ok(last.y + last.height <= y, 'and its end as well')
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

browserTest('on a phone what a long form does not require is folded, unless it is wrong', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto(`/company/edit/${cabinet.cast.companies.alpha}`)
  const limit = page.getByLabel('Credit limit')
  t.ok(await page.getByLabel('Organization').isVisible())
  t.notOk(await limit.isVisible())
  await page.locator('summary', { hasText: 'Terms' }).click()
  await limit.fill('much')
  await page.getByLabel('Base discount').fill('900')
  cabinet.provoked.push(/^422 \/company\/edit/)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.error-summary').waitFor()
  t.ok(await limit.isVisible(), 'a mistake is seen')
  t.notOk(await page.getByLabel('OGRN').isVisible())
})

browserTest('on a phone the field that an address names is in sight below its label, whatever is folded above it', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/settings?then=home#legal_name')
  const field = page.getByLabel('Full legal name')
  await page.waitForTimeout(1000)
  t.ok(await field.evaluate((input) => input.matches(':focus')))
  const { top } = await field.evaluate((input) => input.getBoundingClientRect())
  t.ok(top > 90 && top < phone.viewport.height / 2, `at ${top}`)
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

browserTest('on a phone without scripts each button in the bar of a new order has the room of its words', async (t, cabinet) => {
  const page = await cabinet.pageOf('denis', { ...phone, locale: 'ru-RU', javaScriptEnabled: false })
  await page.goto('/orders/add')
  const buttons = await page.locator('.save-bar .btn:visible').all()
  t.ok(buttons.length >= 3)
  for (const button of buttons)
    t.ok(await button.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth), await button.innerText())
})

browserTest('on a phone what was done is said at the lower edge, above the bar of a form or of the next step', async (t, cabinet) => {
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
  const [moved, steps] = [await toastSaying('moved to'), await box('.order-steps')]
  t.ok(moved.bottom <= steps.top && steps.top - moved.bottom < 16, `the next step begins at ${steps.top}, above it ends ${moved.bottom}`)
  t.ok(moved.bottom - moved.top < 80, 'in few lines')

  await page.evaluate('window.scrollTo(0, document.body.scrollHeight)')
  t.ok((await box('#composer')).bottom <= moved.top, 'at the end of the page below what one writes')
  await page.locator('#composer textarea').focus()
  t.ok((await box('.flash')).bottom <= (await box('#composer')).top, 'and above it while one writes, wherever that stands')
})

browserTest('on a phone what a dialog does stands above how to leave it, where both do not fit a line', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', phone)
  await page.goto('/dealers')
  const row = page.locator(`#dealers-${cabinet.cast.ivan}`)
  await row.locator('.row-menu').click()
  await row.locator('.is-trash').click()
  const [leave, act] = [page.locator('.dialog form .btn[data-close]'), page.locator('.dialog .btn-danger')]
  await act.evaluate((button) => button.append(' the dealer and everything that belongs to them'))
  const topOf = async (button: typeof act) => (await button.boundingBox())?.y ?? 0
  t.ok((await topOf(act)) < (await topOf(leave)))
})

browserTest('on a phone the bar of a form is one row, also while something is not saved', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { ...phone, locale: 'ru-RU' })
  for (const path of [`/company/edit/${cabinet.cast.companies.alpha}`, `/dealers/edit/${cabinet.cast.denis}`, '/profile']) {
    await page.goto(path)
    const heightOf = async () => (await page.locator('main .save-bar').boundingBox())?.height ?? 0
    t.ok((await heightOf()) < 76, `${path}: ${await heightOf()}`)
    await page.locator('main form input[type=text]:visible').first().fill('Северный')
    await page.locator('form.is-unsaved').waitFor()
    t.ok((await heightOf()) < 76, `${path}, changed: ${await heightOf()}`)
  }
})
