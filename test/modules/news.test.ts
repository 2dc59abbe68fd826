import { once } from 'node:events'
import { eq, isNull } from 'drizzle-orm'
import t from 'tap'
import { changes, news, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { createNews, publishDue } from '../../src/modules/news/news.ts'
import { invalidQueries, testBadBodies } from '../support/bad-input.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, password, revoke } from '../support/cast.ts'
import {
  attributesOf,
  cellsOf,
  columnsOf,
  elementsOf,
  errorsOf,
  fieldOf,
  idsOf,
  isDocument,
  parseHtml,
  rowsOf,
  switchOf,
  tagsOf,
  textOf,
  textsByRole,
  totalOf,
} from '../support/html.ts'
import { startWithNews } from '../support/news.ts'
import { isDue } from '../support/publication.ts'
import { setTimeZone } from '../support/time-zone.ts'

const minute = 60_000

const cardsOf = (body: string) =>
  tagsOf(body, 'article').flatMap(({ id }) => Number(/^news-(\d+)$/.exec(id ?? '')?.[1] ?? Number.NaN) || [])
const local = (moment: number) => {
  const date = new Date(moment)
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`
}

t.test('users read, write, publish and delete news only with the matching permission', async (t) => {
  const { root, clerk, denis, pavel, plain, add, stored, db, cast, newBrowser } = await startWithNews(t)
  const [shown, draft] = [add({ published: true, name: 'Shown' }), add({ name: 'Draft' })]
  for (const one of [root, clerk]) {
    t.same(idsOf(await one.get('/news'), 'news'), [draft, shown])
    t.match((await one.get('/news')).body, 'href="/news/add"')
    t.match((await one.get(`/news/edit/${draft}`)).body, 'name="description"')
    t.equal((await one.get('/news/add')).statusCode, 200)
  }
  for (const one of [pavel, plain]) {
    const list = await one.get('/news')
    t.same(idsOf(list, 'news'), [draft, shown], 'they view news, drafts too')
    t.equal(parseHtml(list.body)('[href^="/news/add"], [href^="/news/delete"], [href^="/news/export"], .row-select').length, 0)
    t.equal((await one.get('/news/export?format=csv')).statusCode, 403, 'drafts leave the cabinet only with those who write')
    const [row] = rowsOf(list, 'news')
    t.same([switchOf(row?.html ?? ''), row?.cells.published], [undefined, 'No'], 'no switch, but a word')
    const article = await one.get(`/news/edit/${shown}`)
    t.match(article.body, `data-news="${shown}"`)
    t.notMatch(article.body, 'name="description"')
    const asked = await one.get(`/news/edit/${shown}?tab=preview`)
    t.equal(parseHtml(asked.body)('.card-header-tabs').length, 0, 'whoever only reads has no card, whatever tab is asked for')
  }
  for (const one of [pavel, plain, denis]) {
    t.equal((await one.get('/news/add')).statusCode, 403)
    for (const path of ['/news/add', `/news/edit/${shown}`, `/news/${shown}/published`, '/news/delete', '/news/images'])
      t.equal((await one.post(path, { name: 'x', value: '0', id: shown })).statusCode, 403, path)
  }
  t.same(cardsOf((await denis.get('/news')).body), [shown])
  t.equal((await denis.get(`/news/edit/${shown}`)).statusCode, 200)
  t.equal((await denis.get(`/news/edit/${draft}`)).statusCode, 404, 'a draft is not there for dealers')
  grant(db, cast.denis, 'news_can_edit')
  t.equal((await denis.post(`/news/edit/${draft}`, { name: 'x' })).statusCode, 404, 'whatever else they may')
  t.notMatch((await denis.get(`/news/edit/${shown}`)).body, 'name="description"', 'dealers read')
  for (const id of ['999', 'x', '0', '-1', '1e3', '99999999999999999999'])
    for (const one of [root, denis]) t.equal((await one.get(`/news/edit/${id}`)).statusCode, 404, id)
  revoke(db, cast.denis, 'news_can_view')
  for (const path of ['/news', `/news/edit/${shown}`, '/news/edit/999']) t.equal((await denis.get(path)).statusCode, 403, path)
  t.notMatch((await denis.get('/')).body, /news-widget|href="\/news"/)
  revoke(db, cast.clerk, 'news_can_view')
  t.equal((await clerk.post(`/news/edit/${shown}`, { name: 'x' })).statusCode, 403, 'saving needs seeing')
  t.equal((await newBrowser().get('/news')).statusCode, 303)
  t.ok(parseHtml((await root.get('/news')).body)('[href^="/news/export"]').length > 0)
  for (const policy of ['news_can_edit', 'news_can_add'] as const) {
    grant(db, cast.plain, policy)
    t.match((await plain.get('/news/export?format=csv')).body, 'Draft', policy)
    revoke(db, cast.plain, 'news_can_view')
    t.equal((await plain.get('/news/export?format=csv')).statusCode, 403, `${policy} without seeing news`)
    grant(db, cast.plain, 'news_can_view')
    revoke(db, cast.plain, policy)
  }
  grant(db, cast.plain, 'news_can_add')
  const added = await plain.post('/news/add', { name: 'By a manager' })
  t.equal(added.statusCode, 303)
  t.equal(stored(Number(/\d+$/.exec(String(added.headers.location))?.[0]))?.published, false)
})

t.test('the news list is searched, sorted and filtered', async (t) => {
  const { root, add } = await startWithNews(t)
  const first = add({ name: 'Ёлка', excerpt: 'beta', publishedon: 1000, published: true })
  const second = add({ name: 'Door 100%', excerpt: 'Alpha', publishedon: 3000, published: true })
  const third = add({ name: 'Window', excerpt: 'gamma' })
  const list = await root.get('/news')
  t.same(columnsOf(list), ['name', 'description', 'publishedon', 'published'])
  t.same(idsOf(list, 'news'), [third, second, first], 'written last, first')
  t.equal(totalOf(list, 'news'), 3)
  t.same(idsOf(await root.get('/news?sort=publishedon&dir=desc'), 'news'), [second, first, third])
  t.same(idsOf(await root.get('/news?sort=description&dir=asc'), 'news'), [second, first, third])
  const titles = async (dir: string) => rowsOf(await root.get(`/news?sort=name&dir=${dir}`), 'news').map(({ cells }) => cells.name)
  t.same(await titles('asc'), (await titles('desc')).toReversed())
  t.same(await titles('asc'), [...(await titles('desc'))].sort())
  t.same(idsOf(await root.get('/news?q=елка'), 'news'), [first])
  t.same(idsOf(await root.get('/news?q=100%25'), 'news'), [second])
  t.same(idsOf(await root.get('/news?q=alpha'), 'news'), [], 'by name alone')
  t.match(list.body, /size=50[\s\S]*size=all/)
  t.notMatch(await (await root.get('/news', htmx)).body, '<html')
  for (const query of invalidQueries) t.equal((await root.get(`/news?${query}`)).statusCode, 200, query)
  const html = add({ description: '<p>One</p><script>x</script>' })
  await root.post(`/news/edit/${html}`, { description: '<p>Two <b>words</b></p><script>x</script>' })
  t.equal(rowsOf(await root.get('/news'), 'news')[0]?.cells.description, 'Two words', 'plain text')
  const confirmation = await root.get(`/news/delete?id=${first}&id=${second}`)
  t.match(confirmation.body, 'Delete 2 articles?')
  t.equal((await root.post('/news/delete', { id: [first, 999] })).statusCode, 404)
  t.equal((await root.post('/news/delete', { id: [first, second] })).statusCode, 303)
  t.same(idsOf(await root.get('/news'), 'news'), [html, third])
})

t.test('the list tells when an article is or will be published, not when it was written', async (t) => {
  const { root, add } = await startWithNews(t)
  const [written, day] = [new Date(2026, 0, 5, 9, 15).getTime(), 24 * 3600_000]
  const publishedon = written + 3 * day
  const public_ = add({ created_at: written, publishedon, published: true })
  const planned = add({ created_at: written, publishedon: Date.now() + 40 * day })
  const draft = add({ created_at: written })
  const page = parseHtml((await root.get('/news')).body)
  const shown = (id: number) => {
    const moment = page(`#news-${id}-publishedon .moment`)
    return { title: moment.attr('title'), text: moment.text().replace(/\s+/g, ' ').trim() }
  }
  t.match(shown(public_), { title: formatDateTime(publishedon), text: /^8\sJan$/ })
  t.match(shown(planned), { title: formatDateTime(Date.now() + 40 * day), text: /^From / })
  t.match(shown(draft), { title: undefined, text: '—' })
  t.same(
    [public_, planned, draft].map((id) => page(`#news-${id}`).hasClass('is-off')),
    [false, true, true],
    'what readers do not see yet is set off',
  )
})

