import { eq } from 'drizzle-orm'
import { companies } from '../../src/database/schema/index.ts'
import { browserTest } from '../support/browser.ts'
import { insertEntry } from '../support/ledger.ts'

const phone = { viewport: { width: 360, height: 780 } }

browserTest('on a phone an act of reconciliation is read without scrolling to the side, each sum with its name', async (t, cabinet) => {
  const { alpha } = cabinet.cast.companies
  cabinet.db.update(companies).set({ org: 'Индивидуальный предприниматель Гордеев Алексей Петрович' }).where(eq(companies.id, alpha)).run()
  insertEntry(cabinet.db, alpha, { amount: -123_456_789_00 })
  const page = await cabinet.pageOf('root', phone)
  await page.goto(`/company/${alpha}/reconciliation`)
  for (const part of ['html', '.sheet'])
    t.equal(await page.locator(part).evaluate((element) => element.scrollWidth - element.clientWidth), 0, part)
  const named = await page.evaluate<string[]>(`[...document.querySelectorAll('[data-entry] .money:not(:empty)')]
    .map((cell) => getComputedStyle(cell, '::before').content)`)
  t.same(named, ['"Debit "', '"Balance "'])
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const isEndSeen = "document.querySelector('.sheet-signatures').getBoundingClientRect().bottom <= innerHeight"
  t.ok(await page.evaluate(isEndSeen), 'the page itself scrolls')
})
