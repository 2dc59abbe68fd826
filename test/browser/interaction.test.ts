import { setTimeout as pause } from 'node:timers/promises'
import { companies } from '../../src/database/schema/index.ts'
import { browserTest, type Locator, type Page, waitUntil } from '../support/browser.ts'
import { cell, hasTotal, plantCrowd, region, search } from '../support/dealers-list.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder } from '../support/orders.ts'

// What hands, eyes and ears notice: nothing opens, leaves, moves or speaks that nobody asked for.

const boxes = (page: Page) => region(page).locator('tbody .row-select input')

/** Absence is only seen by whoever waits a little; on a slow machine this notices less, and never fails for nothing. */
const aMoment = () => pause(300)

browserTest('a date filter waits until the date is complete', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  const asked: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/activity' && searchParams.get('from')) asked.push(searchParams.get('from'))
  })
  await page.goto('/activity')
  await page.locator('#activity-from-range summary').click()
  await page.locator('input[name=from]').focus()
  await page.keyboard.type('02022025', { delay: 30 })
  await page.keyboard.press('Tab')
  await page.locator('#activity-table .tag', { hasText: 'Period: from' }).waitFor()
  t.same(asked, ['2025-02-02'], 'the years 2, 20 and 202 are not asked for')
})

browserTest('what is typed into a search before its scripts have come is searched for when they have', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin')
  const waiting: (() => void)[] = []
  await page.route('**/cabinet.js', async (route) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    await route.continue()
  })
  const opened = page.goto('/dealers', { waitUntil: 'commit' })
  await page.locator('#dealers-q').pressSequentially('denis')
  t.ok(await waitUntil(async () => waiting.length > 0), 'scripts are asked for')
  t.ok(Number(await region(page).getAttribute('data-total')) > 1)
  for (const go of waiting) go()
  await opened
  await page.locator('#dealers-table[data-total="1"]').waitFor()
  t.equal(await page.locator('#dealers-q').inputValue(), 'denis')
})

browserTest('a page that people see answers clicks once it is drawn', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.addInitScript(`Object.defineProperty(document, 'visibilityState', { value: 'visible' })`)
  await page.goto('/dealers')
  await page.locator('#find[data-htmx-powered]').waitFor()
  await page.locator('#find').click()
  await page.locator('#dialog #find-q').waitFor()
  t.pass('and answer')
})

browserTest('Shift selects and deselects the rows between two clicks', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  const ticked = () => boxes(page).evaluateAll((all) => all.flatMap((box, at) => (box.matches(':checked') ? [at] : [])))
  await boxes(page).nth(1).click()
  await boxes(page)
    .nth(4)
    .click({ modifiers: ['Shift'] })
  t.same(await ticked(), [1, 2, 3, 4])
  t.match(await region(page).getByRole('form', { name: 'Selected rows' }).innerText(), /4 selected/)
  await boxes(page).nth(3).click()
  await boxes(page)
    .nth(2)
    .click({ modifiers: ['Shift'] })
  t.same(await ticked(), [1, 4], 'upwards too')
  await boxes(page).nth(6).click()
  t.same(await ticked(), [1, 4, 6], 'without Shift only the one')
  t.equal(await region(page).locator('tr.is-selected').count(), 3, 'they look different')
  const all = page.getByRole('checkbox', { name: 'Select all on this page' })
  const stateOf = (box: Locator) => box.evaluate((one: { checked?: boolean; indeterminate?: boolean }) => [one.checked, one.indeterminate])
  t.same(await stateOf(all), [false, true], 'some of the page')
  await all.click()
  t.same(await stateOf(all), [true, false], 'all of it')
  const results = region(page).locator('.bulk-bar [name=all]')
  await results.check()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  t.same([await ticked(), await stateOf(all), await results.isChecked()], [[], [false, false], false], 'none')
  t.notOk(await results.isVisible(), 'and nothing to do with them')

  await boxes(page).nth(0).click()
  await results.check()
  await boxes(page).nth(0).click()
  t.ok(await results.isVisible(), 'all results, though no row is ticked')
  await search(page, 'crowd')
  t.ok(await hasTotal(page, 55))
  t.ok(
    await waitUntil(async () => !(await region(page).getByRole('form', { name: 'Selected rows' }).isVisible())),
    'not those of another search',
  )
})

browserTest('selecting text in a row does not open its card', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers?q=denis')
  const text = await page.locator(`#dealers-${cabinet.cast.denis} td[data-col=company]`).boundingBox()
  if (!text) throw new Error('the row shows no company')
  const middle = text.y + text.height / 2
  await page.mouse.move(text.x + 12, middle)
  await page.mouse.down()
  await page.mouse.move(text.x + 40, middle, { steps: 5 })
  await page.mouse.up()
  await aMoment()
  t.ok(await page.evaluate('getSelection().toString()'), 'the text is marked')
  t.equal(new URL(page.url()).pathname, '/dealers')
})

browserTest('a click with Ctrl opens the card of a row in a tab of its own', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers?q=denis')
  const opened = page.context().waitForEvent('page')
  await cell(page, cabinet.cast.denis, 'name').click({ modifiers: ['ControlOrMeta'] })
  await (await opened).waitForURL(`**/dealers/edit/${cabinet.cast.denis}**`)
  t.equal(new URL(page.url()).pathname, '/dealers', 'the list stays')
})

