import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, settings } from '../../src/database/schema/index.ts'
import { browserTest, openCabinet, overflow, violations, waitUntil } from '../support/browser.ts'
import { insertCompany } from '../support/companies.ts'
import { insertEntry, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const phone = { width: 390, height: 844 }

const seed = (cabinet: Parameters<Parameters<typeof browserTest>[1]>[1]) => {
  const { db, cast } = cabinet
  const { alpha, beta } = cast.companies
  db.update(companies).set({ payment_days: 10, credit_limit: 1_500_000_00, inn: '7707083893' }).where(eq(companies.id, alpha)).run()
  db.update(settings).set({ legal_name: 'ООО «Фабрика окон»', inn: '5001000001', signatory: 'Фролов Ф. Ф.' }).run()
  for (const [date, cost] of [
    ['2026-05-20', 250_000_00],
    ['2026-08-03', 1_234_567_89],
    ['2026-09-20', 90_000_00],
  ] as const) {
    const order_id = insertOrder(cabinet, 'payment', { company_id: alpha, cost, due_since: date })
    insertEntry(db, alpha, { order_id, date, amount: -cost })
    if (cost === 1_234_567_89) payOrder(db, order_id, 400_000_00, '2026-09-10')
  }
  insertEntry(db, beta, { kind: 'correction', amount: 12_345_00, date: '2026-09-01', note: 'Opening balance' })
}

browserTest(
  'balances and the act of a company fit a screen and a phone, light and dark, and can be used by everybody',
  async (t, cabinet) => {
    seed(cabinet)
    const { alpha } = cabinet.cast.companies
    for (const [options, name] of [
      [{}, 'screen'],
      [{ viewport: phone, colorScheme: 'dark', locale: 'ru-RU' }, 'phone'],
    ] as const) {
      const page = await cabinet.pageOf('root', options)
      for (const address of ['/ledger/balances?on=2026-09-30', `/company/${alpha}/reconciliation?from=2026-05-01&until=2026-09-30`]) {
        await page.goto(address)
        t.same(await violations(page), [], `${name} ${address}`)
        t.equal(await overflow(page), 0, `${name} ${address} scrolls sideways only in its frame`)
      }
    }
  },
)

browserTest(
  'of balances of millions what is overdue is in sight on a desk, and beside the ages of debts whose they are',
  async (t, cabinet) => {
    seed(cabinet)
    insertEntry(cabinet.db, cabinet.cast.companies.alpha, { date: '2026-09-02', amount: -12_345_678_90 })
    const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
    await page.setViewportSize({ width: 1440, height: 900 })
    const place = page.locator('.table-responsive')
    const over = () => place.evaluate((one) => one.scrollWidth - one.clientWidth)
    for (const width of [768, 1100, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/ledger/balances?on=2026-09-30')
      t.equal(await over(), 0, `all in sight at ${width}`)
      const heads = await page.locator('thead th[data-col]:visible').evaluateAll((all) => all.map((head) => head.getAttribute('data-col')))
      for (const key of ['company', 'closing', 'owed', 'overdue']) t.ok(heads.includes(key), `${key} at ${width}`)
      t.notOk(heads.includes('age_90'), `nothing is of that age at ${width}`)
      const sums = await page
        .locator('#balances-totals > [data-col]:visible')
        .evaluateAll((all) => all.map((cell) => cell.getAttribute('data-col')))
      t.same(
        sums.filter(Boolean),
        heads.filter((key) => sums.includes(key)),
        `sums stand below them at ${width}`,
      )
      const isCut = await page
        .locator('#balances-rows .cut')
        .evaluateAll((all) => all.some((cut) => cut.scrollHeight > cut.clientHeight + 1))
      t.notOk(isCut, `names are whole at ${width}`)
    }
    await page.goto(
      '/ledger/balances?on=2026-09-30&cols=opening,charges,payments,corrections,age_30,age_60,age_90,age_over,limit,last_payment',
    )
    const edgeOf = async (column: string) => {
      const { x, width } = (await page.locator(`#balances-rows td[data-col=${column}]`).first().boundingBox()) as {
        x: number
        width: number
      }
      return { from: x, to: x + width }
    }
    t.ok((await edgeOf('overdue')).to <= 1440)
    const company = await edgeOf('company')
    await place.evaluate((one) => one.scrollTo(one.scrollWidth, 0))
    t.same(await edgeOf('company'), company)
    t.ok((await edgeOf('age_over')).from >= company.to)
  },
)

t.test('the sums of very many companies come by themselves after the page', async (t) => {
  // So many are read through a connection of its own, which sees only what is saved.
  const cabinet = await openCabinet(t)
  const { db } = cabinet
  db.$client.exec('begin')
  for (let index = 0; index < 1001; index++) insertEntry(db, insertCompany(cabinet, { org: `Company ${index}` }), { amount: -100 })
  db.$client.exec('commit')
  const page = await cabinet.pageOf('root')
  await page.goto('/ledger/balances')
  t.ok(await waitUntil(async () => (await page.locator('#balances-totals [data-col=closing]').getAttribute('data-kopecks')) === '-100100'))
  t.equal(new URL(page.url()).search, '', 'and the address stays')
  t.same(cabinet.complaints, [], 'no console error, no policy violation, no failed request')
})
