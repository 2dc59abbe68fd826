import { eq } from 'drizzle-orm'
import t from 'tap'
import { settings, users } from '../../src/database/schema/index.ts'
import { type Browser, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { elementsOf, fieldOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'
import { attributesIn, textsIn } from '../support/parts.ts'

t.test('a page that is not there leads to the search, and one way on', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  const root = await as('root')
  const page = await root.get('/orders/edit/9999?tab=history')
  t.equal(page.statusCode, 404)
  t.equal(fieldOf(page, 'q')?.value, '', 'the id of what is missing is nothing to search for')
  const form = parseHtml(page.body)('#main form[role=search]')
  t.match({ method: form.attr('method'), action: form.attr('action') }, { method: 'get', action: '/find' })
  const ways = ({ body }: { body: string }) =>
    elementsOf(body, '.error-page > a.btn').map((link) => [textOf(link), parseHtml(link)('a').attr('href')])
  t.match(textOf((await root.get('/orders/9999')).body), 'There is no order 9999 It may have been deleted.')
  t.notMatch((await root.get('/orders/x')).body, 'There is no order')
  const home = [['Go to dashboard', '/']]
  t.same(ways(page), [['Orders', '/orders']], 'the list that it would be in')
  const from = (referer: string) => root.get('/orders/edit/9999', { referer })
  t.same(ways(await from('http://localhost/companies?q=vega')), [['Go back', '/companies?q=vega']], 'or where one came from')
  t.same(ways(await root.get('/nowhere')), home)
  t.same(ways(await root.get('/nowhere', { referer: 'http://localhost/nowhere' })), home, 'which is not this very page')
  t.same(ways(await root.get('/nowhere', { referer: 'http://evil.example//evil.example' })), home)

  const odd = await root.get('/%D0%BD%D0%B5%D1%82/<b>%E0')
  t.equal(odd.statusCode, 404)
  t.notMatch(odd.body, '<b>')
  t.equal(parseHtml((await newBrowser().get('/nowhere')).body)('form[role=search]').length, 0, 'who is not signed in searches nothing')
})

t.test('a page that is not there is called by its first sentence, and what follows is a line of its own', async (t) => {
  const { as } = await startCabinet(t)
  const page = await (await as('root')).get('/orders/edit/9999', { 'accept-language': 'ru' })
  const $ = parseHtml(page.body)
  t.equal($('#main h1').text(), 'Заказа №\u00a09999 нет')
  t.match($('title').text(), /^Заказа №\s9999 нет [^.]*$/)
  t.match($('.error-page h1 + p').text(), 'Возможно, он удалён.')
})

t.test('what cannot be done offers the way back, and no search', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const page = await root.post('/first-steps', { step: 'everything' }, { referer: 'http://localhost/' })
  t.equal(page.statusCode, 422)
  t.equal(textsIn(page.body, '.error-page h1 + p').join(), 'Nothing was changed. Go back and try again.')
  t.equal(fieldOf(page, 'q'), undefined)
  t.same(elementsOf(page.body, '#main .btn-primary').map(textOf), ['Go back'])
})

t.test('who may not see a page gets back to where they came from, or home, without a search', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const maria = await as('maria')
  db.update(users).set({ phone: '+7(900) 111 22 33' }).where(eq(users.id, cast.root)).run()
  const page = await maria.get('/settings', { referer: 'http://localhost/companies?q=vega' })
  t.equal(page.statusCode, 403)
  t.equal(parseHtml(page.body)('.error-page > a.btn').attr('href'), '/companies?q=vega')
  t.equal(fieldOf(page, 'q'), undefined)
  t.same(elementsOf((await maria.get('/settings')).body, '.error-page > a.btn').map(textOf), ['Go to dashboard'])
  t.equal(textsIn(page.body, '.error-page .error-suggestion').join(), 'Whom to ask: OR Root Olga', 'and learns whom to ask')
  t.notMatch(page.body, /root@example\.com|900\) 111/, 'whose addresses are for whoever may see administrators')
  t.match(textsByRole(await maria.get('/settings', htmx), 'alert')[0], 'Whom to ask: Root Olga')
  t.equal(parseHtml(page.body)('.error-suggestion a').length, 0, 'by name only')
  grant(db, cast.admin, 'admin_can_view')
  const admin = parseHtml((await (await as('admin')).get('/settings')).body)
  t.match(admin('.error-suggestion a').attr('href'), /^\/admins\/edit\/\d+\?tab=overview$/, 'who may see them is led there')
  t.same(attributesIn((await (await as('admin')).get('/settings')).body, '.error-suggestion p + p a', 'href').flat(), [
    'tel:+79001112233',
    'mailto:root@example.com',
  ])
  const asked = (await (await as('clerk')).get('/companies')).body
  t.equal(parseHtml(asked)('.error-page .error-suggestion form').length, 1, 'who can ask for the permission does that, in the same card')
  t.match(textsIn(asked, '.error-page .error-suggestion').join(), /Request access Whom to ask: .* Root Olga/, 'or turns to somebody')
  t.notMatch((await (await as('denis')).get('/settings')).body, 'root@example.com', 'dealers turn to their manager')
})