t.test('an editor creates and edits an article with the fields of the specification', async (t) => {
  const { root, stored, db } = await startWithNews(t)
  const page = await root.get('/news/add')
  t.ok(isDocument(page))
  t.match(fieldOf(page, 'name'), { required: true, type: 'text' })
  t.match(fieldOf(page, 'publishedon'), { type: 'datetime-local', value: '' })
  t.match(fieldOf(page, 'published'), { type: 'checkbox', value: '0' })
  t.match(fieldOf(page, 'description'), { type: 'textarea' })
  t.equal(parseHtml(page.body)('input[type=file][multiple]').attr('name'), 'images[file]')
  t.match(page.body, /\/assets\/hugerte\/[\w-]+\/hugerte\.min\.js/)
  for (const path of ['/news', '/', '/companies/delete?id=1', '/dealers/add'])
    t.notMatch((await root.get(path)).body, /hugerte|news\.js/, `${path} loads no editor`)
  const texts = async (language: string) =>
    (await root.get('/news/add', { 'accept-language': language })).body.match(/src="[^"]*editor-ru[^"]*"/g)
  t.equal((await texts('ru'))?.length, 1, 'the editor speaks Russian')
  t.equal(await texts('en'), null)
  t.match(String(page.headers['content-security-policy']), /style-src 'self' 'unsafe-inline'/)
  t.notMatch(String((await root.get('/news')).headers['content-security-policy']), /unsafe/)

  const answer = await root.post('/news/add', { name: ' Title ', description: '<p>a</p>', published: ['0', '1'] })
  const id = Number(/\/news\/edit\/(\d+)$/.exec(String(answer.headers.location))?.[1])
  t.match(stored(id), { name: 'Title', description: '<p>a</p>', shown: '<p>a</p>', excerpt: 'a', published: true })
  t.equal(textsByRole(await root.get(`/news/edit/${id}`), 'status')[0], 'Article "Title" saved')
  t.same(elementsOf(page.body, '#publishedon-hint').map(textOf), ['A draft with a future date is published automatically.'])
  const wrong: [string, string, string][] = [
    ['name', '', 'Enter a title.'],
    ['name', '   ', 'Enter a title.'],
    ['name', 'x'.repeat(256), 'Up to 255 characters.'],
    ['publishedon', '2026-02-30T10:00', 'Enter a valid date.'],
    ['publishedon', '2026-01-01T24:00', 'Enter a valid date.'],
    ['publishedon', '2026-13-01T10:00', 'Enter a valid date.'],
    ['publishedon', '01.02.2026', 'Enter a valid date.'],
    ['publishedon', '2026-01-01', 'Enter a valid date.'],
    ['publishedon', '+099999-01-01T00:00', 'Enter a valid date.'],
    ['published', 'yes', 'Invalid value'],
    ['description', `${'x'.repeat(1024 * 1024)}x`, 'Text is limited to 1 MB.'],
    ['description', 'ы'.repeat(1024 * 512 + 1), 'Text is limited to 1 MB.'],
    ['description', '<b>'.repeat(30_000), 'The text has too much formatting. Simplify it.'],
    ['description', 'a\0b', 'Remove unsupported characters.'],
  ]
  const before = JSON.stringify(stored(id))
  for (const [name, value, message] of wrong) {
    // What is very long takes long to read back.
    for (const path of value.length > 10_000 ? [`/news/edit/${id}`] : [`/news/edit/${id}`, '/news/add']) {
      const refused = await root.post(path, { name: 'Kept & shown', [name]: value })
      t.equal(refused.statusCode, 422, `${name} ${value.slice(0, 20)}`)
      t.equal(errorsOf(refused)[name], message)
      const hint = elementsOf(refused.body, `#${name}-hint`)
      t.same(hint, [], 'the error stands instead of the hint')
      if (name !== 'name') t.equal(fieldOf(refused, 'name')?.value, 'Kept & shown', 'nothing typed is lost')
    }
  }
  t.equal((await root.post(`/news/edit/${id}`, { description: 'x'.repeat(5 * 1024 * 1024) })).statusCode, 413)
  t.equal(JSON.stringify(stored(id)), before)
  t.equal((await root.post(`/news/edit/${id}`, { description: 'x'.repeat(9 * 1024 * 1024) })).statusCode, 413)
  const family = '👨‍👩‍👧'.repeat(255)
  await root.post(`/news/edit/${id}`, { name: family })
  t.equal(stored(id)?.name, family, '255 characters as people count them')
  t.equal((await root.post(`/news/edit/${id}`, { name: `${family}x` })).statusCode, 422)
  const largest = 'ы'.repeat(1024 * 512)
  t.equal((await root.post(`/news/edit/${id}`, { description: largest })).statusCode, 303, 'exactly 1 MB')
  t.equal(stored(id)?.description, largest)
  await root.post(`/news/edit/${id}`, { publishedon: '2026-06-01T10:20', name: 'x' })
  t.equal(stored(id)?.publishedon, new Date(2026, 5, 1, 10, 20).getTime())
  const history = db.select().from(changes).where(eq(changes.entity, 'news')).all()
  t.notMatch(JSON.stringify(history.map((change) => Object.keys(change.fields))), /shown|excerpt|search/)
  testBadBodies(t, {
    browser: async () => root,
    path: '/news/add',
    required: 'name',
    limit: 8 * 1024 * 1024,
    unchanged: () => db.select({ id: news.id }).from(news).all(),
  })
})

