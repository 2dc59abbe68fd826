import type { Element } from 'domhandler'
import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { pagesOf } from '../support/every-page.ts'
import { parseHtml } from '../support/html.ts'
import { exchangesOf, misfitOf } from '../support/swaps.ts'

t.test('what scripts put into a page fits where it goes: lists, tabs, dialogs, switches', async (t) => {
  const cabinet = await startCabinet(t)
  const browser = await cabinet.as('root')
  const waiting = pagesOf(cabinet)
  const known = new Set(waiting)
  const shapes = new Set<string>()
  const wrong: string[] = []
  const swaps = new Set<string>()
  for (const address of waiting) {
    const { body } = await browser.get(address)
    const tabs = parseHtml(body)<Element, string>(':is(.card-header-tabs, .record-tabs, .record-menu) a[href*="tab="]').toArray()
    for (const { attribs } of tabs) {
      if (!known.has(attribs.href as string)) waiting.push(attribs.href as string)
      known.add(attribs.href as string)
    }
    for (const exchange of exchangesOf(body)) {
      const { method, target, swap, select, label } = exchange
      // What is built of the same parts is asked for once.
      const shape = `${method} ${target} ${swap} ${select} ${label}`.replace(/\d+/g, '')
      if (shapes.has(shape)) continue
      shapes.add(shape)
      swaps.add(swap)
      const misfit = await misfitOf(cabinet, browser, exchange)
      if (misfit) wrong.push(`${address}: the answer to ${method} ${exchange.address} of ${label} ${misfit}`)
    }
  }
  t.same(wrong, [])
  for (const swap of ['innerHTML', 'outerHTML', 'outerMorph', 'beforeend', 'none']) t.ok(swaps.has(swap), swap)
})
