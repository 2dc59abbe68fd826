import sharp from 'sharp'
import { browserTest, waitUntil } from '../support/browser.ts'
import { checkLooks } from '../support/looks.ts'

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