t.test('the text of an article is stored exactly as it was written', async (t) => {
  const { root, add, stored, db } = await startWithNews(t)
  const written = [
    '\n\n<P CLASS=x onclick="a()">Unclosed <b>text\n</textarea><script>alert(1)</script>&nbsp;&amp;amp; “ ” \u00a0\u200b👩‍🚀 \t end  \n',
    '<p>{{ 7 * 7 }} {% raw %}</p>',
    '<!-- comment --><style>p { color: red }</style>',
    'e\u0301 stays decomposed',
  ]
  for (const html of written) {
    const id = add()
    await root.post(`/news/edit/${id}`, { description: html })
    t.equal(stored(id)?.description, html)
    const page = await root.get(`/news/edit/${id}`)
    t.equal(fieldOf(page, 'description')?.value, html, 'and shown so in the form')
    const { version } = stored(id) as { version: number }
    await root.post(`/news/edit/${id}`, { description: html.replaceAll('\n', '\r\n'), version: String(version) })
    t.equal(stored(id)?.version, version, 'sent back as a browser sends it, nothing has changed')
  }
  const id = add({ description: 'a\r\nb\rc' })
  await root.post(`/news/edit/${id}`, { description: 'a\r\nb\r\nc', name: 'Updated' })
  t.equal(stored(id)?.description, 'a\r\nb\rc')
  await root.post(`/news/edit/${id}`, { description: 'a\r\nb\rd' })
  t.equal(stored(id)?.description, 'a\nb\nd')
  await root.post(`/news/edit/${id}`, { description: '' })
  t.match(stored(id), { description: null, shown: '', excerpt: '' })
  t.equal(db.select().from(news).where(isNull(news.shown)).all().length, 0)
})

