import { eq } from 'drizzle-orm'
import { companies, orders, productPrices } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page, type Test, violations, waitUntil } from '../support/browser.ts'
import { linesOf } from '../support/orders.ts'
import { dayIn, insertContractPrice, insertProduct, useCatalog } from '../support/products.ts'

/** Each language once, with scripts and without. */
const localesAndScripts = [
  ['en-GB', true],
  ['ru-RU', false],
] as const

const words = {
  'en-GB': { changed: 'the price is now 1 080,00 ₽; it was 900,00 ₽', size: '400 to 2000 mm', of: 'base discount 10%' },
  'ru-RU': { changed: 'цена теперь 1 080,00 ₽, была 900,00 ₽', size: '400–2 000 мм', of: 'базовая скидка 10 %' },
}

/** Alpha gets 10 % off. A handle costs 1 000, a window 5 000 a square meter; there are so many products that one searches. */
function plantCatalog({ db, cast }: OpenCabinet) {
  useCatalog(db)
  db.update(companies).set({ discount: 10 }).where(eq(companies.id, cast.companies.alpha)).run()
  const sides = { width_min: 400, width_max: 2000, height_min: 400, height_max: 2000 }
  const window = insertProduct(db, { article: 'W-9', name: 'Window', category_id: cast.category, unit: 'm2', basis: 'area', ...sides }, [
    [dayIn(-30), 500_000],
  ])
  const handle = insertProduct(db, { article: 'H-7', name: 'Handle', category_id: cast.category })
  for (let at = 100; at < 130; at++) insertProduct(db, { article: `A-${at}`, name: 'Anything' })
  return { window, handle }
}

const part = (page: Page, index: number, name: string) => page.locator(`[name="items[${index}][${name}]"]`)

const text = async (page: Page, selector: string) => (await page.locator(selector).first().innerText()).replace(/\s+/g, ' ')

const shows = (page: Page, id: string, kopecks: number) =>
  waitUntil(async () => (await page.locator(`[id="${id}"]`).getAttribute('data-kopecks')) === String(kopecks))

async function chooseTyped(page: Page, index: number, article: string, product: number): Promise<void> {
  const answered = page.waitForResponse(
    (response) => response.url().includes('/orders/products?') && response.url().endsWith(`q=${article}`),
  )
  await page.locator('.dropdown-input:visible').pressSequentially(article)
  await answered
  await page.locator(`.ts-dropdown:visible .option.active[data-value="${product}"]`).waitFor()
  await page.keyboard.press('Enter')
  await waitUntil(async () => (await part(page, index, 'product_id').inputValue()) === String(product))
}

async function choose(page: Page, scripts: boolean, index: number, article: string, product: number): Promise<void> {
  if (scripts) {
    // In a new line the search is open by itself.
    if (index === 0) await page.locator('[data-repeater="items"] .ts-control').first().click()
    return chooseTyped(page, index, article, product)
  }
  await page.locator(`[name="items[${index}][product_id]_search"]`).fill(article)
  await page.locator(`[name=_find][value="items[${index}][product_id]"]`).click()
  await part(page, index, 'product_id').selectOption(String(product))
  await page.locator('[data-prices]').click()
}

async function place(page: Page): Promise<number> {
  await page.locator('.save-bar .btn-primary').click()
  await page.waitForURL(/\/orders\/\d+$/)
  return Number(/\d+$/.exec(page.url())?.[0])
}

async function enterNextPrice(page: Page, scripts: boolean, product: number): Promise<void> {
  await page.goto(`/products/edit/${product}`)
  await page.locator('[name=_add][value=prices]').click()
  await page.locator('[name="prices[1][from]"]').fill(dayIn(30))
  await page.locator('[name="prices[1][price]"]').fill('1200')
  const next = scripts ? page.waitForEvent('domcontentloaded') : undefined
  await page.locator('.save-bar .btn-primary').click()
  await next
  await page
    .getByRole('status')
    .filter({ hasText: /Handle/ })
    .first()
    .waitFor()
}

