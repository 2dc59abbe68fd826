import { eq } from 'drizzle-orm'
import { users } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page } from '../support/browser.ts'

const field = (page: Page) => page.locator('input[name=phone]')

function phoneOf({ db, cast }: OpenCabinet): string | null | undefined {
  return db.select({ phone: users.phone }).from(users).where(eq(users.id, cast.denis)).get()?.phone
}

async function openCard(cabinet: OpenCabinet, phone: string | null, open?: Page): Promise<Page> {
  cabinet.db.update(users).set({ phone }).where(eq(users.id, cabinet.cast.denis)).run()
  const page = open ?? (await cabinet.pageOf('root'))
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  return page
}

async function save(page: Page): Promise<void> {
  await page.locator('.save-bar .btn-primary').click()
  await page
    .getByRole('status')
    .filter({ hasText: / saved/ })
    .waitFor()
}

/** The field with a bar for the cursor. */
const withCursor = (page: Page) =>
  field(page).evaluate((input: { value: string; selectionStart: number }) => {
    const { value, selectionStart } = input
    return `${value.slice(0, selectionStart)}|${value.slice(selectionStart)}`
  })

async function press(page: Page, keys: string): Promise<void> {
  for (const key of keys.split(' ')) await page.keyboard.press(key)
}

browserTest('a phone number is saved as it is, typed, pasted or filled in by the browser', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  for (const [given, saved] of [
    ['8 900 111-22-33', '+7(900) 111 22 33'],
    ['812 123-45-67', '+7(812) 123 45 67'],
    ['+44 20 7946 0958', '+44 20 7946 0958'],
  ] as const) {
    await openCard(cabinet, null, page)
    await field(page).evaluate((input: { value: string; dispatchEvent(event: Event): unknown }, value) => {
      input.value = value
      for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
    }, given)
    t.equal(await field(page).inputValue(), saved, `${given}, filled in`)
    await field(page).fill('')
    await field(page).pressSequentially(given)
    await field(page).blur()
    t.equal(await field(page).inputValue(), saved, `${given}, typed`)
    await field(page).focus()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(given)
    await field(page).blur()
    t.equal(await field(page).inputValue(), saved, `${given}, pasted over it`)
    await save(page)
    t.equal(phoneOf(cabinet), saved, given)
  }
})

browserTest('a stored phone number of any shape survives that its card is opened, walked through and saved', async (t, cabinet) => {
  const shapes = ['89001112233', '8 (495) 123-45-67', '+44 20 7946 0958', '123-45-67', '+7(900) 111 22 33', '+7(900', 'ask for Anna', '7']
  const page = await cabinet.pageOf('root')
  for (const stored of shapes) {
    await openCard(cabinet, stored, page)
    await field(page).focus()
    await press(page, 'End ArrowLeft Home Tab')
    t.equal(await field(page).inputValue(), stored)
    await page.locator('input[name=middlename]').fill(`M${stored.length}`)
    await save(page)
    t.equal(phoneOf(cabinet), stored)
  }
})

browserTest('a stored phone number that is no Russian one is corrected in place, and gives way to a new one', async (t, cabinet) => {
  const page = await openCard(cabinet, '8 (495) 123-45-67, ext. 12')
  await field(page).press('End')
  await press(page, 'Backspace 3')
  t.equal(await field(page).inputValue(), '8 (495) 123-45-67, ext. 13')
  await openCard(cabinet, '8 (495) 123-45-67', page)
  await field(page).press('End')
  await press(page, 'Backspace 8')
  t.equal(await field(page).inputValue(), '8 (495) 123-45-68', 'one that could be Russian stays as it is written, too')
  await press(page, 'Tab')
  t.equal(await field(page).inputValue(), '8 (495) 123-45-68', 'also when the field is left')
  await field(page).focus()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('89001112233')
  t.equal(await field(page).inputValue(), '+7(900) 111 22 33')
})

browserTest('digits of a phone number are corrected in the middle and deleted from both sides', async (t, cabinet) => {
  const page = await openCard(cabinet, '+7(900) 111 22 33')
  await field(page).press('Home')
  for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight')
  t.equal(await withCursor(page), '+7(900|) 111 22 33')
  await press(page, 'Backspace 5')
  t.equal(await withCursor(page), '+7(905|) 111 22 33', 'one digit for another')
  await press(page, 'Delete 8')
  t.equal(await withCursor(page), '+7(905) 8|11 22 33', 'behind the bracket')
  await press(page, 'Backspace Backspace')
  t.equal(await withCursor(page), '+7(90|1) 122 33')
  await press(page, 'End Backspace Backspace Backspace Backspace Backspace Backspace Backspace Backspace')
  t.equal(await withCursor(page), '+7(|')
  await field(page).fill('89001112233')
  await press(page, 'Home ArrowRight ArrowRight ArrowRight Backspace')
  t.equal(await field(page).inputValue(), '+7(900) 111 22 33', 'before the first digit there is nothing to delete')
  await press(page, 'Home')
  for (let step = 0; step < 7; step++) await page.keyboard.press('ArrowRight')
  for (let step = 0; step < 4; step++) await page.keyboard.press('Shift+ArrowRight')
  await press(page, 'Delete')
  t.equal(await field(page).inputValue(), '+7(900) 223 3', 'what is selected is deleted')
  await field(page).fill('')
  await page.keyboard.type('900')
  await press(page, 'Backspace Backspace Backspace')
  t.equal(await withCursor(page), '|', 'nothing is left of a country code that nobody typed')
})

browserTest('a phone number that an input method composes is shaped when it is composed', async (t, cabinet) => {
  const page = await openCard(cabinet, null)
  await field(page).focus()
  const session = await page.context().newCDPSession(page)
  await session.send('Input.imeSetComposition', { text: '8900', selectionStart: 4, selectionEnd: 4 })
  t.equal(await field(page).inputValue(), '8900', 'nothing is changed under the hand of the input method')
  await session.send('Input.insertText', { text: '89001112233' })
  await press(page, 'Tab')
  t.equal(await field(page).inputValue(), '+7(900) 111 22 33')
})