t.test('saving an article publishes or unpublishes it by the rules of the specification', async (t) => {
  const { root, add, stored } = await startWithNews(t)
  const id = add()
  const save = async (fields: Record<string, string>) => {
    const answer = await root.post(`/news/edit/${id}`, fields)
    t.equal(answer.statusCode, 303)
    return stored(id)
  }
  const state = async () => textOf(elementsOf((await root.get(`/news/edit/${id}`)).body, 'p.record-state').join(''))
  t.equal(await state(), 'Draft')
  const before = Date.now()
  const on = await save({ published: '1', publishedon: '2031-01-01T00:00' })
  t.equal(on?.published, true)
  t.ok(on?.publishedon && on.publishedon >= before && on.publishedon <= Date.now(), 'stamped with now')
  t.match(await state(), /^Published on \d\d\.\d\d\.\d{4} \d\d:\d\d$/)
  const shown = fieldOf(await root.get(`/news/edit/${id}`), 'publishedon')?.value as string
  const again = await save({ published: '1', publishedon: shown, name: 'Renamed' })
  t.equal(again?.publishedon, on?.publishedon, 'shown to the minute, kept to the millisecond')
  t.match(await save({ published: '0', publishedon: shown }), { published: false, publishedon: null })
  await root.get('/news')
  t.match(stored(id), { published: false, publishedon: null }, 'really off')
  const future = local(Date.now() + 60 * minute)
  await save({ published: '1' })
  t.match(await save({ published: '0', publishedon: future }), { published: false, publishedon: new Date(future).getTime() })
  t.match(await state(), /^Scheduled for /)
  const withdrawn = await root.post(`/news/${id}/published`, { value: '1' })
  t.equal(withdrawn.statusCode, 303)
  const cell = await root.post(`/news/${id}/published`, { value: '0' }, htmx)
  t.equal(cell.statusCode, 200)
  t.same(switchOf(cell.body), { checked: false, disabled: false })
  t.equal(cellsOf(cell.body).publishedon, '—')
  t.match(stored(id), { published: false, publishedon: null })
  t.equal((await root.post(`/news/${id}/published`, { value: '0' }, htmx)).statusCode, 200, 'asked twice')
  for (const value of ['', 'flip', '2']) t.equal((await root.post(`/news/${id}/published`, { value })).statusCode, 422)
  t.equal((await root.post('/news/999/published', { value: '1' })).statusCode, 404)
})

