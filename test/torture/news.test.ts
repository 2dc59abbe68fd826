import { browserTest, overflow, type Page, violations, waitUntil } from '../support/browser.ts'
import { add, editorReady, rich, shots, stored } from '../support/news-pages.ts'

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
  const date = planned.locator('[data-col=publishedon]')
  t.ok(await waitUntil(async () => !(await date.innerText()).includes('From ')), 'and its date follows')
})