async function orderNowAndLater(t: Test, cabinet: OpenCabinet, locale: keyof typeof words, scripts: boolean): Promise<void> {
  const { db, pageOf } = cabinet
  const { window, handle } = plantCatalog(cabinet)
  const options = { locale, javaScriptEnabled: scripts }
  await enterNextPrice(await pageOf('clerk', options), scripts, handle)
  t.match(db.select().from(productPrices).where(eq(productPrices.product_id, handle)).all(), [{}, { from: dayIn(30), price: 120_000 }])

  const page = await pageOf('denis', options)
  await page.goto('/orders/add')
  await choose(page, scripts, 0, 'h-7', handle)
  t.ok(await shows(page, 'items.0.sum', 90_000), 'the price of next month does not hold yet')
  t.match(await text(page, '.line-origin'), words[locale].of)
  await page.locator('[name=_add][value=items]').click()
  await part(page, 1, 'product_id').waitFor({ state: 'attached' })
  await choose(page, scripts, 1, 'w-9', window)
  await part(page, 1, 'width').waitFor()
  t.match(await text(page, '[id="items.1.sizes"]'), words[locale].size)
  await part(page, 1, 'quantity').fill('2')
  await part(page, 1, 'width').fill('1000')
  await part(page, 1, 'height').fill('1500')
  const height = await part(page, 1, 'height').elementHandle()
  if (!scripts) await page.locator('[data-prices]').click()
  t.ok(await shows(page, 'total', 90_000 + 2 * 675_000))
  t.equal(await part(page, 1, 'height').inputValue(), '1500')
  if (scripts) {
    t.ok(await height?.evaluate((input) => input.matches(':focus')), 'who types sizes goes on typing when the price has come')
    t.same(await violations(page), [])
  }
  const first = await place(page)
  t.equal(db.select().from(orders).where(eq(orders.id, first)).get()?.cost, 1_440_000)

  // The day comes from which the price of next month holds.
  db.update(productPrices)
    .set({ from: dayIn(0) })
    .where(eq(productPrices.price, 120_000))
    .run()
  await page.goto(`/orders/add?from=${first}`)
  t.match(await text(page, '.alert-info'), words[locale].changed)
  t.ok(await shows(page, 'items.0.sum', 108_000))
  const second = await place(page)
  t.match(linesOf(db, second), [{ piece_price: 108_000 }, { piece_price: 675_000, width: 1000, quantity: 2 }])
  t.match(linesOf(db, first), [{ piece_price: 90_000 }, {}], 'what was ordered before costs what it did')
}

for (const [locale, scripts] of localesAndScripts)
  browserTest(`a dealer orders at the price of today, after next month's holds orders again, ${locale}, scripts ${scripts}`, (t, cabinet) =>
    orderNowAndLater(t, cabinet, locale, scripts),
  )

browserTest('products say what they cost before anything is typed; whoever finds none is told so in their language', async (t, cabinet) => {
  plantCatalog(cabinet)
  const page = await cabinet.pageOf('denis', { locale: 'ru-RU' })
  await page.goto('/orders/add')
  t.equal(await page.locator('.field:has([id="items.0.product_id"]) .required-mark').count(), 1, 'what is missing is marked')
  await page.locator('.repeater-row .ts-control').first().click()
  await page.locator('.ts-dropdown:visible .option-aside').first().waitFor()
  t.equal(await page.locator('.ts-dropdown:visible .option[data-value=""]').count(), 0, 'nothing but products is offered')
  t.equal(await page.locator('.dropdown-input:visible').getAttribute('placeholder'), 'Артикул или название')
  await page.locator('.dropdown-input:visible').pressSequentially('zzz')
  await page.locator('.ts-dropdown:visible').getByText('Ничего не найдено').waitFor()
})

browserTest('where there are few products, too, one finds them by article or name and sees their prices', async (t, cabinet) => {
  useCatalog(cabinet.db)
  const handle = insertProduct(cabinet.db, { article: 'H-7', name: 'Handle' })
  insertProduct(cabinet.db, { article: 'W-9', name: 'Window' })
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders/add')
  await choose(page, true, 0, 'hand', handle)
  t.match(await text(page, '[data-repeater="items"] .ts-control'), /H-7 Handle/)
  await page.locator('[data-repeater="items"] .ts-control').first().click()
  const option = page.locator(`.ts-dropdown:visible .option[data-value="${handle}"]`)
  t.ok(await waitUntil(async () => /1\s000,00/.test(await option.innerText())))
})

