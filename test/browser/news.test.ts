import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { news } from '../../src/database/schema/index.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { browserTest, type OpenCabinet, overflow, type Page, violations, waitUntil } from '../support/browser.ts'

// What authors write meets what readers see; the server's part is tested in test/modules/news.test.ts.

const author = { id: null, name: 'The test' }
const shots = process.env.SHOTS

function add({ db }: OpenCabinet, description: string, values: Partial<typeof news.$inferInsert> = {}): number {
  const id = createNews(db, { name: 'A message', description, published: true }, author)
  if (Object.keys(values).length > 0) db.update(news).set(values).where(eq(news.id, id)).run()
  return id
}

const stored = ({ db }: OpenCabinet, id: number) => db.select().from(news).where(eq(news.id, id)).get()

const run = "window.hacked=1;document.title='hacked';fetch('/hacked')"
const full = 'position:fixed;inset:0;z-index:99999;width:100vw;height:100vh;background:red'

/** Each tries to run, submit, drive htmx, restyle the page, leave its box or lead elsewhere. */
const hostile = [
  `<script>${run}</script>`,
  `<script src="/hacked.js"></script><script type="module">${run}</script>`,
  `<img src="/nothing.png" onerror="${run}">`,
  `<img src=x onerror=${run}><svg onload="${run}"></svg><body onload="${run}">`,
  `<details open ontoggle="${run}"><summary>x</summary></details>`,
  `<video autoplay onloadstart="${run}"><source onerror="${run}"></video><audio src=x onerror="${run}"></audio>`,
  `<a href="javascript:${run}">link</a><a href=" &#x6A;avascript:${run}">link</a><a href="java&Tab;script:${run}">link</a>`,
  `<a href="data:text/html,<script>parent.hacked=1</script>">link</a><a href="vbscript:x">link</a><a href="blob:x">x</a>`,
  `<a href="/impersonate/1">See more</a>`,
  `<p hx-get="/hacked" hx-trigger="load">x</p><p data-hx-get="/hacked" data-hx-trigger="load">x</p>`,
  `<p hx-on:click="${run}" hx-on::load="${run}" hx-boost="true" hx-swap-oob="true" id="main">x</p><hx-partial hx-target="body">x</hx-partial>`,
  '</div></div></article></section></main></div></body></html><p>outside</p>',
  '<!-- --><!-- <p>--!></div></article>x',
  '<form action="/logout" method="post" id="f"><button>Sign out</button></form><button form="f">x</button><input autofocus onfocus="x">',
  '<button formaction="/logout" popovertarget="menu">x</button><isindex action="/hacked"><select autofocus></select>',
  '<meta http-equiv="refresh" content="0;url=/hacked"><base href="//hacked.invalid/"><link rel="stylesheet" href="/hacked.css">',
  '<style>body{display:none}@import "/hacked.css";</style><STYLE>*{background:red}</STYLE>',
  `<div style="${full}">cover</div><div style="position:absolute;top:-500px">up</div>`,
  `<div style="background:url(/hacked);behavior:url(/hacked);-moz-binding:url(/hacked);width:expression(x)">x</div>`,
  `<p style="margin-left:-9999px;margin-top:-999px;transform:scale(50);float:right;width:9999px">x</p><img width="99999" height="9999" src="/x.png">`,
  '<iframe src="/logout"></iframe><iframe srcdoc="<script>parent.hacked=1</script>"></iframe><frameset><frame src="/hacked"></frameset>',
  `<object data="/hacked"></object><embed src="/hacked"><applet code="x"></applet><portal src="/hacked"></portal>`,
  `<svg><script>${run}</script><foreignObject><img src=x onerror="${run}"></foreignObject><a xlink:href="javascript:${run}"><text>x</text></a><animate onbegin="${run}" attributeName="x"/><use href="data:image/svg+xml,x"/></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;"></table></mtext></math>`,
  `<noscript><p title="</noscript><img src=x onerror=${run}>"></noscript>`,
  `<textarea><img title="</textarea><img src=x onerror=${run}>"></textarea><title><img title="</title><img src=x onerror=${run}>"></title>`,
  `<xmp><img title="</xmp><img src=x onerror=${run}>"></xmp><plaintext><img src=x onerror=${run}>`,
  `<template><script>${run}</script></template><template shadowrootmode="open"><script>${run}</script></template>`,
  '<p id="dialog">x</p><p id="main">x</p><p id="messages" class="alert">x</p><p name="body">x</p><img name="getElementById"><a id="location">x</a>',
  `<select><template><img src=x onerror=${run}></template></select><option><img src=x onerror="${run}"></option>`,
  `<table><tr><td></table></div><form><div></form>x<li>item<p><table></p><a href="x"><a href="y"><b><p></b></a>`,
  `<![CDATA[<img src=x onerror=${run}>]]><?xml <img src=x onerror=${run}>?><!DOCTYPE x [<!ENTITY y "z">]>`,
  `<a href="x" onclick="${run}" style="${full}">cover</a><area href="javascript:${run}"><map name="m"></map><img usemap="#m" src="/x.png">`,
  `<p contenteditable autofocus tabindex="1" accesskey="s" draggable="true" onfocus="${run}" is="x-y" slot="s">x</p>`,
  `"><img src=x onerror="${run}">' onmouseover='${run}`,
  `{{ 7*7 }}{% include "layouts/page.njk" %}\${7*7}<%= 7*7 %>`,
  '<b>'.repeat(3000),
  `<p>${'\u202e'.repeat(20)}reversed</p><p>${'Z\u0351\u036b'.repeat(500)}</p>`,
  '<p lang="x" dir="rtl">x</p><bdo dir="rtl">x</bdo><p title="&quot;><script>x</script>">x</p>',
]

