import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { accessRequests, users } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page, type Test, violations } from '../support/browser.ts'
import { password } from '../support/cast.ts'
import { isSwitched, message } from '../support/dealers-list.ts'

// A right is missing, asked for and granted: with JavaScript and without it.

const email = 'nina@example.com'
const photo = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#2f9e44' } })
  .png()
  .toBuffer()

for (const js of [true, false])
  browserTest(
    `a new administrator requests a missing permission and gets it, ${js ? 'with' : 'without'} JavaScript`,
    async (t, cabinet) => {
      cabinet.provoked.push(/^403 \//)
      const root = await cabinet.pageOf('root', { javaScriptEnabled: js })
      await register(root, js)
      await grantOnTab(t, root, 'company_can_view')

      const nina = await cabinet.newPage({ javaScriptEnabled: js })
      await enter(nina)
      t.equal((await nina.goto('/companies'))?.status(), 200, 'what was granted opens')
      t.equal((await nina.goto('/dealers'))?.status(), 403)
      t.match(await nina.getByRole('alert').innerText(), 'This needs the "View all dealers" or "View own dealers" (Dealers) permission.')
      if (js) t.same(await violations(nina), [], 'the refused page is accessible')
      await nina.getByLabel('Permission', { exact: true }).selectOption('Dealers: View all dealers')
      await nina.getByLabel('Why do you need it?').fill('Calls from Monday on')
      await nina.getByRole('button', { name: 'Request access' }).click()
      await message(nina, 'Access requested: "View all dealers"').waitFor()
      await nina.getByText('Awaiting decision').waitFor()

      await root.goto('/')
      await root
        .getByRole('navigation', { name: 'Main menu' })
        .getByRole('link', { name: /Access requests.*1/ })
        .click()
      const row = root.locator('tr[id^="requests-"]')
      t.match(await row.innerText(), 'Calls from Monday on')
      if (js) t.same(await violations(root), [], 'the list of requests is accessible')
      await row.getByRole('link', { name: 'View all dealers' }).click()
      const right = root.locator('#rights-dealer_can_view').getByRole('switch')
      await right.click()
      t.ok(await isSwitched(right, true), 'the right is switched on')
      await root.goto('/rights/requests')
      t.equal(await row.count(), 0, 'the switch has decided the request')
      t.match(cabinet.db.select().from(accessRequests).get(), { state: 'granted', decided_by: cabinet.cast.root })

      t.equal((await nina.goto('/dealers'))?.status(), 200, 'the administrator goes on')
      await nina.goto('/rights/requests')
      await nina.getByText('Approved on').waitFor()
      await readWhy(t, cabinet, root)
    },
  )

async function register(page: Page, js: boolean): Promise<void> {
  await page.goto('/admins')
  await page.getByRole('main').getByRole('link', { name: 'Add administrator' }).click()
  // The scripts that open the photo are there with the whole page only.
  await page.waitForURL('**/admins/add')
  await page.locator('input[name=lastname]').fill('Novikova')
  await page.locator('input[name=name]').fill('Nina')
  await page.locator('input[name=email]').fill(email)
  await page.getByRole('checkbox', { name: 'Invite by link' }).focus()
  await page.keyboard.press('Space')
  await page.locator('input[name=password]').fill(password)
  await page.locator('input[type=file]').setInputFiles({ name: 'nina.png', mimeType: 'image/png', buffer: photo })
  if (js) await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await message(page, 'Administrator Novikova Nina added').waitFor()
}

async function grantOnTab(t: Test, page: Page, key: string): Promise<void> {
  await page.getByRole('link', { name: 'Rights', exact: true }).click()
  await page.getByRole('searchbox').fill(key)
  await page.getByRole('searchbox').press('Enter')
  const right = page.locator(`#rights-${key}`).getByRole('switch')
  t.equal(await right.getAttribute('aria-checked'), 'false')
  await right.click()
  t.ok(await isSwitched(right, true), `${key} is switched on`)
}

async function enter(page: Page): Promise<void> {
  await page.goto('/login')
  await page.locator('input[name=email]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
}

/** The card says what she can do now, and by which right. */
async function readWhy(t: Test, { db }: OpenCabinet, page: Page): Promise<void> {
  const nina = db.select().from(users).where(eq(users.email, email)).get()
  t.ok(nina?.image, 'the photo was kept')
  await page.goto(`/admins/edit/${nina?.id}`)
  await page.getByRole('link', { name: 'Access', exact: true }).click()
  const reason = page.getByText('You have the "View all dealers" (Dealers) permission.').first()
  t.notOk(await reason.isVisible(), 'reasons are there on demand')
  await page
    .getByRole('row', { name: /^Dealers/ })
    .locator('summary')
    .first()
    .click()
  await reason.waitFor()
}
