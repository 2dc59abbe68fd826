import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { users } from '../../src/database/schema/index.ts'
import { browserTest, type Locator, type OpenCabinet, overflow, type Page, saveCard, violations, waitUntil } from '../support/browser.ts'

// A photo is chosen, cut and seen; the server's part is tested in test/modules/avatars.test.ts.

/** Red on the left, blue on the right, and turned by its EXIF so that red is shown on top. */
async function photo(): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const red = { create: { width: 900, height: 600, channels: 3 as const, background: 'red' } }
  const picture = sharp({ create: { width: 1800, height: 600, channels: 3, background: 'blue' } }).composite([
    { input: red, left: 0, top: 0 },
  ])
  return { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: await picture.jpeg().withMetadata({ orientation: 6 }).toBuffer() }
}

const imageOf = ({ db, cast }: OpenCabinet) => db.select().from(users).where(eq(users.id, cast.maria)).get()?.image

/** Whether a point of a picture, from 0 to 1, is red or blue. */
async function colourAt(picture: Buffer, height: number): Promise<'red' | 'blue'> {
  const { width = 0, height: pixels = 0 } = await sharp(picture).metadata()
  const point = { left: Math.floor(width / 2), top: Math.floor(pixels * height), width: 1, height: 1 }
  const [red = 0, , blue = 0] = await sharp(picture).extract(point).raw().toBuffer()
  return red > blue ? 'red' : 'blue'
}

async function storedColours({ as }: OpenCabinet, key: unknown) {
  const picture = (await (await as('root')).get(`/avatars/${key}/320`)).rawPayload
  return Promise.all([colourAt(picture, 0.05), colourAt(picture, 0.95)])
}

const file = (page: Page) => page.locator('input[name="image"]')
const preview = (page: Page) => page.locator('[data-image-preview]')
/** What was cut out, once the dialog has closed. */
const crop = async (page: Page) => {
  await page.locator('dialog.image-dialog').waitFor({ state: 'hidden' })
  const input = page.locator('input[name="image[crop]"]')
  await waitUntil(async () => (await input.inputValue()) !== '')
  return input.inputValue()
}
const previewed = async (page: Page) => {
  const address = (await preview(page).getAttribute('src')) ?? ''
  const picture = Buffer.from(address.replace(/^data:.*?,/, ''), 'base64')
  return Promise.all([colourAt(picture, 0.05), colourAt(picture, 0.95)])
}

/** How far a photo is zoomed in, and how far its middle is from that of the square, in pixels. */
async function placeOf(dialog: Locator) {
  const [photo, square] = await Promise.all(['cropper-image', '[data-stage]'].map((name) => dialog.locator(name).boundingBox()))
  if (!photo || !square) throw new Error('no photo')
  const zoom = Math.round((10 * photo.width) / square.width) / 10
  const x = Math.round(photo.x + photo.width / 2 - square.x - square.width / 2)
  const y = Math.round(photo.y + photo.height / 2 - square.y - square.height / 2)
  return { zoom, x, y }
}

async function pressOften(dialog: Locator, name: string): Promise<void> {
  await dialog.getByRole('button', { name }).evaluate<void, { click(): void }>((button) => {
    for (let press = 0; press < 40; press++) button.click()
  })
}

browserTest("a manager's photo is chosen, cropped, saved and shown", async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto(`/managers/edit/${cabinet.cast.maria}`)
  await file(page).setInputFiles(await photo())
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await dialog.locator('cropper-image img').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  t.ok(await waitUntil(async () => (await file(page).inputValue()) === ''), 'cancelled: nothing will be sent')
  t.equal(await preview(page).isVisible(), false)

  await file(page).setInputFiles(await photo())
  await dialog.locator('cropper-image img').waitFor()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  t.equal(await crop(page), '0,600,600', 'at first the middle')
  t.same(await previewed(page), ['red', 'blue'])
  t.equal(await page.locator('.chosen-file').filter({ hasText: /\w/ }).count(), 0, 'which says enough of the file')

  await file(page).setInputFiles(await photo())
  await dialog.locator('cropper-image img').waitFor()
  await pressOften(dialog, 'Zoom in')
  t.same(await placeOf(dialog), { zoom: 8, x: 0, y: 0 }, 'zoomed into its middle, eight times at most')
  for (const key of ['ArrowLeft', 'ArrowUp']) await page.keyboard.press(key)
  t.same(await placeOf(dialog), { zoom: 8, x: -16, y: -16 })
  for (const key of ['ArrowRight', 'ArrowDown', '-']) await page.keyboard.press(key)
  t.same(await placeOf(dialog), { zoom: 7.3, x: 0, y: 0 })
  await page.keyboard.press('=')
  t.same(await placeOf(dialog), { zoom: 8, x: 0, y: 0 })
  await pressOften(dialog, 'Zoom out')
  t.same(await placeOf(dialog), { zoom: 1, x: 0, y: 0 }, 'its whole width, and no less')
  await dialog.locator('[data-stage]').hover()
  await page.mouse.wheel(0, -100)
  t.ok(await waitUntil(async () => (await placeOf(dialog)).zoom > 1), 'by the wheel, too')
  await pressOften(dialog, 'Zoom out')
  await pressOften(dialog, 'Up')
  t.same(await placeOf(dialog), { zoom: 1, x: 0, y: -320 }, 'up to its edge')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  t.equal(await crop(page), '0,1200,600', 'its lower end')
  await file(page).setInputFiles(await photo())
  await dialog.locator('cropper-image img').waitFor()
  for (let press = 0; press < 40; press++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  t.equal(await crop(page), '0,0,600', 'moved by the keys, as far as the picture goes')
  t.same(await previewed(page), ['red', 'red'])
  await saveCard(page)
  const key = imageOf(cabinet)
  t.same(await storedColours(cabinet, key), ['red', 'red'], 'what was seen is what was stored')

  await page.getByLabel('Remove photo').check()
  await file(page).setInputFiles(await photo())
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await waitUntil(async () => (await preview(page).getAttribute('src')) === `/avatars/${key}/320`), 'the photo of before is shown')
  await file(page).setInputFiles(await photo())
  const stage = dialog.locator('[data-stage]')
  await dialog.locator('cropper-image img').waitFor()
  for (let press = 0; press < 5; press++) await dialog.getByRole('button', { name: 'Zoom in' }).click()
  const box = await stage.boundingBox()
  const middle = { x: (box?.x ?? 0) + 160, y: (box?.y ?? 0) + 160 }
  await page.mouse.move(middle.x, middle.y)
  await page.mouse.down()
  await page.mouse.move(middle.x - 50, middle.y - 2000, { steps: 5 })
  await page.mouse.up()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  const [x = 0, y = 0, size = 0] = (await crop(page)).split(',').map(Number)
  t.ok(size > 300 && size < 450, `a smaller part of it: ${size}`)
  t.equal(y + size, 1800, 'dragged to its lower end')
  t.ok(x > 0 && x + size <= 600, `and aside: ${x}`)
  await saveCard(page)
  t.same(await storedColours(cabinet, imageOf(cabinet)), ['blue', 'blue'], 'instead of the one to be removed')

  await page.goto('/managers')
  const shown = page.locator(`#managers-${cabinet.cast.maria} img`)
  t.ok(await waitUntil(() => shown.evaluate<boolean, { naturalWidth: number }>((image) => image.naturalWidth === 96)))

  await page.goto(`/managers/edit/${cabinet.cast.maria}`)
  await page.getByLabel('Remove photo').check()
  await saveCard(page)
  t.equal(imageOf(cabinet), null)
})

