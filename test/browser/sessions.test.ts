import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderDrafts, orders, sessions, users } from '../../src/database/schema/index.ts'
import {
  browserTest,
  inTime,
  type OpenCabinet,
  openCabinet,
  overflow,
  type Page,
  type Response,
  signIn,
  type Test,
  violations,
  waitUntil,
} from '../support/browser.ts'
import { emailOf } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'

/** Opens a page and lets everybody's session run out behind it. */
async function openAndLapse({ db, provoked }: OpenCabinet, page: Page, address: string, js = true): Promise<void> {
  provoked.push(/^401 /, /htmx:sse:error/)
  const bell = js && page.waitForResponse((answer) => answer.url().endsWith('/stream') && calledBy(answer)?.endsWith(address) === true)
  await page.goto(address)
  await bell
  db.update(sessions).set({ seen_at: 0 }).run()
}

const calledBy = (answer: Response) => answer.request().headers()['hx-current-url']

async function looksFine(t: Test, page: Page, name: string): Promise<void> {
  t.same(await violations(page), [], `${name} is accessible`)
  t.equal(await overflow(page), 0, `${name} does not scroll sideways`)
}

browserTest('a page whose session ends before its notification stream connects keeps what is being typed', async (t, cabinet) => {
  const { db, provoked } = cabinet
  provoked.push(/^401 .*stream$/)
  const page = await cabinet.pageOf('maria')
  await page.route('**/notifications/stream', async (route) => {
    db.delete(sessions).run()
    await route.continue()
  })
  const refused = page.waitForResponse(/\/stream$/)
  await page.goto('/profile')
  await page.locator('input[name=name]').fill('Half typed')
  await refused
  t.equal(await page.evaluate('new Promise((done) => setTimeout(() => done(location.pathname), 100))'), '/profile')
  t.equal(await page.locator('input[name=name]').inputValue(), 'Half typed')
})

