import sharp from 'sharp'
import { news } from '../../src/database/schema/index.ts'
import { browserTest, overflow, saveCard, violations, waitUntil } from '../support/browser.ts'
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
  for (const [colorScheme, width] of [
    ['light', 1400],
    ['light', 375],
    ['dark', 1400],
    ['dark', 375],
  ] as const) {
    const page = await cabinet.pageOf('denis', { colorScheme, viewport: { width, height: 900 } })
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
  t.same(await violations(page), [])
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

browserTest('several pictures of an article are uploaded, reordered, cropped, rotated, rejected and saved', async (t, cabinet) => {
  cabinet.provoked.push(/^415 \/news\/images$/, /^422 \/news\/edit/)
  const id = add(cabinet, '<p>x</p>')
  const page = await cabinet.pageOf('root')
  await page.goto(`/news/edit/${id}`)
  const rows = page.locator('[data-picture]')
  const keys = async () => rows.evaluateAll((all) => all.map((row) => (row.querySelector('input') as unknown as { value: string }).value))
  const input = page.locator('input[type=file]')
  await input.setInputFiles([
    await file('a.png', 'red'),
    { name: 'setup.png', mimeType: 'image/png', buffer: Buffer.from('MZ program') },
    await file('b.png', 'blue'),
  ])
  t.ok(await waitUntil(async () => (await rows.count()) === 2), 'both arrive')
  await page.getByText('setup.png: Use a JPEG, PNG, WebP, GIF, or AVIF image.').first().waitFor()
  await page.getByRole('button', { name: 'Remove image' }).filter({ hasText: 'Remove' }).click()
  t.equal(await page.locator('.picture-row').count(), 2)
  const [red, blue] = await keys()
  await rows.nth(1).getByRole('button', { name: 'Move up' }).click()
  t.same(await keys(), [blue, red], 'by a button')
  await rows.nth(1).dragTo(rows.nth(0), { sourcePosition: { x: 60, y: 40 }, targetPosition: { x: 10, y: 40 } })
  t.ok(await waitUntil(async () => (await keys())[0] === red), 'by dragging')
  if (shots) await page.screenshot({ path: `${shots}/form-pictures.png`, fullPage: true })
  await page.locator('input[name=name]').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#name-error').waitFor()
  t.same(await keys(), [red, blue], 'a failed save loses none')
  await page.locator('input[name=name]').fill('With pictures')
  await saveCard(page)
  t.same(stored(cabinet, id)?.images, [red, blue])

  await rows.nth(0).getByRole('button', { name: 'Crop and rotate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('cropper-image img').waitFor()
  await dialog.getByRole('button', { name: 'Rotate right' }).click()
  for (let press = 0; press < 3; press++) await dialog.getByRole('button', { name: 'Zoom out' }).click()
  for (let press = 0; press < 50; press++) await page.keyboard.press('ArrowUp')
  t.same(await violations(page), [])
  if (shots) await page.screenshot({ path: `${shots}/cut.png` })
  await dialog.getByRole('button', { name: 'Apply' }).click()
  t.ok(await waitUntil(async () => (await rows.count()) === 2 && (await keys())[0] !== red), 'a new picture in its place')
  t.equal((await keys())[1], blue)
  await saveCard(page)
  const [turned] = stored(cabinet, id)?.images ?? []
  const picture = await (await cabinet.as('root')).get(`/news/images/${turned}/1920`)
  const { width = 0, height = 0 } = await sharp(picture.rawPayload).metadata()
  t.ok(Math.abs(width - 600 * 0.729) < 4 && Math.abs(height - 900 * 0.729) < 4, `turned and cut: ${width} × ${height}`)
  const { dominant } = await sharp(picture.rawPayload).stats()
  t.ok(dominant.r > 200 && dominant.b < 60, 'still red')
  await rows.nth(0).getByRole('button', { name: 'Remove image' }).click()
  await saveCard(page)
  t.same(stored(cabinet, id)?.images, [blue])
})

browserTest('the editor asks for no address that an article names but pictures of news', async (t, cabinet) => {
  cabinet.provoked.push(
    /^404 \/news\/images\//,
    /violates the following Content Security Policy directive: "img-src/,
    /policy violation: img-src|^csp /,
  )
  const picture = `/news/images/${'0'.repeat(64)}/480`
  const text = `<p>Text</p><img src="/orders/export"><img src="/impersonate/5"><img src="https://evil.example/x.png"><img src="${picture}">`
  const id = add(cabinet, text)
  const page = await cabinet.pageOf('root')
  const asked: string[] = []
  page.on('response', (answer) => asked.push(answer.url()))
  await page.goto(`/news/edit/${id}`)
  await editorReady(page)
  t.ok(await waitUntil(async () => asked.some((address) => address.endsWith(picture))), 'pictures of news are shown')
  t.notOk(asked.some((address) => /export|impersonate|evil/.test(address)))
  await page.locator('input[name=name]').fill('Renamed')
  await saveCard(page)
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
