import { eq } from 'drizzle-orm'
import { news, orders } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page, saveCard, waitUntil } from '../support/browser.ts'
import { checkLooks } from '../support/looks.ts'
import { insertOrder } from '../support/orders.ts'

const dateOf = ({ db, cast }: OpenCabinet) => db.select().from(orders).where(eq(orders.id, cast.order)).get()?.date_make
const field = (page: Page) => page.locator('[name=date_make]')
const dayInFocus = `document.activeElement?.shadowRoot?.activeElement?.ariaLabel`

/** Where the open calendar is, in pixels from its field. */
async function distances(page: Page): Promise<{ below?: number; above?: number; aside: number }> {
  const [panel, place] = [
    await page.locator('.calendar-panel').boundingBox(),
    await page.locator('.date-field:has([name=date_make])').boundingBox(),
  ]
  if (!panel || !place) throw new Error('no calendar')
  const below = Math.round(panel.y - place.y - place.height)
  const above = Math.round(place.y - panel.y - panel.height)
  return { ...(below > 0 ? { below } : { above }), aside: Math.round(panel.x - place.x) }
}

async function openCard(cabinet: OpenCabinet, locale: 'en-GB' | 'ru-RU' = 'en-GB'): Promise<Page> {
  const page = await cabinet.pageOf('root', { locale })
  await page.goto(`/orders/edit/${cabinet.cast.order}`)
  return page
}

browserTest('a date is typed as pages show it, as a number or as programs write it', async (t, cabinet) => {
  const page = await openCard(cabinet)
  for (const [typed, shown, stored] of [
    ['1.2.2031', '01.02.2031', '2031-02-01'],
    ['03042031', '03.04.2031', '2031-04-03'],
    ['2031-06-05', '05.06.2031', '2031-06-05'],
    ['  ', '  ', null],
  ] as const) {
    await field(page).fill(typed)
    await field(page).blur()
    t.equal(await field(page).inputValue(), shown, `${typed} is shown so at once`)
    t.equal(await field(page).getAttribute('aria-invalid'), 'false')
    t.equal(await field(page).getAttribute('inputmode'), 'numeric', 'with the keys that a date needs')
    await saveCard(page)
    t.equal(dateOf(cabinet), stored)
    t.equal(await field(page).inputValue(), shown.trim())
  }
})

browserTest('what is no date is refused beside its field and stays as typed', async (t, cabinet) => {
  cabinet.provoked.push(/^422 /)
  const page = await openCard(cabinet)
  const before = dateOf(cabinet)
  await field(page).fill('31.02.2031')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#date_make-error', { hasText: 'Enter a valid date.' }).waitFor()
  t.equal(await field(page).inputValue(), '31.02.2031')
  t.equal(dateOf(cabinet), before)
  await field(page).fill('28.02.2031')
  await saveCard(page)
  t.equal(dateOf(cabinet), '2031-02-28')
})

for (const [locale, words] of [
  [
    'en-GB',
    {
      name: 'Choose a date: Production date',
      day: 'February 14',
      weekday: /^Monday\s+Mon$/,
      dayBefore: 'January 31',
      weekLater: 'February 21',
      monthLater: 'March 21',
      placeholder: 'DD.MM.YYYY',
    },
  ],
  [
    'ru-RU',
    {
      name: 'Выбрать дату: Дата изготовления',
      day: '14 февраля',
      weekday: /^понедельник\s+пн$/i,
      dayBefore: '31 января',
      weekLater: '21 февраля',
      monthLater: '21 марта',
      placeholder: 'ДД.ММ.ГГГГ',
    },
  ],
] as const)
  browserTest(`a day is chosen from the calendar by keyboard (${locale})`, async (t, cabinet) => {
    const page = await openCard(cabinet, locale)
    t.equal(await field(page).getAttribute('placeholder'), words.placeholder)
    await field(page).fill('14.02.2031')
    const button = page.getByRole('button', { name: words.name })
    await field(page).evaluate((input) => input.scrollIntoView({ block: 'start' }))
    await button.press('Enter')
    const calendar = page.getByRole('dialog', { name: words.name })
    t.ok(await waitUntil(async () => (await page.evaluate(dayInFocus)) === words.day), 'it opens at the date of the field')
    t.match(await calendar.locator('.calendar-heading[aria-hidden=true]').innerText(), /^(?:February|Февраль) 2031/)
    t.match(await calendar.locator('th').first().innerText(), words.weekday, 'weeks begin on it')
    t.ok(await calendar.getByRole('button', { name: words.dayBefore, exact: true }).isVisible(), 'weeks are whole')
    t.same(await distances(page), { below: 4, aside: 0 })
    await checkLooks(t, page, 'the open calendar')
    await page.keyboard.press('Escape')
    await calendar.waitFor({ state: 'hidden' })
    t.equal(await field(page).inputValue(), '14.02.2031', 'Escape changes nothing')

    await page.setViewportSize({ width: 1400, height: 460 })
    await field(page).evaluate((input) => input.scrollIntoView({ block: 'end' }))
    await button.press('Enter')
    t.ok(await waitUntil(async () => (await page.evaluate(dayInFocus)) === words.day))
    t.same(await distances(page), { above: 4, aside: 0 }, 'above the field where there is no room below')
    t.equal(await page.locator('.calendar-panel').count(), 1)
    await page.keyboard.press('ArrowDown')
    await waitUntil(async () => (await page.evaluate(dayInFocus)) === words.weekLater)
    await page.keyboard.press('PageDown')
    await waitUntil(async () => (await page.evaluate(dayInFocus)) === words.monthLater)
    t.match(await calendar.locator('.calendar-heading').innerText(), /^(?:March|Март) 2031/)
    await page.keyboard.press('Enter')
    await calendar.waitFor({ state: 'hidden' })
    t.equal(await field(page).inputValue(), '21.03.2031')
    t.ok(await button.evaluate((element) => element.matches(':focus')), 'work goes on at the button')
    await page.locator('.unsaved:not([hidden])').waitFor()
  })

