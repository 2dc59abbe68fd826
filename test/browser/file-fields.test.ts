import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { browserTest, waitUntil } from '../support/browser.ts'
import { checkLooks } from '../support/looks.ts'
import { insertOrder, orderOf } from '../support/orders.ts'

const file = { name: 'dealers.csv', mimeType: 'text/csv', buffer: Buffer.from('Email\n') }
const others = { name: 'more.csv', mimeType: 'text/csv', buffer: Buffer.from('Email\n') }

for (const [locale, words] of [
  ['en-GB', { label: 'Spreadsheet (xlsx, csv)', button: 'Choose a file', size: 'dealers.csv · 0 kB' }],
  ['ru-RU', { label: 'Таблица (xlsx, csv)', button: 'Выбрать файл', size: 'dealers.csv · 0 кБ' }],
] as const)
  browserTest(`a file is chosen with a button in the reader's language, and its name is said (${locale})`, async (t, cabinet) => {
    const page = await cabinet.pageOf('root', { locale })
    await page.goto('/dealers/import')
    const input = page.getByLabel(words.button).and(page.getByLabel(words.label))
    t.equal(await input.getAttribute('type'), 'file')
    await checkLooks(t, page, 'a file field')
    const choosing = page.waitForEvent('filechooser')
    await input.press('Enter')
    await (await choosing).setFiles(file)
    const said = page.locator('.file-choice').getByRole('status')
    await said.filter({ hasText: 'dealers.csv' }).waitFor()
    t.equal((await said.innerText()).replace(/\s/g, ' '), words.size)
    const again = page.waitForEvent('filechooser')
    await page.locator('.file-choice .btn').click()
    await (await again).setFiles(others)
    await said.filter({ hasText: 'more.csv' }).waitFor()
    t.notMatch(await said.innerText(), 'dealers.csv', 'one file is chosen')
  })

browserTest('chosen files say how large they are, and a picture shows itself in small', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers/import')
  const said = page.locator('.file-choice').getByRole('status')
  for (const [size, words] of [
    [250_000, '250 kB'],
    [999_949, '999.9 kB'],
    [1_000_000, '1 MB'],
    [1_540_000, '1.5 MB'],
  ] as const) {
    await page.locator('input[type=file]').setInputFiles({ ...file, buffer: Buffer.alloc(size, 'a') })
    t.equal((await said.innerText()).replace(/\s/g, ' '), `dealers.csv · ${words}`)
  }
  t.equal(await said.locator('canvas').count(), 0, 'a table is no picture')

  await page.goto(`/company/edit/${cabinet.cast.companies.alpha}?tab=files`)
  await page.getByRole('button', { name: 'Add file' }).click()
  const width = () => page.locator('.chosen-file canvas').evaluate((canvas: { width: number }) => canvas.width)
  for (const [shape, wanted] of [
    [{ width: 200, height: 100 }, 128],
    [{ width: 1000, height: 100 }, 128],
    [{ width: 100, height: 100 }, 64],
  ] as const) {
    const buffer = await sharp({ create: { ...shape, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    await page.locator('input[name="files[0][file]"]').setInputFiles({ name: 'shop.png', mimeType: 'image/png', buffer })
    t.ok(await waitUntil(async () => (await width()) === wanted), `${shape.width} × ${shape.height}: ${await width()} wide`)
  }
})

browserTest('without JavaScript a file field is that of the browser', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { javaScriptEnabled: false })
  await page.goto('/dealers/import')
  t.equal(await page.evaluate(`getComputedStyle(document.querySelector('input[type=file]')).opacity`), '1')
  t.notOk(await page.locator('.file-choice .btn').isVisible(), 'which has its own button')
})

const small = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') }

browserTest(
  'a file of more than 25 MB is refused where it is chosen: nothing is sent, and a smaller one takes its place',
  async (t, cabinet) => {
    const order = insertOrder(cabinet, 'apply', { dealer_id: cabinet.cast.denis, company_id: cabinet.cast.companies.alpha })
    const large = join(t.testdir({ 'plan.csv': '' }), 'plan.csv')
    truncateSync(large, 25 * 1024 ** 2 + 1)
    const page = await cabinet.pageOf('root')
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
    await page.goto(`/orders/${order}`)
    await page.locator('#text').fill('A message that is not sent yet')
    const tile = page.locator('#documents input[type=file][name=invoice]')
    await tile.setInputFiles(large)
    await page.locator('#documents').getByRole('alert').getByText('Files are limited to 25 MB.').waitFor()
    t.same(sent, [])
    t.equal(await page.locator('#text').inputValue(), 'A message that is not sent yet')
    await page.locator('#text').fill('')
    await tile.setInputFiles(small)
    await page.getByRole('link', { name: 'plan.pdf' }).first().waitFor()
    t.ok(orderOf(cabinet.db, order).invoice)

    await page.goto(`/orders/${order}/edit/documents`)
    const field = page.locator('#specification')
    await field.setInputFiles(large)
    await page.getByRole('button', { name: 'Save' }).click()
    const said = page.locator('.file-choice').getByText('Files are limited to 25 MB.')
    await said.waitFor()
    t.equal(await field.getAttribute('aria-invalid'), 'true')
    await checkLooks(t, page, 'a file that is too large')
    t.equal(sent.filter((address) => address.endsWith('/edit/documents')).length, 0)
    await field.setInputFiles(small)
    t.equal(await said.count(), 0)
    t.equal(await field.getAttribute('aria-invalid'), null)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Documents, order #${order} saved`).waitFor()

    await page.goto('/dealers/import')
    await page.locator('#file').setInputFiles(large)
    t.equal(await page.getByText(/limited to/).count(), 0, 'a spreadsheet may be larger')
  },
)