t.test('the history names an article as it was called from that change on', async (t) => {
  const { root, add, db } = await startWithNews(t)
  const [id, other] = [add({ name: 'First name' }), add({ name: 'Another article' })]
  await root.post(`/news/edit/${id}`, { name: 'Second name' })
  await root.post(`/news/${id}/published`, { value: '1' })
  await root.post(`/news/edit/${id}`, { description: '<p>Longer</p>' })
  await root.post(`/news/${other}/published`, { value: '1' })
  const told = db.select().from(changes).where(eq(changes.action, 'update')).orderBy(changes.id).all()
  t.same(
    told.map(({ record_id, label }) => [record_id, label]),
    [
      [id, 'Second name'],
      [id, 'Second name'],
      [id, 'Second name'],
      [other, 'Another article'],
    ],
  )
})

t.test('an article whose date has come is published by whichever page is read first', async (t) => {
  const { root, denis, pavel, add, stored, db } = await startWithNews(t)
  const readers: [string, (id: number) => Promise<unknown>][] = [
    ['the list', () => root.get('/news')],
    ['the form', (id) => root.get(`/news/edit/${id}`)],
    ['the cards', () => denis.get('/news')],
    ['the dashboard', () => denis.get('/')],
    ['the reading view', (id) => denis.get(`/news/edit/${id}`)],
    ['the reading view of others', (id) => pavel.get(`/news/edit/${id}`)],
  ]
  for (const [name, read] of readers) {
    const due = add({ publishedon: Date.now() - minute, version: 3 })
    const later = add({ publishedon: Date.now() + minute })
    const before = Date.now()
    await read(due)
    const after = stored(due)
    t.match(after, { published: true, version: 4 }, name)
    t.ok((after?.publishedon ?? 0) >= before, 'with the time of the reading')
    t.match(stored(later), { published: false, version: 1 }, 'what is planned stays')
    const written = db.select().from(changes).where(eq(changes.record_id, due)).all().at(-1)
    t.match(written, { action: 'update', entity: 'news', record_version: 4, actor_id: null, actor_name: 'The cabinet', label: 'Message' })
    t.same(written?.fields.published, [false, true])
    t.equal(written?.fields.publishedon?.[1], after?.publishedon)
  }
  const due = Array.from({ length: 5 }, () => add({ publishedon: 1000 }))
  const count = () => db.select().from(changes).all().length
  const before = count()
  await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? denis : root).get('/news')))
  t.equal(count() - before, due.length, 'each once, however many read')
  const id = add({ publishedon: Date.now() - minute })
  await root.post(`/news/edit/${id}`, { name: 'Edited', version: '1', published: '0', publishedon: local(Date.now() - minute) })
  t.match(stored(id), { name: 'Edited', published: true }, 'published meanwhile, and the form knew nothing of it')
})

t.test('the SQL statement publishes exactly the articles that the rule calls due', async (t) => {
  const { add, stored, db } = await startWithNews(t)
  const moments = [null, 0, 1, Date.now() - 1, Date.now() - minute, Date.now() + minute, Date.now() + 10 * minute]
  const all = moments.flatMap((publishedon) => [true, false].map((published) => ({ published, publishedon })))
  const ids = all.map((publication) => add(publication))
  const now = Date.now()
  const expected = all.map((publication) => publication.published || isDue(publication, now))
  publishDue(db)
  t.same(
    ids.map((id) => stored(id)?.published),
    expected,
  )
  const plan = db.$client.prepare('explain query plan select id from news where published = 1 and id <> 1').all()
  t.match(JSON.stringify(plan), 'COVERING INDEX', 'what is published is counted and chosen from an index')
})

