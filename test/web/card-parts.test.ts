import type { Element } from 'domhandler'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { categories, users } from '../../src/database/schema/index.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { insertContractPrice, insertProduct } from '../support/products.ts'

const openTabOf = ({ body }: Answer) => elementsOf(body, '.card-header-tabs [aria-current=page]').map(textOf)

const hrefsOf = ({ body }: Answer, selector: string) =>
  parseHtml(body)<Element, string>(selector)
    .toArray()
    .map(({ attribs }) => attribs.href)

t.test('a mistake, and a line more, open the tab on which they are', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const path = `/company/edit/${cast.companies.alpha}`
  const wrongPrice = { contract_prices: '', 'contract_prices[0][price]': 'x' }
  t.same(openTabOf(await root.post(path, wrongPrice)), ['Contract prices'])
  t.same(openTabOf(await root.post(`${path}?tab=files`, { org: '' })), ['Data'])
  t.same(openTabOf(await root.post(`${path}?tab=files`, { org: '', ...wrongPrice })), ['Data'], 'of several the first')
  t.same(openTabOf(await root.post(`${path}?tab=prices`, { org: '', ...wrongPrice })), ['Contract prices'], 'unless one is on the open one')
  t.same(openTabOf(await root.post(path, { files: '', _add: 'files' })), ['Files'])
  t.same(openTabOf(await root.post(path, { discounts: '', _add: 'discounts' })), ['Data'])
})

t.test('saving leads to the same tab, and from there back to the list as it was', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const path = `/company/edit/${cast.companies.alpha}`
  const back = `back=${encodeURIComponent('?q=alpha')}`
  const opened = await root.get(`${path}?tab=files&${back}`)
  const form = parseHtml(opened.body)('.record-form')
  t.equal(form.attr('action'), `${path}?tab=files&${back}`)
  t.equal((await root.post(String(form.attr('action')), { files: '' })).headers.location, `${path}?tab=files&${back}`)
  t.same(hrefsOf(opened, '.back-link, .save-bar a'), ['/companies?q=alpha', '/companies?q=alpha'])
  t.ok(
    hrefsOf(opened, '.card-header-tabs a').every((href) => href?.includes(back)),
    'every tab keeps it',
  )
  for (const elsewhere of ['https://example.com', '//example.com', 'alpha', '?'])
    t.same(hrefsOf(await root.get(`${path}?back=${encodeURIComponent(elsewhere)}`), '.back-link'), ['/companies'], elsewhere)
  const added = await root.post(`/categories/add?tab=orders&${back}`, { name: 'Gates' })
  t.match(added.headers.location, /^\/categories\/edit\/\d+\?back=%3Fq%3Dalpha$/, 'a new record opens with its data')
})

t.test('whoever may add and not see what is added goes home, and learns that it is there', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  grant(db, cast.clerk, 'category_can_edit')
  const clerk = await as('clerk')
  t.equal((await clerk.post('/categories/add', { name: 'Gates' })).headers.location, '/')
  t.equal(db.select().from(categories).where(eq(categories.name, 'Gates')).all().length, 1)
  const messages = async () => elementsOf((await clerk.get('/')).body, '#messages [role=status]').map(textOf)
  t.match(await messages(), [/Gates/])
  t.same(await messages(), [], 'once')
})

t.test('a card leads to what belongs to its record as far as its reader may list it', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const { alpha } = cast.companies
  const clerk = await as('clerk')
  const leadsTo = async () => {
    const { body } = await clerk.get(`/company/edit/${alpha}`)
    const links = (selector: string) => elementsOf(body, selector).map(textOf)
    return {
      menu: links('.record-menu a'),
      tabs: links('.card-header-tabs a').slice(1, 4),
      facts: links('.record-facts dt').includes('Turnover'),
    }
  }
  revoke(db, cast.clerk, 'order_can_view')
  grant(db, cast.clerk, 'company_can_view')
  t.same(await leadsTo(), { menu: ['Offer'], tabs: ['Data', 'Contract prices', 'Ledger'], facts: false })
  grant(db, cast.clerk, 'dealer_can_view')
  t.same(await leadsTo(), { menu: ['Offer'], tabs: ['Data', 'Dealers', 'Contract prices'], facts: false })
  grant(db, cast.clerk, 'order_can_view')
  t.same(await leadsTo(), { menu: ['Offer'], tabs: ['Data', 'Dealers', 'Orders'], facts: true })
})