browserTest('a moment keeps its time when another day is chosen', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/news/add')
  await page.locator('[name=name]').fill('Later')
  const moment = page.locator('[name=publishedon]')
  await moment.fill('1.2.2031 9:05')
  t.equal(await moment.getAttribute('inputmode'), 'text', 'a time has a colon')
  const devices = await page.context().newCDPSession(page)
  await devices.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' })
  await page.getByRole('button', { name: 'Choose a date' }).click()
  const heading = page.locator('.calendar-heading')
  t.equal(await heading.innerText(), 'February 2031', 'west of Greenwich, too')
  await page.getByRole('button', { name: 'Next month' }).click()
  t.equal(await heading.innerText(), 'March 2031')
  await page.getByRole('button', { name: 'Previous month' }).click()
  t.ok(Number((await page.getByText('Previous month').boundingBox())?.width) <= 1, 'arrows need no words')
  await page.getByRole('button', { name: 'February 3', exact: true }).click()
  t.equal(await moment.inputValue(), '03.02.2031 09:05')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /\bsaved\b/i })
    .waitFor()
  t.equal(cabinet.db.select().from(news).all().at(-1)?.publishedon, new Date(2031, 1, 3, 9, 5).getTime())
  t.equal(await moment.inputValue(), '03.02.2031 09:05')
})

browserTest('a list is filtered by a day, typed or chosen, and not by what is none', async (t, cabinet) => {
  const [early, late] = [insertOrder(cabinet, 'new', { date_make: '2031-02-01' }), insertOrder(cabinet, 'new', { date_make: '2031-03-01' })]
  const page = await cabinet.pageOf('root')
  const row = (id: number) => page.locator(`#orders-${id}`)
  await page.goto('/orders')
  await page.getByText('More filters').click()
  await page.locator('details#orders-filters').waitFor()
  t.equal(await page.locator('summary:focus').innerText(), 'More filters', 'the keyboard goes on where it was')
  const from = page.getByLabel('Production date from', { exact: true })
  await from.and(page.getByPlaceholder('DD.MM.YYYY')).waitFor()
  await from.fill('31.2.2031')
  await from.press('Tab')
  t.equal(await from.evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage), 'Enter a valid date.')
  t.equal(await from.getAttribute('aria-invalid'), 'true', 'screen readers say so')
  t.equal(new URL(page.url()).searchParams.get('date_make_from'), null, 'nothing was asked for')
  await from.fill('15.2.2031')
  await from.press('Tab')
  await page.locator('.tag', { hasText: '15.02.2031' }).waitFor()
  t.equal(new URL(page.url()).searchParams.get('date_make_from'), '2031-02-15')
  t.same([await row(early).count(), await row(late).count()], [0, 1])

  const until = page.getByLabel('Production date to', { exact: true })
  t.equal(await until.getAttribute('placeholder'), 'DD.MM.YYYY', 'other dates are still texts')
  await page.getByRole('button', { name: 'Choose a date: Production date to' }).click()
  const today = page.locator('calendar-month [part~=today]:focus')
  await today.waitFor()
  t.equal(await today.innerText(), String(await page.evaluate('new Date().getDate()')), 'it opens at today')
  await page.keyboard.press('Escape')
  await page.locator('.calendar-panel').waitFor({ state: 'hidden' })
  t.ok(await until.isVisible(), 'the filters stay open')
  await page.getByRole('button', { name: 'Choose a date: Production date to' }).click()
  await page.locator('calendar-month').getByRole('button').first().click()
  await page.locator('#orders-tools .tag', { hasText: '–' }).waitFor()
  t.equal(await page.locator('#orders-tools .tag').count(), 1, 'both ends are one filter')
  t.match(new URL(page.url()).searchParams.get('date_make_until'), /^20\d\d-\d\d-\d\d$/)
})

browserTest('without JavaScript a date field is that of the browser', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { javaScriptEnabled: false })
  await page.goto(`/orders/edit/${cabinet.cast.order}`)
  t.equal(await field(page).getAttribute('type'), 'date')
  t.equal(await page.getByRole('button', { name: 'Choose a date' }).count(), 0)
  await field(page).fill('2031-02-01')
  await saveCard(page)
  t.equal(dateOf(cabinet), '2031-02-01')
})