/** What is wrong with the page that shows it, if anything: looked at from inside. */
const findings = `(() => {
  const box = document.querySelector('[data-news]')
  const wrong = []
  const say = (bad, what) => bad && wrong.push(what)
  say(window.hacked || document.title.includes('hacked'), 'it ran')
  say(document.querySelectorAll('[data-news]').length !== 1, 'the box is there twice')
  for (const name of 'script style link meta base iframe object embed form input button select textarea svg math template frame dialog'.split(' '))
    say(box.querySelector(name), name + ' inside')
  for (const one of box.querySelectorAll('*')) {
    for (const { name, value } of one.attributes) {
      say(/^(on|hx-|data-|id$|class$|name$|form|srcdoc|popover|is$|autofocus|tabindex|contenteditable|accesskey|slot)/.test(name), name)
      say(/^(href|src|poster|srcset)$/.test(name) && /^\\s*(javascript|vbscript|blob|data:(?!image))/i.test(value), value)
    }
    const style = getComputedStyle(one)
    say(style.position && style.position !== 'static', 'position ' + style.position)
    say(style.position && style.backgroundImage !== 'none', 'background')
  }
  for (const link of box.querySelectorAll('a[href]'))
    say(link.target !== '_blank' || link.rel !== 'noopener noreferrer nofollow' || /impersonate/.test(link.href), 'link ' + link.outerHTML)
  const end = document.querySelector('.news-others')
  say(!end || box.contains(end) || end.parentElement !== document.getElementById('main'), 'it left its box')
  say(document.getElementById('main').tagName !== 'MAIN' || document.getElementById('dialog').tagName !== 'DIALOG', 'an id was taken')
  say(box.parentElement.className !== 'card card-body', 'the box moved')
  say(getComputedStyle(document.body).display === 'none' || getComputedStyle(document.querySelector('h1')).color === 'red', 'restyled')
  const { left, right, top, bottom } = box.getBoundingClientRect()
  for (const [x, y] of [[5, 5], [left - 3, top + 5], [right + 3, top + 5], [left + 5, top - 3], [left + 5, bottom + 3]]) {
    const at = document.elementFromPoint(x, y)
    say(at && box !== at && box.contains(at), 'it covers the page at ' + [x, y])
  }
  return wrong
})()`

