import { browserTest, type Page } from '../support/browser.ts'
import { insertEntry } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

/** Where the words of each end. */
const endsOf = (page: Page, selector: string) =>
  page.evaluate<number[]>(`[...document.querySelectorAll('${selector}')].map((element) => {
    const words = document.createRange()
    words.selectNodeContents(element)
    return Math.round(words.getBoundingClientRect().right)
  })`)

browserTest('a sum ends where the amounts above it end, and a balance where balances do', async (t, cabinet) => {
  const { alpha } = cabinet.cast.companies
  const order_id = insertOrder(cabinet, 'payment', { company_id: alpha, cost: 100_00 })
  insertEntry(cabinet.db, alpha, { order_id, date: dayIn(-3), amount: -100_00 })
  insertEntry(cabinet.db, alpha, { kind: 'correction', date: dayIn(-2), amount: 1_234_567_89 })
  const page = await cabinet.pageOf('root')
  for (const width of [1440, 1100]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`/company/edit/${alpha}?tab=ledger`)
    const [amounts, balances] = [
      await endsOf(page, '#ledger-rows [data-col=amount]'),
      await endsOf(page, '#ledger-rows [data-col=balance]'),
    ]
    t.same(
      await endsOf(page, '.list-sums .money'),
      [amounts[0], amounts[0], amounts[0], balances[0]],
      `${width}: charged, paid, corrected, and what it comes to`,
    )
    await page.goto('/ledger/balances')
    for (const column of ['charges', 'corrections', 'closing'])
      t.same(
        await endsOf(page, `#balances-totals [data-col=${column}]`),
        (await endsOf(page, `#balances-rows [data-col=${column}]`)).slice(0, 1),
        `${width}: ${column}`,
      )
  }
})

browserTest('on a phone four figures stand two by two', async (t, cabinet) => {
  insertOrder(cabinet, 'new', {})
  const page = await cabinet.pageOf('root', { viewport: { width: 390, height: 844 } })
  await page.goto('/')
  const places = await page.locator('.tile').evaluateAll((tiles) => tiles.map((tile) => tile.getBoundingClientRect().toJSON()))
  t.equal(places.length, 4)
  t.same([new Set(places.map(({ x }) => x)).size, new Set(places.map(({ y }) => y)).size], [2, 2])
})