browserTest('a menu closes when another one opens, and when somebody clicks beside it', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  const open = (name: string) => page.locator(`#dealers-${name}[open]`).count()
  await page.locator('#dealers-columns > summary').click()
  t.equal(await open('columns'), 1)
  await page
    .locator('#dealers-columns input, #dealers-columns .dropdown-menu')
    .first()
    .click({ position: { x: 2, y: 2 } })
  t.equal(await open('columns'), 1, 'a click in it leaves it open')
  await page.locator('#dealers-export > summary').click()
  t.same([await open('columns'), await open('export')], [0, 1])
  await page.locator('h1').first().click()
  t.equal(await open('export'), 0)
})

browserTest('a long choice of a filter is narrowed by what is typed', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  for (let number = 1; number < 9; number++)
    cabinet.db
      .insert(companies)
      .values({ org: `Works ${number}` })
      .run()
  await page.goto('/orders?choose=company')
  const filter = page.locator('#orders-company')
  await filter.getByRole('searchbox').fill(' WORKS 7')
  t.same(await filter.locator('li:visible').allInnerTexts(), ['Works 7'])
  await filter.getByRole('searchbox').fill(' ёл')
  t.same(await filter.locator('li:visible').allInnerTexts(), ['ООО «Бета Ёлка»'])
  await filter.getByRole('searchbox').fill('')
  t.ok((await filter.locator('li:visible').count()) > 8)
})

browserTest('a secret is copied by its button, which says so', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/profile?tab=security')
  await page.getByLabel('Token name').fill('Ledger')
  await page.getByRole('button', { name: 'Create token' }).click()
  const token = await page.locator('[data-token]').getAttribute('data-token')
  await page.getByRole('button', { name: 'Copy token' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  t.equal(await page.evaluate('navigator.clipboard.readText()'), token)
  await page.evaluate(
    `navigator.clipboard.writeText('something else').then(() => { navigator.clipboard.writeText = () => Promise.reject(Error('refused')) })`,
  )
  await page.getByRole('button', { name: 'Copied' }).click()
  t.ok(
    await waitUntil(async () => (await page.evaluate('navigator.clipboard.readText()')) === token),
    'also where pages cannot write there',
  )
})

browserTest('a table keeps its horizontal scroll position when its rows are replaced', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin', { viewport: { width: 800, height: 700 } })
  await page.goto('/orders?cols=date_make,date_delivery,date_payment,since,receiver,phone,vat,last_message')
  const place = page.locator('.list-region').locator('.table-responsive')
  const aside = () => place.evaluate((element) => element.scrollLeft)
  await place.evaluate((element) => element.scrollTo({ left: 60, behavior: 'instant' }))
  await page
    .locator('.list-region')
    .locator('th[data-col=cost] a')
    .evaluate((link: { click(): void }) => link.click())
  t.ok(
    await waitUntil(
      async () => (await page.locator('.list-region').locator('th[data-col=cost]').getAttribute('aria-sort')) === 'ascending',
    ),
  )
  t.equal(await aside(), 60)
})

browserTest('the bell announces each number once', async (t, cabinet) => {
  const page = await cabinet.pageOf('denis')
  const connected = page.waitForResponse(/\/notifications\/stream$/)
  await page.goto('/profile')
  await connected
  await page.evaluate(`window.said = []
    new MutationObserver(() => said.push(document.getElementById('bell-news').textContent.trim()))
      .observe(document.getElementById('bell-news'), { childList: true, subtree: true, characterData: true })
    document.getElementById('bell').addEventListener('unread', (event) => { window.unread = event.detail })`)
  const said = async () => (await page.evaluate<string[]>('said')).filter((text) => /^\d/.test(text))
  notifyRecipients(cabinet, [cabinet.cast.denis], 'Apply')
  t.ok(await waitUntil(async () => (await said()).length > 0), 'the first')
  // A stream that was interrupted begins with what is unread.
  await page.evaluate(`document.getElementById('bell').dispatchEvent(new CustomEvent('unread', { detail: unread }))`)
  await aMoment()
  t.match(await said(), [/1 unread/])
  t.equal((await said()).length, 1, 'what stays the same is not said again')
  notifyRecipients(cabinet, [cabinet.cast.denis], 'Payment')
  notifyRecipients(cabinet, [cabinet.cast.denis], 'Paid', insertOrder(cabinet, 'paid'))
  t.ok(await waitUntil(async () => /3 unread/.test((await said()).at(-1) ?? '')), 'the last')
  t.ok((await said()).length <= 3, 'each number once')
  t.match((await said()).at(-1), /3 unread/)
})

browserTest('keyboard users see which element has the focus', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  for (const path of ['/dealers', `/dealers/edit/${cabinet.cast.denis}`]) {
    await page.goto(path)
    for (let step = 0; step < 25; step++) {
      await page.keyboard.press('Tab')
      const [what, visible] = await page.evaluate<[string, boolean]>(focusRing)
      t.ok(visible, `${path}: ${what}`)
    }
  }
})

/** What has the focus, and whether an outline or a shadow around it, or around what it lies in, says so. */
const focusRing = `(() => {
  const focused = document.activeElement
  const marked = (element) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && outlineColor !== 'rgba(0, 0, 0, 0)') || boxShadow !== 'none'
  }
  return [focused.outerHTML.slice(0, 120), marked(focused)]
})()`
