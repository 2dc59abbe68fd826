import { browserTest } from '../support/browser.ts'
import { sightFaults } from '../support/sights.ts'

/** Puts markup at the end of the page. */
const place = (markup: string) => `document.querySelector('main').insertAdjacentHTML('beforeend', ${JSON.stringify(markup)})`

/** Styles by script, which the policy of the page allows. */
const style = `for (const one of document.querySelectorAll('[data-style]')) one.style.cssText = one.dataset.style`

const long = 'Дверь алюминиевая по размерам, тёплая серия'

const faults: [name: string, markup: string, found: RegExp | undefined][] = [
  [
    'a text cut without dots',
    `<p data-style="overflow: hidden; width: 80px; white-space: nowrap">${long}</p>`,
    /^cut without dots: p "Дверь/,
  ],
  [
    'a text cut beside free space',
    `<p data-style="overflow: hidden; text-overflow: ellipsis; width: 80px; white-space: nowrap">${long}</p>`,
    /^cut beside \d+ px: p/,
  ],
  [
    'a text cut where there is no more space',
    `<div data-style="width: 100px"><p data-style="overflow: hidden; text-overflow: ellipsis; width: 80px; white-space: nowrap">${long}</p></div>`,
    undefined,
  ],
  ['a cell cut beside an empty column', table('300px'), /^cut beside \d+ px: td\[name\]/],
  ['a cell cut beside a column that is full', table('60px'), undefined],
  ['a broken word', '<p data-style="width: 60px; overflow-wrap: anywhere">Корреспондентский</p>', /^broken word: Корреспондентский$/],
  [
    'a text of which one line is shown',
    '<p data-style="display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden; width: 60px; word-break: break-all">Корреспондентский</p>',
    undefined,
  ],
  ['an address that does not fit', '<p data-style="width: 60px; overflow-wrap: anywhere">somebody@example.com</p>', undefined],
  ['words on several lines', '<p data-style="width: 60px">Один два три четыре</p>', undefined],
  [
    'fields over one another',
    '<input id="one" data-style="width: 90px"><input id="two" data-style="width: 90px; margin-left: -19px">',
    /^overlap of 1\d px: one and two$/,
  ],
  ['fields beside one another', '<input id="one" data-style="width: 90px"><input id="two" data-style="width: 90px">', undefined],
  ['an English text', '<p>Save changes now</p><p>Delete</p>', /^English: Delete$/],
  ['an English step', '<p>Request payment</p>', /^English: Request payment$/],
  ['an English tooltip', '<p title="Delete">…</p>', /^English: Delete$/],
  ['an English text about something', '<p>5 orders moved</p>', /^English: 5 orders moved$/],
  ['the name of somebody', '<p>Alpha Windows, invoice.pdf</p>', undefined],
]

function table(width: string): string {
  const name = '<td data-col="name" data-style="overflow: hidden; text-overflow: ellipsis; white-space: nowrap">'
  return `<div data-style="width: 500px"><table data-style="table-layout: fixed; width: 100%"><thead><tr><th>Имя</th><th data-style="width: ${width}; padding: 0">Единица</th></tr></thead>
    <tbody><tr>${name}${long} ${long}</td><td data-style="padding: 0">шт.</td></tr></tbody></table></div>`
}

browserTest('what looks broken is found, and nothing else', async (t, cabinet) => {
  const page = await cabinet.pageOf('root', { locale: 'ru-RU' })
  await page.goto('/profile')
  t.same(await sightFaults(page), [], 'a page that is in order')
  for (const [name, markup, found] of faults) {
    await page.evaluate(`document.querySelector('main').replaceChildren()`)
    await page.evaluate(place(markup))
    await page.evaluate(style)
    const seen = await sightFaults(page)
    if (found) t.match(seen.join(), found, name)
    else t.same(seen, [], name)
  }
})