t.test('a dealer who is refused a page learns it without a word about rights, and whom to ask', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const denis = await as('denis')
  db.update(users).set({ phone: '+7(900) 111 22 33' }).where(eq(users.id, cast.maria)).run()
  const strangers = insertOrder(cabinet, 'new', { dealer_id: cast.daria, owner_company_id: cast.companies.beta })
  const told = async (path: string, headers = {}) => {
    const page = await denis.get(path, headers)
    t.equal(page.statusCode, 403, path)
    t.notMatch(textOf(page.body), /permission|limited/i, path)
    return textsIn(page.body, '.error-reasons p').join(' ')
  }
  t.equal(await told('/companies'), 'This section is for staff of the manufacturer.')
  t.equal(await told('/statuses'), 'This section is for staff of the manufacturer.')
  t.equal(await told('/settings'), 'This section is for staff of the manufacturer.', 'what a superadministrator is says nothing to dealers')
  t.equal(await told('/settings', { 'accept-language': 'ru' }), 'Этот раздел – для сотрудников производителя.')
  t.equal(await told(`/orders/${strangers}`), 'Another company placed this order.')
  revoke(db, cast.denis, 'news_can_view')
  t.equal(await told('/news'), 'This is switched off for your account.')

  const whom = async (path: string, browser: Browser = denis) => textsIn((await browser.get(path)).body, '.error-suggestion').join()
  t.equal(await whom('/news'), 'Your manager can help: MP Petrova Maria Ivanovna +7(900) 111 22 33 maria@example.com')
  const links = parseHtml((await denis.get('/news')).body)('.error-suggestion a')
  t.same([links.eq(0).attr('href'), links.eq(1).attr('href')], ['tel:+79001112233', 'mailto:maria@example.com'])
  t.match(await whom(`/orders/${strangers}`), /^Your manager/, 'of another company')
  t.match(
    textsByRole(await denis.get('/news', htmx), 'alert')[0],
    /account\. Your manager .* Petrova Maria Ivanovna, \+7/,
    'in a part of a page, too',
  )
  for (const path of ['/settings', '/companies', '/statuses']) t.match(await whom(path), /^Your manager can help: MP Petrova/, path)
  revoke(db, cast.daria, 'news_can_view')
  t.match(
    await whom('/news', await as('daria')),
    /Sidorov Mikhail mikhail@example.com$/,
    'of their own company, and without a number where there is none',
  )
  t.notMatch(await whom('/companies', await as('clerk')), 'manager can help', 'staff ask for the right')
  db.update(users).set({ active: false }).where(eq(users.id, cast.maria)).run()
  t.equal(await whom('/news'), '', 'not somebody who has left')
  db.update(settings).set({ contact_email: 'sales@example.com' }).run()
  t.equal(await whom('/news'), 'We can help: Dealer cabinet sales@example.com')
  t.match(textsByRole(await denis.get('/news', htmx), 'alert')[0], /We can help: Dealer cabinet, sales@example\.com$/)
})

t.test('a view of a list that one may not read is refused with the reason of the list', async (t) => {
  const { as } = await startCabinet(t)
  const saved = await (await as('denis')).post('/views', { name: 'Mine', address: '/companies' })
  t.equal(saved.statusCode, 403)
  t.same(
    textsIn(saved.body, '.error-reasons p'),
    ['This section is for staff of the manufacturer.'],
    'a list that one may not read is no view',
  )
  const clerk = await (await as('clerk')).post('/views', { name: 'Mine', address: '/companies' })
  t.match(textsIn(clerk.body, '.error-reasons p').join(), /This needs the .*companies/i)
})

t.test('a page that fails says so without a word of saving, and can be asked for again', async (t) => {
  const { as, db } = await startCabinet(t, { anew: true })
  const root = await as('root')
  db.$client.exec('alter table stocks rename to gone')
  const page = await root.get('/stocks?q=a')
  const missing = await root.post('/stocks/add', { name: 'Tver' })
  db.$client.exec('alter table gone rename to stocks')
  t.equal(page.statusCode, 500)
  const said = textsByRole(page, 'alert').join()
  t.match(said, /Something went wrong on our end Try again in a moment\./)
  t.match(elementsOf(page.body, '#main .btn-primary').map(textOf), ['Try again'])
  t.equal(parseHtml(page.body)('#main .btn-primary').attr('href'), '')
  t.equal(missing.statusCode, 500)
  t.match(missing.body, 'Nothing was saved')
  t.notMatch(missing.body, 'href=""', 'what was sent is not asked for again')
  const nowhere = textsByRole(await root.get('/nowhere'), 'alert').join()
  t.match(nowhere, 'Check the address, or search for what you need.')
  t.notMatch(nowhere, 'Try again')
})

t.test('a record that was deleted can be restored where it is missing, by those who may', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const path = `/orders/${cast.order}`
  const button = (page: { body: string }) => parseHtml(page.body)('#main form[action^="/bin/"]')
  t.equal(button(await root.get('/orders/99999')).length, 0, 'not what has never been there')
  t.equal((await root.post('/orders/delete', { id: String(cast.order) })).statusCode, 303)
  const page = await root.get(path)
  t.equal(page.statusCode, 404)
  t.match(textsByRole(page, 'alert').join(), /Deleted by Root Olga.* on \d\d\.\d\d\.\d{4}.* It can be restored\./)
  t.equal(fieldOf(page, 'q'), undefined, 'one way on')
  t.equal(button(await (await as('maria')).get(path)).length, 0, 'not by those who may not delete it')
  t.equal(button(await (await as('daria')).get(path)).length, 0)
  const restored = await root.post(String(button(page).attr('action')), {}, { referer: `http://localhost${path}` })
  t.equal(restored.headers.location, path, 'and is where it was')
  t.equal((await root.get(path)).statusCode, 200)
})