browserTest('products cost what the company of the chosen dealer pays, and follow when another is chosen', async (t, cabinet) => {
  const { db, cast } = cabinet
  plantCatalog(cabinet)
  const first = insertProduct(db, { article: 'A-1', name: 'First' })
  insertContractPrice(db, cast.companies.beta, first, 55_500)
  const page = await cabinet.pageOf('clerk')
  await page.goto('/orders/add')
  const isOffered = async (price: string) => {
    await page.locator('[data-repeater="items"] .ts-control').first().click()
    const option = page.locator(`.ts-dropdown:visible .option[data-value="${first}"]`)
    const says = await waitUntil(async () => (await option.innerText()).includes(price))
    await page.keyboard.press('Escape')
    return says
  }
  t.ok(await isOffered('1\u00a0000,00\u00a0₽'))
  await page.locator('#dealer_id').selectOption(String(cast.daria))
  t.ok(await isOffered('555,00\u00a0₽'))
  await page.locator('#dealer_id').selectOption(String(cast.denis))
  t.ok(await isOffered('900,00\u00a0₽'))
})

browserTest('on a phone the list of products has a button that closes it, and takes the whole width', async (t, cabinet) => {
  plantCatalog(cabinet)
  const page = await cabinet.pageOf('denis', { viewport: { width: 390, height: 844 }, locale: 'ru-RU' })
  await page.goto('/orders/add')
  await page.locator('.repeater-row .ts-control').first().click()
  const list = page.locator('.ts-dropdown:visible')
  await list.locator('.option-aside').first().waitFor()
  t.same(await violations(page), [])
  await list.getByRole('button', { name: 'Закрыть' }).click()
  await list.waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1000, height: 800 })
  await page.locator('.repeater-row .ts-control').first().click()
  await list.waitFor()
  t.equal(await list.getByRole('button').count(), 0, 'elsewhere a click beside it does')
})

browserTest('who comes to enter a missing price begins in the price, or with a new one', async (t, cabinet) => {
  const { handle } = plantCatalog(cabinet)
  const page = await cabinet.pageOf('clerk')
  const focused = () => page.locator(':focus').getAttribute('name')
  await page.goto(`/products/edit/${handle}#prices`)
  t.equal(await focused(), '_add')
  cabinet.db.delete(productPrices).where(eq(productPrices.product_id, handle)).run()
  await page.goto('/products')
  await page.goto(`/products/edit/${handle}#prices`)
  t.match(await focused(), /_add|prices\[0\]/)
})

browserTest('Enter that is pressed while a product is looked for chooses what was typed, from the first letter on', async (t, cabinet) => {
  const { window } = plantCatalog(cabinet)
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders/add')
  await page.locator('.ts-control').first().waitFor()
  await page.keyboard.type('W-9')
  t.equal(await page.locator('.dropdown-input').first().inputValue(), 'W-9')
  await page.keyboard.press('Enter')
  await waitUntil(async () => (await part(page, 0, 'product_id').inputValue()) !== '')
  t.equal(await part(page, 0, 'product_id').inputValue(), String(window))
  await page.locator('.ts-control').first().click()
  await page.locator('.ts-dropdown:visible .option.active').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('.ts-dropdown:visible').waitFor({ state: 'hidden' })
})

browserTest(
  'what is made to measure is one row at a desk, and the bar below it is one at every width, drafts and lacking prices included',
  async (t, cabinet) => {
    const { window, handle } = plantCatalog(cabinet)
    const page = await cabinet.pageOf('denis', { locale: 'ru-RU' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/orders/add')
    await choose(page, true, 0, 'w-9', window)
    await part(page, 0, 'width').waitFor()
    const top = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => Math.round(element.getBoundingClientRect().top))
    const row = await top('.repeater-row .ts-control')
    for (const name of ['width', 'height', 'quantity']) t.ok(Math.abs((await top(`[name="items[0][${name}]"]`)) - row) < 3, name)
    const item = page.locator('.repeater-row .item').first()
    t.ok(await item.evaluate((element) => element.scrollWidth <= element.clientWidth), 'the name of the product is whole')
    await page.locator('[name=_add][value=items]').click()
    await part(page, 1, 'product_id').waitFor({ state: 'attached' })
    await choose(page, true, 1, 'h-7', handle)
    await page.locator('.order-unpriced').waitFor()
    await page.locator('#draft').getByText('Черновик сохранён').waitFor()
    for (const width of [1440, 1200, 1000, 800]) {
      await page.setViewportSize({ width, height: 900 })
      const tops = await page
        .locator('.save-bar > :visible')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => Math.round((top + bottom) / 2)))
      t.equal(new Set(tops).size, 1, `at ${width} px: ${tops}`)
    }
  },
)

