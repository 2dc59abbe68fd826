import t from 'tap'
import { group } from '../../src/core/access.ts'
import { categories, companies, products, users } from '../../src/database/schema/index.ts'
import { ordinarySheets } from '../fixtures/sheets/index.ts'
import { separated } from '../fixtures/sheets/write.ts'
import { openCabinet } from '../support/browser.ts'

const dealers = [
  ['ФИО', 'E-mail', 'Организация'],
  ['Соколов Иван Петрович', 'sokolov@example.com', 'ООО «Вега»'],
  ['Белова Анна', 'belova@example.com', 'ИП Орлов И. И.'],
]

const fileOf = async (number: string) => {
  const { content } = ordinarySheets.find(({ name }) => name.startsWith(number)) as (typeof ordinarySheets)[number]
  return { name: 'sheet.xlsx', mimeType: 'application/octet-stream', buffer: await content() }
}

t.test('an owner fills an empty cabinet from three files as they are: thirteen clicks, no box and no field', async (t) => {
  const { db, newPage } = await openCabinet(t, { empty: true, setupToken: 'first' })
  const page = await newPage()
  await page.goto('/setup/first')
  const account = { lastname: 'Root', name: 'Olga', email: 'olga@example.com', password: 'a long enough password' }
  for (const [name, value] of Object.entries(account)) await page.locator(`[name="${name}"]:not([type=hidden])`).first().fill(value)
  await page.getByRole('button', { name: 'Create account and sign in' }).click()
  await page.getByRole('heading', { level: 1 }).first().waitFor()

  let clicks = 0
  const press = async (name: string, place: 'main' | 'navigation' = 'main') => {
    clicks += 1
    const within = page.getByRole(place).first()
    const named = { name, exact: true }
    await within.getByRole('button', named).or(within.getByRole('link', named)).first().click()
    await page.waitForLoadState()
  }
  const send = async (file: Awaited<ReturnType<typeof fileOf>>) => {
    await page.locator('[name=file]').setInputFiles(file)
    await press('Check')
  }
  const save = async (count: number) => {
    await press(`Import ${count} records`)
    await page.getByText('This import was saved.').waitFor()
  }

  await press('Import products')
  await send(await fileOf('01'))
  await press('Take rows of one cell for categories')
  await press('Add categories that are missing')
  await save(3)
  await press('Companies', 'navigation')
  await press('Import')
  await send(await fileOf('12'))
  await save(2)
  await press('Dealers', 'navigation')
  await press('Import')
  await send({ name: 'dealers.csv', mimeType: 'text/csv', buffer: Buffer.from(separated(dealers, ';')) })
  await save(2)

  t.equal(clicks, 13)
  t.same(
    [products, categories, companies].map((table) => db.select().from(table).all().length),
    [3, 2, 2],
  )
  t.equal(
    db
      .select()
      .from(users)
      .all()
      .filter(({ group_id }) => group_id === group.dealer).length,
    2,
  )
})
