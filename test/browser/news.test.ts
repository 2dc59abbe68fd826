import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { news } from '../../src/database/schema/index.ts'
import { browserTest, type Locator, type OpenCabinet, overflow, saveCard, violations, waitUntil } from '../support/browser.ts'
import { add, editorReady, rich, shots, stored } from '../support/news-pages.ts'

// What authors write meets what readers see; the server's part is tested in test/modules/news.test.ts.

browserTest('no combination of markup pieces leaves the article', async (t, cabinet) => {
  const { sanitizeMarkup: harmless } = await import('../../src/core/sanitize.ts')
  const pieces =
    '<b>|</b>|<p>|</p>|<div>|</div>|<table>|<tr>|<td>|</td>|</table>|<caption>|<col>|<a href="/x">|</a>|<li>|</li>|<ul>|</ul>|<h1>|<h2>|</h2>|<svg>|</svg>|<math>|<mi>|<style>|</style>|<select>|<option>|</select>|<form>|<noscript>|</noscript>|<textarea>|</textarea>|<!--|-->|<i>|</i>|<dl>|<dt>|<dd>|<details>|<summary>|<pre>|\n|<ruby>|<rt>|<video>|</video>|<br/>|</br>|<button>|<center>|<font color=red>|</font>|text|<section>|</section>|<img src=x>|<image src=x>|<article>|</article>|</div></div>|<plaintext>|<frameset>|<body>|</body>|<html>|<nobr>'.split(
      '|',
    )
  let seed = 7
  const next = (most: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * most)
  }
  const texts = Array.from({ length: 4000 }, () =>
    harmless(Array.from({ length: 3 + next(25) }, () => pieces[next(pieces.length)]).join('')),
  )
  const page = await cabinet.newPage()
  const escaped = await page.evaluate<string[]>(`(${JSON.stringify(texts)}).filter((text) => {
    const made = new DOMParser().parseFromString('<main><article><div class="card"><div id="box">' + text + '</div></div></article><p id="end"></p></main>', 'text/html')
    const end = made.getElementById('end')
    const box = made.getElementById('box')
    return end.parentElement.tagName !== 'MAIN' || end.children.length > 0 || box.parentElement.className !== 'card' || box.nextSibling || made.body.children.length !== 1
      || box.parentElement.parentElement.children.length !== 1 || end.previousElementSibling.tagName !== 'ARTICLE'
  })`)
  t.same(escaped, [])
})

