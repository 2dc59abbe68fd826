import { eq } from 'drizzle-orm'
import t from 'tap'
import { categoryCompany, companies, users } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { errorsOf, fieldOf, parseHtml, textOf } from '../support/html.ts'
import { line } from '../support/orders.ts'
import { insertProduct } from '../support/products.ts'

t.test('the summary of errors leads to each field, and says in which line of several it is', async (t) => {
  const { as, cast } = await startCabinet(t)
  const wrong = await (await as('denis')).post('/orders/add', {
    items: '',
    email: 'nobody',
    ...line(2, cast.category, 'Window', 1, 100),
    ...line(7, cast.category, 'Door', 0, 100),
  })
  t.same(Object.keys(errorsOf(wrong)).sort(), ['email', 'items.7.quantity'])
  const page = parseHtml(wrong.body)
  const links = page('.error-summary a').toArray()
  t.same(
    links.map((link) => [page(link).text(), link.attribs.href]),
    [
      ['Line 2: quantity', '#items.7.quantity'],
      ['Email', '#email'],
    ],
    'in the order of the form',
  )
  t.same(
    page('.error-summary li')
      .toArray()
      .map((item) => page(item).text().replace(/\s+/g, ' ').trim()),
    ['Line 2: quantity', 'Email'],
    'what is wrong with each is said there',
  )
  t.equal(page('.error-summary div').contents().first().text().trim(), 'Not saved. Please check:')
  t.equal(page('[autofocus]').attr('class'), 'alert alert-danger error-summary', 'which has the focus')
  const single = parseHtml((await (await as('denis')).post('/orders/add', { items: '', ...line(7, cast.category, 'Door', 0, 100) })).body)
  t.equal(single('.error-summary').length, 0, 'a single mistake is named at its field')
  t.equal(single('[autofocus]').attr('id'), 'items.7.quantity', 'which has the focus')
  const priceless = await (await as('root')).post('/products/add', {
    prices: '',
    'prices[0][from]': '2026-01-01',
    'prices[0][price]': 'much',
  })
  const named = parseHtml(priceless.body)('.error-summary a[href="#prices.0.price"]')
  t.equal(named.text(), 'Price', 'a row that is called like its field says that once, and an only one has no number')
})

t.test('an error stands in the place of the hint of its field, and the input is described by what is there', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const blank = await root.get('/managers/add')
  t.same(fieldOf(blank, 'password')?.describedBy, ['password-hint'])
  t.equal(parseHtml(blank.body)('#password-hint').text().trim(), '8 to 256 characters')
  const wrong = await root.post('/managers/add', { lastname: 'Newton', name: 'Nina', email: 'nina@example.com', password: 'short' })
  t.same(fieldOf(wrong, 'password')?.describedBy, ['password-error'])
  t.equal(parseHtml(wrong.body)('#password-hint').length, 0)
  const own = await root.post(`/admins/edit/${cast.root}`, { email: 'nobody' })
  t.same(Object.keys(errorsOf(own)), ['email'])
  const hint = parseHtml(own.body)('#password-hint')
  t.equal(hint.find('a').attr('href'), '/profile', 'where the password is changed stays a link while another field is wrong')
  t.equal(parseHtml(wrong.body)('.form-hint a').length, 0, 'other hints lead nowhere')
})

t.test('a day and a moment each say in which form they are typed', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const placeholders = async (path: string) => {
    const page = parseHtml((await root.get(path)).body)
    const fields = page('[data-date-field]').toArray()
    return new Set(fields.map((one) => `${one.attribs['data-date-field']} ${page(one).find('[data-calendar]').attr('data-placeholder')}`))
  }
  t.same(await placeholders('/news/add'), new Set(['moment DD.MM.YYYY HH:MM']))
  t.same(await placeholders('/categories/add'), new Set())
  t.same(await placeholders('/orders?choose=filters'), new Set(['day DD.MM.YYYY']))
})

