import type { Element } from 'domhandler'
import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { parseHtml } from '../support/html.ts'

const links = (body: string, place: string) =>
  parseHtml(body)<Element, string>(place)
    .toArray()
    .map(({ attribs }) => new URL(attribs.href ?? '', 'http://localhost').searchParams)

t.test('every link of a list keeps the hidden columns that are shown', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const { body } = await admin.get('/dealers?cols=created_at,updated_at&q=e')
  const ways = { sorting: 'th a[href]', sizes: 'nav[aria-label="Rows per page"] a', 'clearing the search': 'a[data-clear]' }
  for (const [name, place] of Object.entries(ways)) {
    const found = links(body, place)
    t.ok(found.length > 0, name)
    for (const query of found) t.equal(query.get('cols'), 'created_at,updated_at', name)
  }
  t.equal(parseHtml(body)('input[name=cols]').attr('value'), 'created_at,updated_at', 'a new search')
})

t.test('a column link shows or hides its column and leaves the others', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const colsOf = async (cols: string, column: string) =>
    links((await admin.get(`/dealers?cols=${cols}`)).body, `#dealers-column-${column}`)[0]?.get('cols') ?? null
  t.equal(await colsOf('', 'created_at'), 'created_at')
  t.equal(await colsOf('created_at', 'updated_at'), 'created_at,updated_at')
  t.equal(await colsOf('created_at,updated_at', 'created_at'), 'updated_at')
  t.equal(await colsOf('created_at', 'created_at'), null, 'the last one leaves nothing')
})

t.test('page size and columns chosen in a list are remembered for that person, and the address still wins', async (t) => {
  const { as } = await startCabinet(t)
  const [admin, root] = [await as('admin'), await as('root')]
  const columnsOf = (body: string) =>
    parseHtml(body)<Element, string>('#dealers-table th[data-col]')
      .toArray()
      .map(({ attribs }) => attribs['data-col'])
  const sizeOf = (body: string) => parseHtml(body)('nav[aria-label="Rows per page"] [aria-current]').text().trim()
  await admin.get('/dealers?size=50&cols=created_at')
  t.equal(sizeOf((await admin.get('/dealers')).body), '25', 'an address that was opened chooses nothing')
  await admin.get('/dealers?size=50&cols=created_at', { referer: 'http://localhost/dealers?q=e' })
  const again = (await admin.get('/dealers')).body
  t.equal(sizeOf(again), '50')
  t.ok(columnsOf(again).includes('created_at'))
  t.match(links(again, '#dealers-size-25')[0]?.get('size'), '25', 'what is usual elsewhere is named')
  const named = (await admin.get('/dealers?size=25&cols=')).body
  t.equal(sizeOf(named), '25')
  t.notOk(columnsOf(named).includes('created_at'))
  t.equal(sizeOf((await root.get('/dealers')).body), '25', 'others choose for themselves')
})

t.test('page size and columns go back with the first click', async (t) => {
  const { as } = await startCabinet(t)
  const admin = await as('admin')
  const follow = async (page: string, link: string) => {
    const href = parseHtml(page)(link).attr('href') as string
    return (await admin.get(href, { referer: 'http://localhost/dealers' })).body
  }
  const shown = (page: string) => parseHtml(page)('nav[aria-label="Rows per page"] [aria-current]').text().trim()
  const isCreatedShown = (page: string) => parseHtml(page)('#dealers-table th[data-col=created_at]').length === 1
  const fifty = await follow((await admin.get('/dealers')).body, '#dealers-size-50')
  t.equal(shown(fifty), '50')
  t.equal(shown(await follow(fifty, '#dealers-size-25')), '25')
  const more = await follow((await admin.get('/dealers')).body, '#dealers-column-created_at')
  t.ok(isCreatedShown(more))
  t.notOk(isCreatedShown(await follow(more, '#dealers-column-created_at')))
})