browserTest('none of forty kinds of hostile markup runs or leaves the article', async (t, cabinet) => {
  // The author's own pictures that are not there, of which the page tells nothing else.
  cabinet.provoked.push(/^404 \/(nothing|x)\.png$/, /^404 \/news\/edit\/x$/, /^404 \/hacked$(?!)/)
  for (const description of ['<p>One</p>', '<p>Two</p>', '<p>Three</p>']) add(cabinet, description)
  const page = await cabinet.pageOf('denis')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  for (const html of hostile) {
    const id = add(cabinet, html)
    t.equal(stored(cabinet, id)?.description, html, 'it is stored as written')
    await page.goto(`/news/edit/${id}`)
    await page.mouse.move(700, 400)
    for (const link of await page.locator('[data-news] a, [data-news] summary, [data-news] p').all())
      await link.dispatchEvent('mouseover').catch(() => {})
    t.same(await page.evaluate<string[]>(findings), [], html.slice(0, 120))
    t.equal(await overflow(page), 0)
    t.equal(new URL(page.url()).pathname, `/news/edit/${id}`)
    if (html.length > 3000) continue
    const text = await page.locator('[data-news]').innerText()
    t.notMatch(text, /49/, 'nothing of it is a template')
  }
  t.same(
    asked.filter((path) => /hacked|logout|impersonate/.test(path)),
    [],
    'nothing was asked for',
  )
  await page.goto('/news')
  t.equal(await page.locator('article[id^=news-]').count(), 8)
  t.equal(await page.evaluate('window.hacked'), undefined)
  const editor = await cabinet.pageOf('root')
  await editor.goto('/news')
  t.equal(await editor.locator('#news-table tbody tr').count(), 25)
})

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

const rich = `<h2>Prices from 1 September</h2>
<p style="text-align: center;">Centred, <strong>bold</strong>, <span style="color: #c00000; background-color: #ffff99;">coloured</span>.</p>
<table style="border-collapse: collapse; width: 100%;" border="1"><thead><tr><th scope="col">Group</th><th scope="col">Change</th></tr></thead>
<tbody><tr><td>Doors</td><td style="text-align: right;">+4 %</td></tr></tbody></table>
<ul><li>one<ul><li>nested</li></ul></li></ul><ol start="3"><li>three</li></ol>
<figure><img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" alt="A red point" width="40" height="40"><figcaption>A picture</figcaption></figure>
<p><a href="https://example.com/x">A link</a></p><blockquote><p>Said</p></blockquote>
<video src="/news/none.mp4" controls width="200"></video>`

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

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
}

async function editorReady(page: Page): Promise<void> {
  const there = 'window.hugerte?.activeEditor?.initialized && window.hugerte.activeEditor.getContainer().isConnected'
  if (!(await waitUntil(() => page.evaluate<boolean>(`Boolean(${there})`)))) throw new Error('no editor')
}

browserTest('the editor sends back the text unchanged unless it was edited', async (t, cabinet) => {
  cabinet.provoked.push(/^404 \/news\/edit\/x$/, /violates the following Content Security|policy violation: script-src/, /^404 .*\/x$/)
  const id = add(cabinet, odd)
  const page = await cabinet.pageOf('root')
  await page.goto(`/news/edit/${id}`)
  await editorReady(page)
  const version = stored(cabinet, id)?.version
  t.equal(await page.evaluate('window.hacked'), undefined, 'nothing runs in the editor either')
  await page.locator('input[name=name]').fill('Renamed')
  await save(page)
  t.match(stored(cabinet, id), { name: 'Renamed', description: odd }, 'byte for byte')
  await editorReady(page)
  await save(page)
  t.equal(stored(cabinet, id)?.version, (version ?? 0) + 1, 'nothing changed, nothing saved')
  await editorReady(page)
  const body = page.frameLocator('.tox-edit-area iframe').locator('body')
  await body.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Written')
  t.ok(await page.locator('.unsaved').isVisible())
  await save(page)
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
  await save(page)
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
  await save(page)
  const [turned] = stored(cabinet, id)?.images ?? []
  const picture = await (await cabinet.as('root')).get(`/news/images/${turned}/1920`)
  const { width = 0, height = 0 } = await sharp(picture.rawPayload).metadata()
  t.ok(Math.abs(width - 600 * 0.729) < 4 && Math.abs(height - 900 * 0.729) < 4, `turned and cut: ${width} × ${height}`)
  const { dominant } = await sharp(picture.rawPayload).stats()
  t.ok(dominant.r > 200 && dominant.b < 60, 'still red')
  await rows.nth(0).getByRole('button', { name: 'Remove image' }).click()
  await save(page)
  t.same(stored(cabinet, id)?.images, [blue])
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
  await page.getByRole('status').filter({ hasText: 'saved' }).waitFor()
  const message = cabinet.db.select().from(news).all().at(-1)
  t.match(message, { name: 'Plain', description: html, published: false, publishedon: new Date(2031, 4, 6, 7, 8).getTime() })
  t.equal(message?.images.length, 2)
  t.equal(await page.locator('textarea').inputValue(), html)
  await save(page)
  t.equal(stored(cabinet, message?.id as number)?.version, 1, 'nothing changed')
  await page.getByRole('button', { name: 'Move up' }).last().click()
  await save(page)
  t.same(stored(cabinet, message?.id as number)?.images, message?.images.toReversed())
  await page.goto('/news')
  await page.getByRole('switch').first().click()
  t.equal(stored(cabinet, message?.id as number)?.published, true)
})