t.test('beside an overview tabs with a form are read first, and lead whoever may change them to the form', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const { alpha, beta } = cast.companies
  const product = insertProduct(db, { article: 'A', category_id: cast.category })
  insertContractPrice(db, alpha, product, 90_050)
  const root = await as('root')
  const path = `/company/edit/${alpha}`
  const back = 'back=%3Fq%3Dalpha'
  const shown = (answer: Answer) => ({
    text: elementsOf(answer.body, '.is-read .form-control-plaintext, .is-read .empty-title').map(textOf),
    leads: hrefsOf(answer, '.is-read a'),
    buttons: elementsOf(answer.body, '.record-card button').length,
  })
  const tabs = hrefsOf(await root.get(`${path}?tab=overview&${back}`), '.card-header-tabs a')
  t.same(
    ['prices', 'files', 'ledger'].map((name) => tabs.find((href) => href?.includes(`tab=${name}`))),
    [`${path}?tab=prices&${back}&read=1`, `${path}?tab=files&${back}&read=1`, `${path}?tab=ledger&${back}`],
  )
  const prices = await root.get(`${path}?tab=prices&${back}&read=1`)
  t.same(openTabOf(prices), ['Contract prices'])
  t.match(shown(prices), { text: { 3: /900,50/ }, leads: [`${path}?tab=prices&${back}`], buttons: 0 })
  const files = await root.get(`${path}?tab=files&read=1`)
  t.same(shown(files), { text: ['No files yet'], leads: [`${path}?tab=files`], buttons: 0 })
  t.same(elementsOf(files.body, '.is-read a').map(textOf), ['Add file'])
  t.ok(elementsOf((await root.get(`${path}?tab=files`)).body, '.save-bar').length, 'the address of a form stays that of the form')
  t.ok(elementsOf((await root.get(`${path}?read=1`)).body, '.save-bar').length, 'the data of a record are read on its overview')
  revoke(db, cast.mikhail, 'company_manager_can_edit')
  t.same(shown(await (await as('mikhail')).get(`/company/edit/${beta}?tab=files&read=1`)).leads, [], 'whoever may not change it')
})

t.test('a tab alone comes without what stands above all of them', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const above = '.page-header, .record-lead, .record-facts, .record-menu, .record-state'
  const path = `/company/edit/${cast.companies.alpha}?tab=files`
  t.equal(elementsOf((await root.get(path)).body, above).length, 5)
  const tab = await root.get(path, htmx)
  t.same(elementsOf(tab.body, above), [])
  t.same(openTabOf(tab), ['Files'])
})

t.test('a value that somebody may not change may be sent as it is, even one that would be refused today', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  db.update(users).set({ email: 'once taken' }).where(eq(users.id, cast.maria)).run()
  grant(db, cast.clerk, 'manager_can_view', 'manager_can_edit')
  const clerk = await as('clerk')
  const path = `/managers/edit/${cast.maria}`
  t.equal((await clerk.post(path, { name: 'Mary', email: 'once taken' })).statusCode, 303)
  const refused = await clerk.post(path, { name: 'Marie', email: 'other@example.com' })
  t.equal(refused.statusCode, 403)
  t.match(textOf(refused.body), 'You cannot edit this field')
  const { name, email } = db.select().from(users).where(eq(users.id, cast.maria)).get() ?? {}
  t.same([name, email], ['Mary', 'once taken'])
})
