import type { Page } from 'playwright-core'
import { companies, statusTransitions } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, overflow } from '../support/browser.ts'
import { setOrder } from '../support/orders.ts'

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true }

/** An order whose next step is Maria's, and that she can cancel. */
function plantOrder({ db }: OpenCabinet, setTo: () => number): number {
  db.update(statusTransitions).set({ issues: [] }).run()
  return setTo()
}

const edges = (page: Page, selector: string) =>
  page
    .locator(selector)
    .last()
    .evaluate((one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom] as const)

for (const javaScriptEnabled of [true, false])
  browserTest(
    `on a phone the next step stays in sight and covers nothing, the others are a sheet${javaScriptEnabled ? '' : ', without JavaScript, too'}`,
    async (t, cabinet) => {
      const order = plantOrder(cabinet, () => setOrder(cabinet, 'apply', { receiver: 'Anna' }))
      const page = await cabinet.pageOf('maria', { ...phone, javaScriptEnabled })
      await page.goto(`/orders/${order}`)
      const step = page.getByRole('button', { name: 'Request payment' })
      const [top, bottom] = await edges(page, '.order-steps .btn-primary')
      t.ok(top > 640 && bottom <= 740, `the step is at the lower edge (${top} to ${bottom})`)
      await page.evaluate('scrollTo(0, 9999)')
      t.same(await edges(page, '.order-steps .btn-primary'), [top, bottom], 'and stays there')
      const [, end] = await edges(page, '#main .card')
      t.ok(end <= (await edges(page, '.order-steps'))[0], 'the end of the page is above it')
      t.equal(await overflow(page), 0)

      const cancel = page.getByRole('button', { name: 'Cancel order' })
      t.notOk(await cancel.isVisible())
      await page.getByRole('button', { name: 'Other steps' }).tap()
      t.ok(await cancel.isVisible(), 'what else can be done is in the sheet')
      await page.locator('#other-steps').getByRole('button', { name: 'Close' }).tap()
      t.notOk(await cancel.isVisible())

      await page.setViewportSize({ width: 1200, height: 800 })
      t.notOk(await page.getByRole('button', { name: 'Other steps' }).isVisible(), 'a desk has the room for all')
      await page.locator('.order-others > summary').click()
      t.ok((await cancel.isVisible()) && (await step.isVisible()))
    },
  )

browserTest(
  'on a phone the likely step is pinned, or the first of those that are as likely, quietly for whom the order does not wait',
  async (t, cabinet) => {
    const order = plantOrder(cabinet, () => setOrder(cabinet, 'apply', { receiver: 'Anna' }))
    const shownTo = async (who: 'denis' | 'root' | 'pavel') => {
      const page = await cabinet.pageOf(who, phone)
      await page.goto(`/orders/${order}`)
      return page.evaluate(`[...document.querySelectorAll('.order-steps > :is(form, a, button, div:not(.order-rest))')].map((one) => {
      const button = one.querySelector('.btn') ?? one
      return [button.ariaLabel ?? button.textContent.trim(), getComputedStyle(one.parentElement).position, button.classList.contains('btn-primary')]
    })`)
    }
    t.same(await shownTo('denis'), [], 'a dealer who waits has no step')
    t.same(await shownTo('root'), [
      ['Request payment', 'fixed', false],
      ['Other steps', 'fixed', false],
    ])
    setOrder(cabinet, 'production', { delivery: null })
    cabinet.db.update(companies).set({ manufacture_id: cabinet.cast.site }).run()
    t.same(await shownTo('pavel'), [
      ['Hand over for delivery', 'fixed', true],
      ['Other steps', 'fixed', false],
    ])
  },
)

browserTest('on a phone a file has the room of its name, below what it is', async (t, cabinet) => {
  const order = setOrder(cabinet, 'apply', { specification: 'specification.pdf', invoice: 'invoice.pdf' })
  const page = await cabinet.pageOf('root', phone)
  await page.goto(`/orders/${order}/edit/documents`)
  t.equal(await overflow(page), 0)
  const boxesOf = (selector: string) =>
    page
      .locator(selector)
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ top, bottom, height }) => ({ top, bottom, height })))
  const [files, removals, choices] = await Promise.all(['.stored-file', '.file-removal', '.file-choice'].map(boxesOf))
  t.equal(files?.length, 2)
  for (const [at, { top, height }] of (files ?? []).entries()) {
    t.ok(height < 50, `in one line: ${height}`)
    t.ok(top >= (choices?.[at]?.bottom ?? Number.NaN), 'below what replaces it')
    t.ok((removals?.[at]?.top ?? 0) >= (choices?.[at]?.bottom ?? Number.NaN), 'as is what removes it')
  }
})