browserTest('three lines by article take six clicks', async (t, cabinet) => {
  const { db, pageOf } = cabinet
  const { handle } = plantCatalog(cabinet)
  const page = await pageOf('denis')
  await page.goto('/orders/add')
  let clicks = 0
  const click = async (selector: string) => {
    clicks++
    await page.locator(selector).click()
  }
  for (let index = 0; index < 3; index++) {
    if (index > 0) await click('[name=_add][value=items]')
    await page.locator('.repeater-row .ts-control').nth(index).waitFor()
    if (!(await page.locator('.dropdown-input:visible').isVisible())) await click(`.repeater-row:nth-child(${index + 1}) .ts-control`)
    await chooseTyped(page, index, 'h-7', handle)
  }
  t.ok(await shows(page, 'total', 270_000))
  const [label] = await page.locator('.line-price .form-label').evaluateAll((all) => all.map((one) => one.clientHeight))
  t.ok(Number(label) < 30, `what is sold by the piece leaves room for its price: its label is ${label} px high`)
  await click('.save-bar .btn-primary')
  await page.waitForURL(/\/orders\/\d+$/)
  t.ok(clicks <= 6, `${clicks} clicks`)
  t.equal(linesOf(db, Number(/\d+$/.exec(page.url())?.[0])).length, 3)
})

