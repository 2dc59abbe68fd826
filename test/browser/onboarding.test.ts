import { readFileSync } from 'node:fs'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { policyKeys } from '../../src/core/policies.ts'
import { companies, orders, permissionSets, users } from '../../src/database/schema/index.ts'
import { rightsOf } from '../../src/modules/users/rights/rights.ts'
import { browserTest, inTime, openCabinet, type Page, type Test } from '../support/browser.ts'

const password = 'a long enough password'

/** Presses buttons and follows links, and counts them; whatever is typed or chosen is done by keyboard. */
function counter() {
  const clicks = { count: 0 }
  const press = async (page: Page, name: string, place: 'main' | 'navigation' | 'banner' = 'main') => {
    clicks.count += 1
    const within = page.getByRole(place).first()
    const named = { name, exact: true }
    await within.getByRole('button', named).or(within.getByRole('link', named)).first().click()
    await page.waitForLoadState()
  }
  return { clicks, press }
}

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name="${name}"]:not([type=hidden])`).first().fill(value)
}

async function enter(page: Page, link: string, press: (page: Page, name: string) => Promise<void>): Promise<void> {
  await page.goto(link)
  await fill(page, { password })
  await press(page, 'Set password and sign in')
  await page.getByRole('heading', { level: 1 }).first().waitFor()
}

const linkOn = async (page: Page) => String(await page.getByRole('textbox', { name: 'Invitation link' }).inputValue())

async function setUp(t: Test, js: boolean): Promise<number> {
  const cabinet = await openCabinet(t, { empty: true, setupToken: 'first' })
  const { db } = cabinet
  const { clicks, press } = counter()
  const newPage = () => cabinet.newPage({ javaScriptEnabled: js })
  const root = await newPage()
  await root.goto('/setup/first')
  await fill(root, { lastname: 'Root', name: 'Olga', email: 'olga@example.com', password })
  await press(root, 'Create account and sign in')
  await press(root, 'Start: Add product categories')
  await fill(root, { name: 'Windows' })
  await press(root, 'Add')
  await root.getByText(/added/).first().waitFor()
  await press(root, 'Managers', 'navigation')
  await press(root, 'Add manager')
  await root.locator('[name=permission_set]').selectOption({ label: 'Senior manager' })
  await fill(root, { lastname: 'Petrova', name: 'Maria', email: 'maria@example.com' })
  await press(root, 'Add')
  const link = await linkOn(root)
  await press(root, 'Dealer cabinet', 'banner')
  await press(root, 'Start: Add the first company')
  await fill(root, { org: 'Alpha Windows' })
  await press(root, 'Add')
  await root.getByText(/added/).first().waitFor()
  t.match(
    db.select().from(companies).get(),
    { manager_id: db.select().from(users).where(eq(users.name, 'Maria')).get()?.id },
    'of the only manager',
  )

  const manager = await newPage()
  await enter(manager, link, press)
  await press(manager, 'Dealers', 'navigation')
  await press(manager, 'Add dealer')
  await manager.locator('select[name=company_id]').selectOption({ label: 'Alpha Windows' })
  await fill(manager, { lastname: 'Denisov', name: 'Denis', email: 'denis@example.com' })
  await press(manager, 'Add')

  const dealer = await newPage()
  await enter(dealer, await linkOn(manager), press)
  await press(dealer, 'Place an order')
  await dealer.locator('[name="items[0][category_id]"]').selectOption({ label: 'Windows' })
  await fill(dealer, { 'items[0][name]': 'Window', 'items[0][quantity]': '1', 'items[0][price]': '1000' })
  await press(dealer, 'Place order')
  await dealer
    .getByText(/placed/)
    .first()
    .waitFor()
  const placed = db.select().from(orders).get()
  await press(dealer, 'Send for signing')
  await dealer.getByText('moved to').first().waitFor()
  t.not(db.select().from(orders).get()?.status_id, placed?.status_id, 'the order has been moved')
  return clicks.count
}

for (const js of [true, false])
  t.test(
    `from an empty database to the first order moved, ${js ? 'with' : 'without'} JavaScript, in as many clicks as the README says`,
    async (t) => {
      const clicks = await inTime(setUp(t as never, js))
      t.equal(clicks, Number(/first order moved in (\d+) clicks/.exec(readFileSync('README.md', 'utf8'))?.[1]))
    },
  )

browserTest('two managers are set up with their rights in six clicks', async (t, { db, pageOf }) => {
  const page = await pageOf('root')
  const { clicks, press } = counter()
  await page.goto('/')
  for (const name of ['Anna', 'Boris']) {
    await press(page, 'Managers', 'navigation')
    await press(page, 'Add manager')
    await fill(page, { lastname: 'New', name, email: `${name}@example.com` })
    await page.locator('[name=permission_set]').selectOption({ label: 'Manager' })
    await press(page, 'Add')
    await page.getByText(/added/).first().waitFor()
  }
  t.equal(clicks.count, 6)
  const set = db.select().from(permissionSets).where(eq(permissionSets.name, 'Manager')).get()
  for (const { id } of db.select().from(users).where(eq(users.lastname, 'New')).all())
    t.same(
      rightsOf(db, id).flatMap(({ key, value }) => (value ? [key] : [])),
      policyKeys.filter((key) => set?.keys.includes(key)),
    )
})

const sheet = (...rows: (string | number)[][]) => ({
  name: 'sheet.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(rows.map((row) => row.join(';')).join('\n')),
})

browserTest('companies and dealers are imported in eight clicks, and importing them again changes nothing', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  const { clicks, press } = counter()
  const [firms, dealers] = [10, 40]
  const company = (at: number) => [`Company ${at}`, String(7701123400 + at)]
  const dealer = (at: number) => [`Company ${at % firms}`, 'Dealer', `Number ${at}`, `dealer${at}@firm.example`]
  const companyRows = sheet(['Organization', 'INN'], ...Array.from({ length: firms }, (_, at) => company(at)))
  const dealerRows = sheet(['Company', 'Last name', 'Name', 'Email'], ...Array.from({ length: dealers }, (_, at) => dealer(at)))
  const check = async (list: string, file: typeof companyRows) => {
    await press(page, list, 'navigation')
    await press(page, 'Import')
    await page.locator('[name=file]').setInputFiles(file)
    await press(page, 'Check')
  }
  await page.goto('/')
  await check('Companies', companyRows)
  await press(page, `Import ${firms} records`)
  await page.getByText('This import was saved.').waitFor()
  await check('Dealers', dealerRows)
  await press(page, `Import ${dealers} records`)
  await page.getByText('This import was saved.').waitFor()
  t.equal(clicks.count, 8)
  await check('Dealers', dealerRows)
  await page.getByText('All records are up to date.').waitFor()
  const bad = sheet(['Company', 'Last name', 'Name', 'Email'], dealer(dealers), ['Nobody', 'Dealer', 'Bad', 'bad@firm.example'])
  await check('Dealers', bad)
  await page.getByText('A3 (Company): There is no company “Nobody”.').waitFor()
})
