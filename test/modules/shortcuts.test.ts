import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'

t.test('keys that are held together are named as on the keyboard of the reader', async (t) => {
  const root = await (await startCabinet(t)).as('root')
  const named = async (agent: string) => {
    const { body } = await root.get('/shortcuts', { 'user-agent': agent })
    return [parseHtml(body)('.find-button kbd').attr('data-keys'), ...elementsOf(body, '.shortcuts kbd').map(textOf)]
  }
  const windows = await named('Mozilla/5.0 (Windows NT 10.0; Win64; x64)')
  for (const keys of ['Ctrl+K', 'Ctrl+Z', 'Shift+J']) t.ok(windows.includes(keys), keys)
  const mac = await named('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)')
  t.equal(mac[0], '⌘K')
  for (const keys of ['⌘Z', '⌘↩', '⇧J']) t.ok(mac.includes(keys), keys)
})

t.test('every section of the menu has a key of its own, and the shortcuts name those of this person', async (t) => {
  const { as } = await startCabinet(t)
  for (const name of ['root', 'maria', 'denis', 'pavel'] as const) {
    const { body } = await (await as(name)).get('/shortcuts')
    const page = parseHtml(body)
    const letters = page('#menu a:has(> .menu-label)[data-letter]')
      .toArray()
      .map((link) => String(page(link).attr('data-letter')).toUpperCase())
    t.equal(letters.length, page('#menu .menu-label').length, name)
    t.equal(new Set(letters).size, letters.length, name)
    t.notMatch(letters.join(''), /[GW]/, 'G and W lead elsewhere')
    const named = elementsOf(body, '.shortcuts-part:nth-child(3) dt kbd:last-child').map(textOf)
    t.same(named.slice(0, -1).sort(), letters.sort(), name)
  }
})

t.test('an import without a file says so at its field, not in a bubble of the browser', async (t) => {
  const root = await (await startCabinet(t)).as('root')
  t.not(parseHtml((await root.get('/dealers/import')).body)('.import-upload form').attr('novalidate'), undefined)
})
