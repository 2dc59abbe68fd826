import { eq } from 'drizzle-orm'
import { companies, orders } from '../../src/database/schema/index.ts'
import { browserTest, type Locator, type OpenCabinet, violations } from '../support/browser.ts'
import { insertOrder } from '../support/orders.ts'

const queue = '/orders?waiting=1&sort=date_make&dir=asc&cols=date_make,since'

/** Each language once, with scripts and without. */
const localesAndScripts = [
  ['en-GB', true],
  ['ru-RU', false],
] as const

const words = {
  'en-GB': {
    change: 'Edit: Production and dates',
    reason: 'Reason',
    save: 'Save',
    all: 'Select all on this page',
    sheets: 'Work sheets',
    print: 'Print',
  },
  'ru-RU': {
    change: 'Изменить: Производство и сроки',
    reason: 'Причина',
    save: 'Сохранить',
    all: 'Выбрать все на странице',
    sheets: 'Наряды на производство',
    print: 'Печать',
  },
} as const

/** Pavel makes what Alpha orders. */
function startQueue(cabinet: OpenCabinet, count: number): number[] {
  const { cast, db } = cabinet
  const { alpha } = cast.companies
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, alpha)).run()
  const of = { dealer_id: cast.denis, company_id: alpha }
  return Array.from({ length: count }, (_, at) =>
    insertOrder(cabinet, 'production', { ...of, date_make: `2020-01-${String(at + 10)}`, cost: 12_345_67 }),
  )
}

function clicking() {
  let count = 0
  const click = async (target: Locator) => {
    await target.click()
    count++
  }
  return { click, clicks: () => count }
}

for (const [locale, javaScriptEnabled] of localesAndScripts) {
  const how = `${locale}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`
  const text = words[locale]

  browserTest(`production moves the date of an order in two clicks (${how})`, async (t, cabinet) => {
    const [first, second] = startQueue(cabinet, 2) as [number, number]
    const page = await cabinet.pageOf('pavel', { locale, javaScriptEnabled })
    const dateOf = (id: number) => cabinet.db.select().from(orders).where(eq(orders.id, id)).get()?.date_make
    const inList = clicking()
    await page.goto(queue)
    await inList.click(page.locator(`#orders-${first} [data-col=date_make] a`))
    await page.locator('[name=date_make]').waitFor()
    if (javaScriptEnabled) t.same(await violations(page), [])
    await page.locator('[name=date_make]').fill('2030-05-06')
    await page.getByLabel(text.reason).fill('Glass arrives late')
    await inList.click(page.getByRole('button', { name: text.save }))
    await page.locator(`#orders-${first} [data-col=date_make][title="06.05.2030"]`).waitFor()
    t.equal(inList.clicks(), 2)
    t.same([dateOf(first), dateOf(second)], ['2030-05-06', '2020-01-11'])

    const onPage = clicking()
    await page.goto(`/orders/${second}`)
    await onPage.click(page.getByRole('link', { name: text.change }))
    await page.locator('[name=date_make]').fill('2030-07-08')
    await onPage.click(page.getByRole('button', { name: text.save }))
    await page.locator('.order-properties', { hasText: '08.07.2030' }).waitFor()
    t.equal(onPage.clicks(), 2)
    t.same([dateOf(first), dateOf(second)], ['2030-05-06', '2030-07-08'])
  })

  browserTest(`production prints the work sheets of ten orders in three clicks (${how})`, async (t, cabinet) => {
    const ids = startQueue(cabinet, 10)
    const page = await cabinet.pageOf('pavel', { locale, javaScriptEnabled })
    const { click, clicks } = clicking()
    await page.goto(queue)
    if (javaScriptEnabled) await click(page.getByRole('checkbox', { name: text.all }))
    else {
      await click(page.locator(`#orders-${ids[0]} .row-select input`))
      await click(page.locator('#orders-bulk [name=all]'))
    }
    await click(page.getByRole('button', { name: text.sheets }))
    await page.locator('.sheet-document').nth(9).waitFor()
    t.same(
      await page
        .locator('.sheet-document h1')
        .evaluateAll((heads) => heads.map((head) => Number(/\d+$/.exec(head.textContent ?? '')?.[0]))),
      ids,
    )
    t.notMatch(await page.locator('main').innerText(), /345,67|₽/)
    const pdf = (await page.pdf()).toString('latin1')
    t.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 10, 'one page each')
    if (javaScriptEnabled) {
      await page.evaluate('window.print = () => document.body.classList.add("is-printed")')
      await click(page.getByRole('button', { name: text.print }))
      await page.locator('body.is-printed').waitFor()
    }
    t.equal(clicks(), 3)
  })
}