for (const javaScriptEnabled of [true, false])
  browserTest(
    `a form with a file is saved after its session expired, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
    async (t, cabinet) => {
      const { cast, db } = cabinet
      const page = await cabinet.newPage({ javaScriptEnabled })
      await page.goto('/login')
      await signIn(page, 'maria')
      const address = `/company/edit/${cast.companies.alpha}`
      const files = [{ name: 'Contract', file: '0'.repeat(64) }]
      db.update(companies).set({ files }).where(eq(companies.id, cast.companies.alpha)).run()
      await openAndLapse(cabinet, page, `${address}?tab=files`, javaScriptEnabled)
      await page.locator('input[name="files[0][name]"]').fill('Typed long ago')
      await page
        .locator('input[name="files[0][file]"]')
        .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('text') })
      if (javaScriptEnabled) {
        await page.locator('[data-row-add]').last().click()
        await page.getByRole('alert').filter({ hasText: 'session expired' }).waitFor()
      }
      await page.locator('.save-bar .btn-primary').click()
      await page.getByRole('status').filter({ hasText: 'your changes are kept' }).waitFor()
      if (javaScriptEnabled) await looksFine(t, page, 'the sign-in page that keeps a form')
      await signIn(page, 'maria')
      await page
        .getByRole('status')
        .filter({ hasText: /\bsaved\b/i })
        .waitFor()
      t.equal(new URL(page.url()).pathname, address)
      const company = db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()
      t.match(company?.files, [{ name: 'Typed long ago', file: createHash('sha256').update('text').digest('hex') }])
    },
  )

browserTest(
  'what is typed stays where somebody ended the session, and is sent once its person has signed in in another tab',
  async (t, { db, cast, provoked, pageOf }) => {
    provoked.push(/^401 /, /^422 .*orders.add/, /htmx:sse:error/)
    const page = await pageOf('denis')
    await page.goto('/orders/add')
    await page.locator('[name=receiver]').fill('Ivanova')
    await page.getByText(/Draft saved at \d/).waitFor()
    db.delete(sessions).run()
    await page.locator('[name=comment]').fill('Typed last')
    await page.getByText('Draft not saved').waitFor()
    const place = page.getByRole('button', { name: 'Place order', exact: true })
    await place.click()
    const said = page.getByRole('alert').filter({ hasText: 'What you entered is still here' })
    await said.waitFor()
    t.equal(await page.locator('[name=comment]').inputValue(), 'Typed last')
    t.same(await violations(page), [])
    const [tab] = await Promise.all([page.context().waitForEvent('page'), said.getByRole('link', { name: 'Sign in' }).click()])
    await signIn(tab, 'denis')
    await tab.getByRole('heading', { level: 1 }).waitFor()
    await tab.close()
    await page.locator('[name=comment]').press('End')
    await page.locator('[name=comment]').pressSequentially('.')
    await page.getByText(/Draft saved at \d/).waitFor()
    t.match(JSON.stringify(db.select().from(orderDrafts).where(eq(orderDrafts.user_id, cast.denis)).all()), /Typed last\./)
    await said.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').filter({ hasText: 'Not saved' }).or(page.locator('.field-error, .error-summary')).first().waitFor()
    t.equal(await page.locator('[name=comment]').inputValue(), 'Typed last.', 'the form has arrived')
  },
)

browserTest('a form in a dialog stays where somebody ended the session, too', async (t, { db, provoked, pageOf }) => {
  provoked.push(/^401 /, /htmx:sse:error/)
  const page = await pageOf('root')
  const order = db.select().from(orders).get()
  await page.goto(`/orders/${order?.id}`)
  await page.getByRole('link', { name: 'Edit: Customer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('[name=receiver]').fill('Boris')
  db.delete(sessions).run()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'What you entered is still here' }).waitFor()
  t.equal(await dialog.locator('[name=receiver]').inputValue(), 'Boris')
})

browserTest('a switch in a list takes effect after its session expired', async (t, cabinet) => {
  const { cast, db } = cabinet
  const page = await cabinet.pageOf('admin')
  await openAndLapse(cabinet, page, '/dealers?q=denis')
  await page.locator(`#dealers-${cast.denis}`).getByRole('switch').click()
  await page.locator('input[name=password]').waitFor()
  await signIn(page, 'admin')
  t.ok(await waitUntil(async () => new URL(page.url()).search === '?q=denis'), 'back on the list as it was')
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.active, false)
})

t.test('a user resets a forgotten password on a phone', (test) => inTime(resetPassword(test as Test)))

async function resetPassword(t: Test): Promise<void> {
  const office = await startMailServer(t)
  const cabinet = await openCabinet(t, { environment: { SMTP_URL: office.url } })
  const page = await cabinet.newPage({ viewport: { width: 375, height: 750 } })
  await page.goto('/login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await looksFine(t, page, 'the page that asks for the address')
  await page.locator('input[name=email]').fill(emailOf('denis'))
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByRole('status').waitFor()
  await looksFine(t, page, 'the page that says where to look')
  t.ok(await waitUntil(async () => office.letters.length === 1))
  const link = String(/http\S+/.exec(office.letters[0]?.text ?? ''))
  await page.goto(link)
  await looksFine(t, page, 'the page of the link')
  await page.locator('input[name=password]').fill('a good new password')
  await page.getByRole('button', { name: 'Save new password' }).click()
  await page.getByRole('status').filter({ hasText: 'Password changed' }).waitFor()
  t.same(cabinet.complaints, [])
  await page.goto(link)
  await page.getByText('This link has expired').waitFor()
  await looksFine(t, page, 'the page of a used link')
}

browserTest('a user ends other sessions on the profile', async (t, cabinet) => {
  const other = cabinet.newBrowser()
  await other.post('/login', { email: emailOf('maria'), password: 'a good password' })
  const page = await cabinet.pageOf('maria')
  await page.goto('/profile')
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('row').filter({ hasText: 'This session' }).waitFor()
  await page.getByRole('button', { name: 'Sign out other sessions' }).click()
  await page.getByRole('status').filter({ hasText: 'Other sessions signed out' }).waitFor()
  t.equal(await page.locator('tbody tr').count(), 1)
  t.equal((await other.get('/')).statusCode, 303)
})