browserTest('the news pages fit in both languages, light and dark, wide and narrow, full and empty', async (t, cabinet) => {
  cabinet.provoked.push(/^404 \/news\/none\.mp4$/)
  const look = async (page: Page, name: string) => {
    for (const [width, height] of [
      [1400, 900],
      [375, 750],
    ] as const) {
      await page.setViewportSize({ width, height })
      t.same(await violations(page), [], `${name}, ${width}`)
      t.equal(await overflow(page), 0, `${name}, ${width}`)
      if (shots) await page.screenshot({ path: `${shots}/${name}-${width}.png`, fullPage: true })
    }
  }
  const [dealer, root] = [await cabinet.pageOf('denis', { locale: 'ru-RU', colorScheme: 'dark' }), await cabinet.pageOf('root')]
  for (const [page, address, name] of [
    [dealer, '/news', 'grid-empty-ru-dark'],
    [dealer, '/', 'widget-empty-ru-dark'],
    [root, '/news', 'list-empty'],
  ] as const) {
    await page.goto(address)
    await look(page, name)
  }
  for (let at = 0; at < 10; at++) add(cabinet, rich, { name: `Новость номер ${at}, у которой довольно длинный заголовок` })
  add(cabinet, '<p>Later</p>', { published: false, publishedon: Date.now() + 3600_000, name: 'Planned' })
  for (const [page, address, name] of [
    [dealer, '/news', 'grid-ru-dark'],
    [dealer, '/', 'widget-ru-dark'],
    [dealer, '/news/edit/3', 'article-ru-dark'],
    [root, '/news', 'list'],
    [root, '/news/edit/11', 'form'],
    [await cabinet.pageOf('root', { locale: 'ru-RU', colorScheme: 'dark' }), '/news/edit/11', 'form-ru-dark'],
    [await cabinet.pageOf('pavel'), '/news', 'list-readonly'],
  ] as const) {
    await page.setViewportSize({ width: 1400, height: 900 })
    await page.goto(address)
    if (address.startsWith('/news/edit/11')) await editorReady(page)
    await look(page, name)
  }
  await dealer.setViewportSize({ width: 1400, height: 900 })
  await dealer.goto('/')
  await dealer.locator('#news-widget a[rel=next]').click()
  t.ok(await waitUntil(async () => (await dealer.locator('#news-widget li').count()) === 4), 'the widget turns its page alone')
  await root.setViewportSize({ width: 1400, height: 900 })
  await root.goto('/news')
  const planned = root.locator('#news-11')
  await planned.getByRole('switch').click()
  t.ok(await waitUntil(async () => (await planned.getByRole('switch').getAttribute('aria-checked')) === 'true'))
  t.notMatch(await planned.locator('[data-col=publishedon]').innerText(), /scheduled/, 'and its date follows')
})