t.test(
  'an article is marked as unread for a reader who had an account before it or if it is one of the last two, until they open it',
  async (t) => {
    const { denis, add, db, cast, newBrowser } = await startWithNews(t)
    db.update(users).set({ created_at: 1_700_000_000_000 }).run()
    const [early, late] = [1_600_000_000_000, 1_800_000_000_000].map((created_at) => add({ published: true, created_at }))
    const unread = async (reader: typeof denis) =>
      elementsOf((await reader.get('/news')).body, 'article[id^="news-"]:has(.unread-dot)').map((card) => attributesOf(card).id)
    const older = [1_500_000_000_000, 1_550_000_000_000].map((created_at) => add({ published: true, created_at }))
    const draft = add({ published: false, created_at: 1_900_000_000_000 })
    t.same(await unread(denis), [`news-${late}`, `news-${early}`], 'the last two, whenever the account was made, not those before it')
    t.notOk((await unread(denis)).some((id) => id === `news-${draft}` || older.some((one) => id === `news-${one}`)))
    await denis.get(`/news/edit/${early}`, { 'sec-purpose': 'prefetch' })
    const behalf = newBrowser()
    await behalf.post('/login', { email: emailOf('root'), password })
    await behalf.post(`/impersonate/${cast.denis}`)
    t.equal((await behalf.get(`/news/edit/${early}`)).statusCode, 200)
    t.equal((await unread(denis)).length, 2, 'neither a page that is loaded ahead nor somebody else in their name opens it')
    await denis.get(`/news/edit/${early}`)
    t.same(await unread(denis), [`news-${late}`])
    await denis.get(`/news/edit/${late}`)
    t.same(await unread(denis), [])
  },
)

t.test('readers see published articles only, on cards, on the dashboard and by themselves', async (t) => {
  const { root, denis, add, db } = await startWithNews(t)
  t.match((await denis.get('/news')).body, 'No news yet')
  t.notMatch((await denis.get('/')).body, 'news-widget', 'which is no news at home')
  const noon = new Date(2023, 10, 14, 12).getTime()
  const ids = Array.from({ length: 20 }, (_, at) => add({ published: true, created_at: noon + at * 1000, name: `News ${at}` })).reverse()
  add({ name: 'Draft', created_at: Date.now() })
  t.same(cardsOf((await denis.get('/news')).body), ids.slice(0, 8))
  t.same(cardsOf((await denis.get('/news?page=2')).body), ids.slice(8, 16))
  t.same(cardsOf((await denis.get('/news?page=3')).body), ids.slice(16))
  t.same(cardsOf((await denis.get('/news?page=99')).body), ids.slice(16), 'past the end is the last page')
  for (const page of ['0', '-1', 'x', '1.5', '1e300', ''])
    t.same(cardsOf((await denis.get(`/news?page=${page}`)).body), ids.slice(0, 8), page)
  t.same(cardsOf((await denis.get('/')).body), ids.slice(0, 6))
  t.same(cardsOf((await denis.get('/?news=2')).body), ids.slice(6, 12))
  t.same(cardsOf((await denis.get('/?news=4')).body), ids.slice(18))
  t.notMatch((await root.get('/')).body, 'news-widget', 'the widget is for dealers')
  const [id = 0] = ids
  const html = `<h3>Head</h3><p>${'слово '.repeat(60)}</p>`
  await root.post(`/news/edit/${id}`, { name: 'A <b> & title', description: html })
  const [card = ''] = elementsOf((await denis.get('/news')).body, 'article[id^="news-"]')
  t.match(textOf(card), /^14\.11\.2023 Not read yet A <b> & title слово/)
  t.match(card, `href="/news/edit/${id}"`)
  const excerpt = textOf(elementsOf(card, 'p.news-excerpt').join(''))
  t.equal(excerpt, `${'слово '.repeat(33)}сл…`, 'the first 200 characters')
  const widget = parseHtml((await denis.get('/')).body)
  t.same(
    widget('#news-widget h3 a')
      .toArray()
      .map(({ attribs }) => attribs.href),
    ids.slice(0, 6).map((one) => `/news/edit/${one}`),
    'each title of the dashboard leads to its own article',
  )
  t.equal(widget('#news-widget header > a').attr('href'), '/news')
  const article = await denis.get(`/news/edit/${id}?back=%3Fpage%3D2`)
  const time = parseHtml(article.body)('header time')
  t.same([time.attr('datetime'), time.text()], [new Date(noon + 19_000).toISOString(), '14.11.2023'])
  t.match(article.body, `data-news="${id}"`)
  t.match(article.body, html)
  t.match(article.body, 'href="/news?page=2"')
  t.notMatch(article.body, 'class="record-form"')
  const seen = new Set<string>()
  for (let look = 0; look < 12; look++) {
    const others = cardsOf((await denis.get(`/news/edit/${id}`)).body)
    t.equal(new Set(others).size, 2)
    t.ok(others.every((other) => other !== id && ids.includes(other)))
    seen.add(others.join())
  }
  t.ok(seen.size > 1, 'chosen anew')
  const plan = db.$client
    .prepare('explain query plan select id from news where published = 1 order by created_at desc, id desc limit 9')
    .all()
  t.match(JSON.stringify(plan), 'news_published')
  t.notMatch(JSON.stringify(plan), 'TEMP B-TREE')
  const preview = await root.get(`/news/edit/${id}?tab=preview`)
  t.match(preview.body, `data-news="${id}"`)
  const previewed = parseHtml(preview.body)('.news-preview time')
  t.same([previewed.attr('datetime'), previewed.text()], [new Date(noon + 19_000).toISOString(), '14.11.2023'])
})