browserTest('staff see the total for the dealer chosen last, marked as changing until it has come', async (t, cabinet) => {
  const { db, cast, pageOf } = cabinet
  const { handle } = plantCatalog(cabinet)
  db.update(companies).set({ discount: 20 }).where(eq(companies.id, cast.companies.beta)).run()
  const page = await pageOf('root')
  await page.goto('/orders/add')
  await choose(page, true, 0, 'h-7', handle)
  const releases: (() => void)[] = []
  const isBusy = async () => (await page.locator('#order-total').getAttribute('aria-busy')) === 'true'
  for (const [dealer, kopecks] of [
    [cast.denis, 90_000],
    [cast.daria, 80_000],
  ] as const) {
    await page.locator('select[name=dealer_id]').selectOption(String(dealer))
    t.ok(await shows(page, 'total', kopecks), 'the company of the dealer has a discount')
  }

  await page.route('**/orders/add/price', async (route) => {
    await new Promise<void>((resolve) => releases.push(resolve))
    await route.continue().catch(() => {})
  })
  await part(page, 0, 'quantity').fill('2')
  t.ok(await waitUntil(async () => releases.length === 1), 'it is asked for')
  t.ok(await isBusy(), 'the total is marked as changing')
  t.equal(await page.locator('#order-total input').inputValue(), '', 'and has been seen by nobody')
  await part(page, 0, 'quantity').fill('3')
  t.ok(await waitUntil(async () => releases.length === 2))
  releases[1]?.()
  t.ok(await shows(page, 'total', 240_000))
  t.notOk(await isBusy())
  releases[0]?.()
  await page.waitForTimeout(300)
  t.ok(await shows(page, 'total', 240_000), 'an earlier answer that comes late changes nothing')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

browserTest('Enter goes on to the next field of an order and sends nothing; Ctrl with Enter does', async (t, cabinet) => {
  const { handle } = plantCatalog(cabinet)
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders/add')
  await choose(page, true, 0, 'h-7', handle)
  const before = cabinet.db.select().from(orders).all().length
  await part(page, 0, 'quantity').fill('3')
  await page.keyboard.press('Enter')
  t.notOk(await part(page, 0, 'quantity').evaluate((input) => input.matches(':focus')))
  t.equal(await page.locator('form :focus').count(), 1)
  await page.locator('[name=receiver]').fill('Ivanov')
  await page.keyboard.press('Enter')
  t.match(page.url(), /\/orders\/add(\?draft=\d+)?$/)
  t.equal(cabinet.db.select().from(orders).all().length, before)
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(/\/orders\/\d+$/)
  t.equal(cabinet.db.select().from(orders).all().length, before + 1)
})

browserTest('Enter leads from a chosen product to its sizes and quantity, and from the last of them to a new line', async (t, cabinet) => {
  const { window, handle } = plantCatalog(cabinet)
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders/add')
  const typeInto = async (name: string, value: string) => {
    await page.locator(`[name="${name}"]:focus`).waitFor()
    await page.keyboard.type(value)
    await page.keyboard.press('Enter')
  }
  await page.keyboard.press('ArrowDown')
  await chooseTyped(page, 0, 'w-9', window)
  await typeInto('items[0][width]', '1000')
  await typeInto('items[0][height]', '1000')
  await typeInto('items[0][quantity]', '2')
  await chooseTyped(page, 1, 'h-7', handle)
  await typeInto('items[1][quantity]', '3')
  await page.locator('.repeater-row[data-index="2"] .dropdown-input:focus').waitFor()
  t.ok(await shows(page, 'total', 1_170_000), 'what was in the field is typed over')
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(/\/orders\/\d+$/)
  t.equal(linesOf(cabinet.db, Number(/\d+$/.exec(page.url())?.[0])).length, 2, 'the empty line is left out')
})

browserTest('what is wrong is marked until it is changed: each field by itself, and the summary ends with the last', async (t, cabinet) => {
  const { window } = plantCatalog(cabinet)
  cabinet.provoked.push(/^422 \/orders\/add/)
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders/add')
  await choose(page, true, 0, 'w-9', window)
  await part(page, 0, 'width').waitFor()
  await page.locator('.save-bar .btn-primary').click()
  await page.locator('.error-summary').waitFor()
  const marked = () => page.locator('.has-error [aria-invalid=true]').evaluateAll((inputs) => inputs.map(({ id }) => id))
  const open = () => page.locator('.error-summary li').count()
  t.same([await marked(), await open()], [['items.0.width', 'items.0.height'], 2])
  await part(page, 0, 'width').fill('1000')
  await waitUntil(async () => (await page.locator('#order-total[aria-busy]').count()) === 0)
  await waitUntil(async () => (await open()) === 1)
  t.same([await marked(), await open()], [['items.0.height'], 1], 'the other one is marked still when prices have come')
  await part(page, 0, 'height').fill('1000')
  t.ok(await shows(page, 'items.0.sum', 450_000))
  t.same([await marked(), await page.locator('.error-summary').count()], [[], 0])
})

browserTest('a line that is taken out takes its errors along, the first one that is filled in the error of none', async (t, cabinet) => {
  const { window } = plantCatalog(cabinet)
  cabinet.provoked.push(/^422 \/orders\/add/)
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders/add')
  const mistake = page.locator('.field-error')
  const ends = () => waitUntil(async () => (await mistake.count()) === 0)
  await page.getByRole('button', { name: 'Place order' }).click()
  t.match(await mistake.innerText(), 'Choose a product.')
  const remove = page.getByRole('button', { name: 'Remove line' })
  t.equal(await remove.count(), 0, 'there is nothing to remove of the only line while it is empty')
  await page.getByRole('button', { name: 'Add line' }).click()
  await remove.first().click()
  t.ok(await ends())
  await page.locator('.repeater-row .ts-control').click()
  await chooseTyped(page, 1, 'w-9', window)
  await remove.click()
  await page.getByRole('button', { name: 'Place order' }).first().click()
  t.match(await mistake.innerText(), 'Choose a product.')
  await page.getByRole('button', { name: 'Add line' }).click()
  await page.locator('.dropdown-input:focus').waitFor()
  await chooseTyped(page, 0, 'w-9', window)
  t.ok(await ends())
  t.equal(await page.locator('[id="items-error"]').count(), 0)
})

browserTest('what is offered without lines goes with the first', async (t, cabinet) => {
  const { handle } = plantCatalog(cabinet)
  const page = await cabinet.pageOf('denis')
  await page.goto('/orders/add')
  const without = page.locator('[name=without_lines]')
  await without.waitFor()
  await choose(page, true, 0, 'H-7', handle)
  t.equal(await without.count(), 0)
})

browserTest('however many lines an order has, its sum and what saves it are in sight', async (t, cabinet) => {
  plantCatalog(cabinet)
  const page = await cabinet.pageOf('root')
  for (const width of [1440, 1000, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`/orders/edit/${cabinet.cast.order}`)
    const rows = page.locator('.repeater-row')
    const before = await rows.count()
    for (let more = 1; more <= 8; more++) {
      // The list of products of the line before lies over it.
      await page.locator('[name=_add][value=items]').dispatchEvent('click')
      await rows.nth(before + more - 1).waitFor()
    }
    for (const end of ['0', 'document.body.scrollHeight']) {
      await page.evaluate(`scrollTo({ top: ${end}, behavior: 'instant' })`)
      for (const part of ['#order-total', '.btn-primary']) {
        const { y = 0, height = 0 } = (await page.locator(`.save-bar ${part}`).boundingBox()) ?? {}
        t.ok(y >= 0 && y + height <= 900, `at ${width} px ${part} is at ${y}`)
      }
    }
  }
})