t.test('what a card knows nothing of has a dash among its facts, and no lines for whoever may only read', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const { alpha, nobodys } = cast.companies
  db.update(companies).set({ inn: '7701234567' }).where(eq(companies.id, alpha)).run()
  db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: 5 }).run()
  grant(db, cast.clerk, 'company_can_view')
  const clerk = await as('clerk')
  const shown = async (id: number, tab = '') => parseHtml((await clerk.get(`/company/edit/${id}${tab}`)).body)
  const facts = async (id: number) => {
    const page = await shown(id)
    const pairs = page('.record-facts > div').toArray()
    return Object.fromEntries(pairs.map((pair) => [page(pair).find('dt').text().trim(), page(pair).find('dd').text().trim()]))
  }
  revoke(db, cast.clerk, 'order_can_view_prices')
  t.same(await facts(alpha), { INN: '7701234567', KPP: '—' })
  grant(db, cast.clerk, 'order_can_view_prices')
  t.match(
    (await shown(alpha, '?tab=overview'))('.properties').text().replace(/\s+/g, ' '),
    /INN 7701234567/,
    'legal details stand on the overview',
  )
  const lines = async (id: number) => {
    const page = await shown(id, '?tab=discounts')
    const repeater = page('[data-repeater=discounts]')
    t.equal(repeater.find('button').length, 0, 'nothing can be added')
    return textOf(repeater.toString())
  }
  t.equal(await lines(nobodys), '')
  t.match(await lines(alpha), /Windows/)
  t.notMatch(await lines(alpha), /—$/, 'where there is a line there is no dash')
  const root = parseHtml((await (await as('root')).get(`/company/edit/${nobodys}?tab=discounts`)).body)
  t.notMatch(textOf(root('[data-repeater=discounts]').toString()), '—', 'who may add lines is offered to')
})

t.test('a mistake among lines stands in the line that was sent, also where stored ones were not', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  const product = insertProduct(db, { article: 'G-1' })
  const path = `/company/edit/${cast.companies.alpha}`
  const price = (index: number, from: string) => ({
    [`contract_prices[${index}][product_id]`]: product,
    [`contract_prices[${index}][from]`]: from,
    [`contract_prices[${index}][price]`]: 10,
  })
  t.equal((await root.post(path, { contract_prices: '', ...price(0, '2026-01-01') })).statusCode, 303)
  const wrong = await root.post(path, price(5, '2026-02-01'))
  t.equal(wrong.statusCode, 422)
  t.same(errorsOf(wrong), { 'contract_prices.5.from': 'Another contract price of this product holds on these days.' })
  const again = await root.post(path, { contract_prices: '', ...price(3, '2026-01-01'), ...price(8, '2026-02-01') })
  t.same(Object.keys(errorsOf(again)), ['contract_prices.8.from'])
})

t.test('switches may be on or off: only what has to be filled in is called required', async (t) => {
  const { as } = await startCabinet(t)
  const blank = await (await as('root')).get('/news/add')
  t.same(
    ['name', 'published'].map((name) => fieldOf(blank, name)?.required),
    [true, false],
  )
})

t.test('pictures in forms are named, and only a saved record is called saved', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const card = parseHtml((await root.get(`/managers/edit/${cast.maria}`)).body)
  t.equal(card('[data-image-preview]').attr('alt'), 'Photo')
  const isSaved = async (path: string) => parseHtml((await root.get(path)).body)('.record-form').attr('data-saved') !== undefined
  t.equal(await isSaved(`/managers/edit/${cast.maria}`), true)
  t.equal(await isSaved('/managers/add'), false, 'a new one has yet to be added')
})

t.test('who may not change a field beside others is not told how to fill it in', async (t) => {
  const { as, cast } = await startCabinet(t)
  const hints = async (name: 'root' | 'maria') =>
    parseHtml((await (await as(name)).get(`/company/edit/${cast.companies.alpha}`)).body)('#credit_limit-hint').length
  t.same([await hints('root'), await hints('maria')], [1, 0])
})

t.test('what another record has already leads to that record, for who may see it', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const other = insertProduct(db, { article: 'W-1', name: 'Window' })
  const linksAt = (answer: Answer, field: string) =>
    parseHtml(answer.body)(`[id="${field}-error"] a`)
      .toArray()
      .map(({ attribs }) => attribs.href)
  const product = { article: 'W-1', name: 'Another', category_id: cast.category }
  t.same(linksAt(await (await as('root')).post('/products/add', product), 'article'), [`/products/edit/${other}?tab=overview`])
  const [root] = db.select({ email: users.email }).from(users).where(eq(users.id, cast.root)).all()
  const person = {
    lastname: 'Newton',
    name: 'Nina',
    email: String(root?.email),
    password: 'correct horse battery',
    company_id: cast.companies.alpha,
  }
  const seen = await (await as('root')).post('/dealers/add', person)
  t.same(linksAt(seen, 'email'), [`/admins/edit/${cast.root}?tab=overview`])
  const unseen = await (await as('maria')).post('/dealers/add', person)
  t.match(errorsOf(unseen), { email: 'This email is already in use.' })
  t.same(linksAt(unseen, 'email'), [], 'a manager does not see administrators')
})