t.test('the pages of news are exactly as many as the articles fill, on the cards and on the dashboard', async (t) => {
  const { denis, add } = await startWithNews(t)
  const linksOf = async (path: string, region: string) => {
    const page = parseHtml((await denis.get(path)).body)
    const nav = page(`${region} nav.news-pager`)
    const href = (rel: string) => nav.find(`a[rel="${rel}"]`).attr('href')
    return {
      shown: nav.length === 1,
      page: nav
        .find('span')
        .text()
        .replace('Page ', '')
        .replace(/ \/ 2$/, ''),
      newer: href('prev'),
      older: href('next'),
    }
  }
  const none = { shown: false, page: '', newer: undefined, older: undefined }
  const places: [region: string, path: string, parameter: string, size: number][] = [
    ['#news-widget', '/', 'news', 6],
    ['#news-grid', '/news', 'page', 8],
  ]
  let added = 0
  const fill = (total: number) => {
    while (added < total) add({ published: true, name: `Article ${added++}`, created_at: added })
  }
  const last = { shown: true, page: '2', older: undefined }
  // In the order of the number of articles.
  for (const [total, expected] of [
    [6, () => places.map(() => none)],
    [7, ([widget]: string[][]) => [{ shown: true, page: '1', newer: undefined, older: widget?.[2] }, none]],
    [8, ([widget]: string[][]) => [{ shown: true, page: '1', newer: undefined, older: widget?.[2] }, none]],
    [9, (links: string[][]) => links.map((link) => ({ shown: true, page: '1', newer: undefined, older: link[2] }))],
  ] as const) {
    fill(total)
    const links = places.map(([, path, parameter]) => [0, 1, 2].map((page) => `${path}?${parameter}=${page}`))
    const shown = []
    for (const [region, path] of places) shown.push(await linksOf(path, region))
    t.same(shown, expected(links), `${total} articles`)
    for (const [, path, parameter, size] of places)
      if (total === size) t.equal(cardsOf((await denis.get(`${path}?${parameter}=2`)).body).length, size, `${path}: after the only page`)
  }
  for (const [region, path, parameter, size] of places) {
    fill(2 * size)
    for (const page of [2, 3])
      t.same(
        await linksOf(`${path}?${parameter}=${page}`, region),
        { ...last, newer: path },
        `${path}: of exactly ${2 * size} the second is the last`,
      )
  }
  add({ published: true, name: 'Article 16', created_at: 100 })
  t.same(await linksOf('/news?page=2', '#news-grid'), { shown: true, page: '2', newer: '/news', older: '/news?page=3' })
  t.same((await linksOf('/news?page=3', '#news-grid')).newer, '/news?page=2')
  const cards = parseHtml((await denis.get('/news?page=2')).body)('.news-card h2 a')
  t.ok(
    cards.toArray().every(({ attribs }) => attribs.href?.endsWith('?back=%3Fpage%3D2')),
    'and back to the page they came from',
  )
  const opened = await denis.get(String(cards.first().attr('href')))
  t.equal(parseHtml(opened.body)('a.back-link').attr('href'), '/news?page=2')
  const leads = (body: string) => elementsOf(body, '.news-card.is-lead').map((lead) => textOf(lead))
  t.match(leads((await denis.get('/news')).body), [/Article 16/], 'only the newest of all is large')
  t.same(leads((await denis.get('/news?page=2')).body), [])
})