browserTest('the crop dialog fits in light and dark, wide and narrow', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto('/managers/add')
    await file(page).setInputFiles(await photo())
    await page.locator('cropper-image img').waitFor()
    for (const [width, height] of [
      [1400, 900],
      [375, 750],
    ] as const) {
      await page.setViewportSize({ width, height })
      if ((colorScheme === 'dark') === (width === 375)) t.same(await violations(page), [], `${colorScheme}, ${width}`)
      t.equal(await overflow(page), 0)
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/dialog-${colorScheme}-${width}.png` })
    }
    await page.getByRole('button', { name: 'Apply' }).click()
    if (colorScheme === 'light') t.same(await violations(page), [], 'the preview')
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/field-${colorScheme}-375.png` })
  }
})

/** Pictures are large, and who chose one may choose another before it has been read. */
const decodeLater = `
  const read = createImageBitmap
  const begun = new Promise((begin) => { window.decode = begin })
  window.createImageBitmap = (file) => begun.then(() => read(file))
`

browserTest('a file that is not a picture or is too large is rejected before it is sent', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/managers/add')
  const message = page.locator('#image-error')
  await file(page).setInputFiles({
    name: 'photo.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  })
  await message.filter({ hasText: 'Use a JPEG, PNG' }).waitFor()
  t.equal(await file(page).inputValue(), '')
  t.equal(await file(page).getAttribute('aria-invalid'), 'true')
  const large = join(cabinet.app.config.dataDir, 'large.jpg')
  writeFileSync(large, Buffer.alloc(10 * 1024 ** 2 + 1))
  await file(page).setInputFiles(large)
  await message.filter({ hasText: 'limited to 10 MB' }).waitFor()
  t.equal(await file(page).inputValue(), '')
  t.equal(await file(page).getAttribute('aria-describedby'), 'image-error')
  await page.evaluate(decodeLater)
  await file(page).setInputFiles(await photo())
  await file(page).setInputFiles(await photo())
  await page.evaluate('decode()')
  await page.locator('cropper-image img').waitFor()
  await page.getByRole('button', { name: 'Apply' }).click()
  await message.waitFor({ state: 'hidden' })
  t.equal(await file(page).getAttribute('aria-invalid'), null)
  await preview(page).waitFor()
  await file(page).setInputFiles([])
  await preview(page).waitFor({ state: 'hidden' })
  t.equal(await page.locator('input[name="image[crop]"]').inputValue(), '', 'none is chosen any more')
})

browserTest('without JavaScript a picture is cropped to its center', async (t, cabinet) => {
  cabinet.provoked.push(/^4(15|22) \/managers/)
  const page = await cabinet.pageOf('root', { javaScriptEnabled: false })
  await page.goto(`/managers/edit/${cabinet.cast.maria}`)
  await file(page).setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#image-error').filter({ hasText: 'Use a JPEG, PNG' }).waitFor()
  await file(page).setInputFiles(await photo())
  await page.locator('input[name="name"]').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#name-error').waitFor()
  await preview(page).waitFor()
  await page.locator('input[name="name"]').fill('Maria')
  await saveCard(page)
  t.same(await storedColours(cabinet, imageOf(cabinet)), ['red', 'blue'])
  await page.getByLabel('Remove photo').check()
  await saveCard(page)
  t.equal(imageOf(cabinet), null)
})