browserTest('ordinary rich text is rendered, printed and read as part of the page', async (t, cabinet) => {
  cabinet.provoked.push(/^404 \/news\/none\.mp4$/)
  const id = add(cabinet, rich)
  add(cabinet, '<p>Other</p>')
  const page = await cabinet.pageOf('denis')
  for (const [colorScheme, width] of [
    ['light', 1400],
    ['dark', 375],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.goto(`/news/edit/${id}`)
    const box = page.locator('[data-news]')
    const style = (selector: string, name: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('[data-news] ${selector}'))['${name}']`)
    if (width === 1400) {
      t.equal(await style('p', 'textAlign'), 'center')
      t.equal(await style('span', 'color'), 'rgb(192, 0, 0)')
      t.equal(await style('span', 'backgroundColor'), 'rgb(255, 255, 153)')
      t.equal(await style('td:last-child', 'textAlign'), 'right')
      t.ok(await box.locator('video').isVisible())
      t.equal(await page.evaluate("document.querySelector('[data-news] img').naturalWidth"), 1)
      const tree = await page.locator('main').ariaSnapshot()
      for (const part of ['heading "Prices from 1 September"', 'table', 'list', 'img "A red point"', 'link "A link"']) t.match(tree, part)
      await page.emulateMedia({ media: 'print' })
      t.equal(await page.locator('.topbar').isVisible(), false)
      t.equal(await page.locator('.news-others').isVisible(), false)
      t.ok(await box.isVisible())
      await page.emulateMedia({ media: 'screen' })
    }
    t.same(await violations(page), [])
    t.equal(await overflow(page), 0)
    if (shots) await page.screenshot({ path: `${shots}/article-${colorScheme}-${width}.png`, fullPage: true })
  }
})

const odd = `<P CLASS=x onclick="a()">Unclosed <b>text
<script>window.hacked=1</script><!-- kept --><style>p { color: red }</style><custom-tag data-x='1'>x</custom-tag>&nbsp;&amp; “q” <br><img src=x onerror="parent.hacked=1;top.hacked=1">`

browserTest('the editor sends back the text unchanged unless it was edited', async (t, cabinet) => {
  cabinet.provoked.push(/^csp .*\/x$/, /violates the following Content Security|policy violation: (script|img)-src/, /^404 .*\/x$/)
  const id = add(cabinet, odd)
  const page = await cabinet.pageOf('root')
  await page.goto(`/news/edit/${id}`)
  await editorReady(page)
  const version = stored(cabinet, id)?.version
  t.equal(await page.evaluate('window.hacked'), undefined, 'nothing runs in the editor either')
  await page.locator('input[name=name]').fill('Renamed')
  await saveCard(page)
  t.match(stored(cabinet, id), { name: 'Renamed', description: odd }, 'byte for byte')
  await editorReady(page)
  await saveCard(page)
  t.equal(stored(cabinet, id)?.version, (version ?? 0) + 1, 'nothing changed, nothing saved')
  await editorReady(page)
  const body = page.frameLocator('.tox-edit-area iframe').locator('body')
  await body.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Written')
  await page.locator('.unsaved').waitFor()
  await saveCard(page)
  t.match(stored(cabinet, id)?.description, /Written/)
  t.match(stored(cabinet, id)?.description, /custom-tag data-x="1"/, 'foreign markup survives an edit')
  await editorReady(page)
  const preview = page.getByRole('link', { name: 'Preview' })
  await preview.click()
  await page.locator('[data-news]').waitFor()
  await page.getByRole('link', { name: 'Data' }).click()
  await editorReady(page)
  t.ok(await body.isVisible(), 'and back again')
})

async function file(name: string, colour: string, width = 900) {
  const buffer = await sharp({ create: { width, height: 600, channels: 3, background: colour } })
    .png()
    .toBuffer()
  return { name, mimeType: 'image/png', buffer }
}

const green = { create: { width: 450, height: 300, channels: 3 as const, background: 'lime' } }

/** Red and green above, blue and white below; or turned. */
async function quarters(name: string, turn = 0) {
  const picture = sharp({ create: { width: 900, height: 600, channels: 3, background: 'red' } }).composite([
    { input: green, left: 450, top: 0 },
    { input: { create: { ...green.create, background: 'blue' } }, left: 0, top: 300 },
    { input: { create: { ...green.create, background: 'white' } }, left: 450, top: 300 },
  ])
  return {
    name,
    mimeType: 'image/png',
    buffer: await sharp(await picture.png().toBuffer())
      .rotate(turn)
      .png()
      .toBuffer(),
  }
}

/** The colours of a stored picture above and below, left and right of its middle, at such parts of its sides. */
async function storedPicture(cabinet: OpenCabinet, key: string | undefined, [near, far]: [number, number]) {
  const { rawPayload: picture } = await (await cabinet.as('root')).get(`/news/images/${key}/1920`)
  const { width = 0, height = 0 } = await sharp(picture).metadata()
  const colourAt = async (x: number, y: number) => {
    const point = { left: Math.floor(width * x), top: Math.floor(height * y), width: 1, height: 1 }
    const [red = 0, green = 0, blue = 0] = await sharp(picture).extract(point).raw().toBuffer()
    return colourNames[[red, green, blue].map((part) => (part > 127 ? 1 : 0)).join('')]
  }
  const places = [near, far].flatMap((y) => [near, far].map((x) => colourAt(x, y)))
  return { width, height, colours: await Promise.all(places) }
}

const colourNames: Record<string, string> = { '100': 'red', '010': 'green', '001': 'blue', '111': 'white' }

/** What is shown of a picture that is being cropped. */
function croppingOf(dialog: Locator) {
  const boxOf = async (name: string) => (await dialog.locator(name).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const boxes = () => Promise.all([boxOf('cropper-selection'), boxOf('cropper-image'), boxOf('[data-stage]')])
  const near = (a: number, b: number) => Math.abs(a - b) <= 1.5
  const press = (name: string, times: number) =>
    dialog.getByRole('button', { name }).evaluate<void, number, { click(): void }>((button, times) => {
      for (let at = 0; at < times; at++) button.click()
    }, times)
  return {
    boxes,
    press,
    picture: dialog.locator('cropper-image img'),
    isWhole: async () => {
      const [selected, picture, stage] = await boxes()
      const isInside = picture.y >= stage.y - 1 && picture.y + picture.height <= stage.y + stage.height + 1
      return isInside && (['x', 'y', 'width', 'height'] as const).every((side) => near(selected[side], picture[side]))
    },
    isTurnedLeft: () =>
      dialog.locator('cropper-image').evaluate<boolean, { $getTransform(): number[] }>((image) => Number(image.$getTransform()[1]) < 0),
    isInMiddle: async () => {
      const [selected, picture] = await boxes()
      return (
        near(selected.x + selected.width / 2, picture.x + picture.width / 2) &&
        near(selected.y + selected.height / 2, picture.y + picture.height / 2)
      )
    },
  }
}

browserTest('several pictures of an article are uploaded, reordered, cropped, rotated, rejected and saved', async (t, cabinet) => {
  cabinet.provoked.push(/^415 \/news\/images$/, /^422 \/news\/edit/, /^net::ERR_INTERNET_DISCONNECTED/)
  const id = add(cabinet, '<p>x</p>')
  const page = await cabinet.pageOf('root')
  await page.goto(`/news/edit/${id}`)
  const rows = page.locator('[data-picture]')
  const keys = async () => rows.evaluateAll((all) => all.map((row) => (row.querySelector('input') as unknown as { value: string }).value))
  const input = page.locator('input[type=file]')
  const focused = page.locator(':focus')
  await page.evaluate(`document.dispatchEvent(new Event('htmx:after:swap'))`)
  await input.setInputFiles([
    await quarters('a.png'),
    { name: 'setup.png', mimeType: 'image/png', buffer: Buffer.from('MZ program') },
    await quarters('b.png', 180),
  ])
  t.ok(await waitUntil(async () => (await rows.count()) === 2), 'both arrive')
  await page.getByText('setup.png: Use a JPEG, PNG, WebP, GIF, or AVIF image.').first().waitFor()
  const removeProblem = page.getByRole('button', { name: 'Remove image' }).filter({ hasText: 'Remove' })
  await removeProblem.click()
  t.equal(await page.locator('.picture-row').count(), 2)
  t.equal(await focused.getAttribute('id'), 'images', 'another one may be chosen')
  const [first, second] = await keys()
  await rows.nth(1).getByRole('button', { name: 'Move up' }).click()
  t.same(await keys(), [second, first], 'by a button')
  const up = rows.nth(0).getByRole('button', { name: 'Move up' })
  t.ok(await up.evaluate((button) => button.matches(':focus')), 'which may be pressed again')
  if (shots) await page.screenshot({ path: `${shots}/form-pictures.png`, fullPage: true })
  await page.locator('input[name=name]').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#name-error').waitFor()
  t.same(await keys(), [second, first], 'a failed save loses none')
  await page.locator('input[name=name]').fill('With pictures')
  await saveCard(page)
  t.same(stored(cabinet, id)?.images, [second, first])
  await rows.nth(1).dragTo(rows.nth(0), { sourcePosition: { x: 60, y: 40 }, targetPosition: { x: 10, y: 40 } })
  t.ok(await waitUntil(async () => (await keys())[0] === first), 'by dragging')
  const unsaved = page.locator('.unsaved')
  await unsaved.waitFor()
  await unsaved.evaluate((note) => Object.assign(note, { hidden: true }))

  t.equal(await input.getAttribute('data-max'), '30')
  await input.evaluate((field) => Object.assign(field.dataset, { max: 2 }))
  const dialog = page.getByRole('dialog')
  const cropping = croppingOf(dialog)
  const crop = (at: number) => rows.nth(at).getByRole('button', { name: 'Crop and rotate' }).click()
  await crop(0)
  t.ok(await waitUntil(cropping.isWhole), 'at first the whole picture')
  await cropping.press('Zoom out', 1)
  t.ok((await cropping.isInMiddle()) && !(await cropping.isWhole()), 'less of it')
  await cropping.press('Zoom out', 40)
  t.ok((await cropping.boxes())[0].height >= 16, 'what is cut out can still be seen')
  await cropping.press('Zoom in', 40)
  t.ok(await cropping.isWhole(), 'all of it again, and no more')
  await page.keyboard.press('ArrowRight')
  t.ok(await cropping.isWhole(), 'nothing beyond the picture')
  await cropping.press('Rotate left', 1)
  t.ok((await cropping.isWhole()) && (await cropping.isTurnedLeft()))
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  t.same(await keys(), [first, second], 'nothing was changed')

  await crop(0)
  await cropping.picture.waitFor()
  await cropping.press('Rotate right', 1)
  await cropping.press('Zoom out', 4)
  for (const key of ['ArrowUp', 'ArrowLeft']) for (let press = 0; press < 10; press++) await page.keyboard.press(key)
  await cropping.press('Zoom in', 1)
  for (const key of ['ArrowDown', 'ArrowRight']) for (let press = 0; press < 3; press++) await page.keyboard.press(key)
  t.same(await violations(page), [])
  if (shots) await page.screenshot({ path: `${shots}/cut.png` })
  await dialog.getByRole('button', { name: 'Apply' }).dblclick()
  await dialog.waitFor({ state: 'hidden' })
  t.ok(await waitUntil(async () => (await rows.count()) === 2 && (await keys())[0] !== first), 'a new picture in its place')
  await rows.nth(0).locator('[data-picture-edit]:focus').waitFor()
  t.ok(await unsaved.isVisible(), 'which waits to be saved')
  t.equal((await keys())[1], second)
  await page.route('**/1920', async (route) => {
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await route.continue()
  })
  await crop(1)
  t.ok(await waitUntil(async () => (await rows.count()) === 2 && (await keys())[1] !== second), 'accepted before it is shown')
  const said = page.locator('[data-pictures-said]')
  await input.setInputFiles(await file('c.png', 'red'))
  await said.filter({ hasText: 'c.png: Up to 30 images.' }).waitFor()
  await removeProblem.click()
  await input.evaluate((field) => Object.assign(field.dataset, { max: 3 }))
  await page.route('**/news/images?*', async (route) => {
    await page.getByRole('progressbar', { name: 'Uploading c.png' }).waitFor()
    await route.abort('internetdisconnected')
  })
  await input.setInputFiles(await file('c.png', 'red'))
  await said.filter({ hasText: 'c.png: Upload failed. Try again.' }).waitFor()
  await page.unroute('**/news/images?*')
  await removeProblem.click()
  const large = join(cabinet.app.config.dataDir, 'large.png')
  writeFileSync(large, Buffer.alloc(10 * 1024 ** 2 + 1))
  await input.setInputFiles(large)
  await said.filter({ hasText: 'large.png: Images are limited to 10 MB.' }).waitFor()
  await removeProblem.click()
  await saveCard(page)
  const [turned, whole] = stored(cabinet, id)?.images ?? []
  const { width, height, colours } = await storedPicture(cabinet, turned, [0.5, 0.65])
  t.ok(Math.abs(width - 600 * 0.729) < 4 && Math.abs(height - 900 * 0.729) < 4, `turned and cut: ${width} × ${height}`)
  t.same(colours, ['blue', 'red', 'white', 'green'], 'where it was cut')
  t.match(await storedPicture(cabinet, whole, [0.45, 0.55]), { width: 900, height: 600, colours: ['white', 'blue', 'green', 'red'] })
  await rows.nth(0).getByRole('button', { name: 'Remove image' }).click()
  await rows.nth(0).getByRole('button', { name: 'Remove image' }).click()
  t.equal(await focused.getAttribute('id'), 'images', 'none is left')
  await saveCard(page)
  t.same(stored(cabinet, id)?.images, [])
})

browserTest('the editor asks for no address that an article names but pictures of news', async (t, cabinet) => {
  cabinet.provoked.push(
    /^404 \/news\/images\//,
    /violates the following Content Security Policy directive: "img-src/,
    /policy violation: img-src|^csp |Failed to get image dimensions/,
  )
  const picture = `/news/images/${'0'.repeat(64)}/480`
  const text = `<p>Text</p><img src="/orders/export"><img src="/impersonate/5"><img src="https://evil.example/x.png"><img src="${picture}">`
  const id = add(cabinet, text, { images: ['0'.repeat(64)] })
  const page = await cabinet.pageOf('root', { locale: 'ru-RU', colorScheme: 'dark' })
  const asked: string[] = []
  page.on('response', (answer) => asked.push(answer.url()))
  await page.goto(`/news/edit/${id}`)
  await editorReady(page)
  t.ok(await waitUntil(async () => asked.some((address) => address.endsWith(picture))), 'pictures of news are shown')
  t.notOk(asked.some((address) => /export|impersonate|evil/.test(address)))
  t.equal(await page.locator('.tox-edit-area iframe').getAttribute('title'), 'Текст')
  t.equal(await page.frameLocator('.tox-edit-area iframe').locator('body').getAttribute('aria-label'), 'Текст')
  const colourOf = (style: string) => page.evaluate<string>(style)
  const body = 'hugerte.activeEditor.getWin().getComputedStyle(hugerte.activeEditor.getBody())'
  t.equal(await colourOf(`${body}.color`), await colourOf('getComputedStyle(document.body).color'), 'in the colours of the page')
  t.equal(
    await colourOf(`${body}.backgroundColor`),
    await colourOf(`getComputedStyle(document.querySelector('.record-card')).backgroundColor`),
  )
  t.equal(await page.locator('link[href*="skins/ui/oxide-dark/"]').count(), 1)
  await page.evaluate(`hugerte.activeEditor.execCommand('mceImage')`)
  await page.getByRole('dialog').locator('.tox-listbox').click()
  await page.getByText('1. 00000000').click()
  t.equal(await page.getByRole('dialog').locator('input[type=url]').inputValue(), picture.replace('480', '1920'))
  await page.keyboard.press('Escape')
  await page.locator('input[name=name]').fill('Renamed')
  const saved = page.waitForEvent('domcontentloaded')
  await page.locator('.save-bar .btn-primary').click()
  await saved
  t.match(stored(cabinet, id), { name: 'Renamed', description: text }, 'the text stays as written')
})

browserTest('without JavaScript an editor writes an article with pictures', async (t, cabinet) => {
  cabinet.provoked.push(/^4(15|22) \/news/)
  const page = await cabinet.pageOf('root', { javaScriptEnabled: false })
  await page.goto('/news/add')
  await page.locator('input[name=name]').fill('Plain')
  const html = `\n${odd}\n`
  await page.locator('textarea').fill(html)
  await page.locator('input[type=file]').setInputFiles([await file('a.png', 'red'), await file('b.png', 'blue')])
  await page.locator('input[name=publishedon]').fill('2031-05-06T07:08')
  await page.getByRole('button', { name: 'Add' }).last().click()
  await page
    .getByRole('status')
    .filter({ hasText: /\bsaved\b/i })
    .waitFor()
  const message = cabinet.db.select().from(news).all().at(-1)
  t.match(message, { name: 'Plain', description: html, published: false, publishedon: new Date(2031, 4, 6, 7, 8).getTime() })
  t.equal(message?.images.length, 2)
  t.equal(await page.locator('textarea').inputValue(), html)
  await saveCard(page)
  t.equal(stored(cabinet, message?.id as number)?.version, 1, 'nothing changed')
  await page.getByRole('button', { name: 'Move up' }).last().click()
  await saveCard(page)
  t.same(stored(cabinet, message?.id as number)?.images, message?.images.toReversed())
  await page.goto('/news')
  await page.getByRole('switch').first().click()
  t.equal(stored(cabinet, message?.id as number)?.published, true)
})