t.test('an evening article has the date of its own day, not that of Greenwich', async (t) => {
  const { denis, root, add } = await startWithNews(t)
  for (const [TZ, moment, day] of [
    ['America/Los_Angeles', '2026-03-05T03:30:00Z', '04.03.2026'],
    ['Asia/Vladivostok', '2026-03-04T20:30:00Z', '05.03.2026'],
  ] as const) {
    setTimeZone(t, TZ)
    const at = Date.parse(moment)
    const id = add({ published: true, created_at: at, publishedon: at, name: `Evening in ${TZ}` })
    for (const path of ['/', '/news', `/news/edit/${id}`]) t.match(textOf((await denis.get(path)).body), day, `${TZ}: ${path}`)
    const list = parseHtml((await root.get('/news')).body)
    t.match(list(`#news-${id}-publishedon [title]`).attr('title'), day, `${TZ}: the list`)
  }
})

t.test('articles sanitized by an earlier version are sanitized again at start', async (t) => {
  const { add, stored, db, app } = await startWithNews(t)
  const { resanitizeNews: renewShown } = await import('../../src/modules/news/news.ts')
  const ids = Array.from({ length: 120 }, () => add({ description: '<p onclick="x">A</p>', shown: '<p onclick="x">A</p>' }))
  renewShown(app.db, [app.config.host])
  t.match(stored(ids[0] as number)?.shown, 'onclick', 'this edition was here already')
  db.$client.exec("delete from seeded where name like 'news shown %'")
  renewShown(app.db, [app.config.host])
  for (const id of ids) t.match(stored(id), { shown: '<p>A</p>', excerpt: 'A' })
  const own = add({ description: '<img src="//New.Example/orders">', shown: '<img src="//New.Example/orders">' })
  renewShown(app.db, [app.config.host, 'new.example'])
  t.notMatch(stored(own)?.shown, 'src', 'the service is known by another name now')
})

t.test('an article cannot contain absolute addresses of this service except news images, whatever the host name', async (t) => {
  const { root, stored } = await startWithNews(t, { PUBLIC_URL: 'https://cabinet.example', HOST: '127.0.0.7' })
  const image = (host: string, path: string) => `<img src="${host}${path}" alt="" loading="lazy" />`
  const hosts = ['https://CABINET.example', '//cabinet.example:8443', 'http://127.0.0.7:1', 'http://alias.example']
  const description = hosts.flatMap((host) => ['/orders', '/news/images/abc/640'].map((path) => image(host, path))).join('')
  const answer = await root.post('/news/add', { name: 'Images', description }, { host: 'Alias.example:3000' })
  const id = Number(/\d+$/.exec(String(answer.headers.location))?.[0])
  t.equal(stored(id)?.shown, hosts.map((host) => `<img alt="" loading="lazy" />${image(host, '/news/images/abc/640')}`).join(''))
  await root.post(`/news/edit/${id}`, { description: image('http://alias.example', '/orders') }, { host: 'alias.example' })
  t.equal(stored(id)?.shown, '<img alt="" loading="lazy" />', 'nor after it was edited')
})

t.test('a long text is saved only if its writer may still write once it has been read', async (t) => {
  const { clerk, add, db, cast } = await startWithNews(t)
  const id = add({ description: '<p>Kept</p>' })
  const places = { [`/news/edit/${id}`]: 'news_can_edit', '/news/add': 'news_can_add' } as const
  for (const [path, policy] of Object.entries(places)) {
    const reading = once(process, 'worker')
    const answer = clerk.post(path, { name: 'Long', description: `<p>${'word '.repeat(15_000)}</p>` })
    await reading
    revoke(db, cast.clerk, policy)
    t.equal((await answer).statusCode, 403, path)
  }
  const articles = db.select().from(news).all()
  t.match(articles, [{ id, name: 'Message', description: '<p>Kept</p>', version: 1 }])
  t.equal(articles.length, 1)
})

t.test('whoever may delete news but not read them deletes none (403)', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const id = createNews(db, { name: 'Kept', description: '<p>Here</p>', published: true }, { id: null, name: 'Test' })
  grant(db, cast.clerk, 'news_can_delete')
  revoke(db, cast.clerk, 'news_can_view')
  const clerk = await as('clerk')
  t.equal((await clerk.get(`/news/delete?id=${id}`)).statusCode, 403)
  t.equal((await clerk.post('/news/delete', { id })).statusCode, 403)
  t.equal(db.select().from(news).all().length, 1)
})
