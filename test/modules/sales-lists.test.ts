import t from 'tap'
import { companies, ledgerEntries, payments, products } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertProduct } from '../support/products.ts'

/** What a page says of its list, in the order of the page. */
function offerOf({ body }: Answer) {
  const $ = parseHtml(body)
  const texts = (selector: string) =>
    $(selector)
      .toArray()
      .map((one) => $(one).clone().find('.visually-hidden, .count').remove().end().text().replace(/\s+/g, ' ').trim())
      .join(', ')
  const heads = (selector: string, name: string) =>
    $(`th[data-col]${selector}`)
      .toArray()
      .map((head) => $(head).attr(name))
      .join(' ')
  return {
    title: texts('h1'),
    search: $('[type=search][name=q]').attr('placeholder'),
    buttons: texts('.page-actions > a, .list-actions > a, .bulk-bar button:not([data-select-none], [data-close-menu])'),
    tabs: texts('.list-tabs a'),
    filters: texts('.list-filters > .list-filter > summary, .list-filters > .list-date'),
    further: texts('.further-filters .filter-flags > a, .further-filters .filter-name'),
    columns: texts('.list-table th[data-col]'),
    kinds: heads('', 'data-kind'),
    more: texts('[id$="-columns"] .dropdown-menu a:not([data-from])'),
    sortable: heads(':has(a)', 'data-col'),
    descending: heads('[aria-sort=descending]', 'data-col'),
    sizes: texts('nav[aria-label="Rows per page"] a'),
  }
}

type Offer = ReturnType<typeof offerOf>

const ofLedger: Offer = {
  title: 'Ledger',
  search: 'Note, person',
  buttons: 'Balances, Close period',
  tabs: '',
  filters: 'Entry, Company, Period',
  further: 'Order number',
  columns: 'Date, Company, Entry, Order, Who, Amount',
  kinds: 'date name word identifier person money',
  more: 'Balance',
  sortable: 'date',
  descending: 'date',
  sizes: '25, 50, 100',
}

const ofPayments: Offer = {
  title: 'Payments',
  search: 'Order, company, person, note',
  buttons: 'Add payment, Import, Confirm…, Export',
  tabs: 'All, Reported',
  filters: 'Company, Payment type',
  further: 'Direction, Date of payment',
  columns: 'Order, Company, Reported by, Payment type, Date, State, Amount',
  kinds: 'identifier name person choice date status money',
  more: 'Decided by, Note, Direction, Payment type',
  sortable: 'date state amount',
  descending: 'state',
  sizes: '25, 50, 100',
}

const ofCompanies: Offer = {
  title: 'Companies',
  search: 'Organization, manager',
  buttons: 'Add company, Import, Change…, Export, Delete…',
  tabs: '',
  filters: 'Manager',
  further: 'In credit, Warehouse, Production site, Days without orders, at least',
  columns: 'Organization, Manager, Open orders, Balance, Overdue debt, Last order',
  kinds: 'name person number money money moment',
  more: 'City, Dealers, Discount, %, Left of the credit limit, Created, Updated, External ID',
  sortable: 'org manager balance',
  descending: '',
  sizes: '25, 50, All',
}

const ofProducts: Offer = {
  title: 'Products',
  search: 'Article, name, category',
  buttons: 'Add product, Import, Change prices…, Export, Delete…',
  tabs: '',
  filters: 'For sale',
  further: 'Category',
  columns: 'Article, Product name, Category, Unit, Price, For sale',
  kinds: 'short name category identifier money switch',
  more: 'Category',
  sortable: 'article name category',
  descending: '',
  sizes: '25, 50, All',
}

const offers: [Name, string, Offer][] = [
  ['root', '/ledger', ofLedger],
  ['root', '/payments', ofPayments],
  ['maria', '/payments', { ...ofPayments, buttons: '' }],
  [
    'denis',
    '/payments',
    {
      ...ofPayments,
      search: 'Order, person, note',
      buttons: 'Add payment',
      filters: 'Payment type',
      columns: 'Order, Reported by, Payment type, Date, State, Amount',
      kinds: 'identifier person choice date status money',
      more: 'Company, Decided by, Note, Direction, Payment type',
    },
  ],
  ['root', '/companies', ofCompanies],
  [
    'maria',
    '/companies',
    {
      ...ofCompanies,
      filters: '',
      further: 'In credit, Days without orders, at least',
      columns: 'Organization, Open orders, Balance, Overdue debt, Last order',
      kinds: 'name number money money moment',
      sortable: 'org balance',
      more: 'Manager, City, Dealers, Discount, %, Left of the credit limit, Created, Updated, External ID',
    },
  ],
  ['root', '/products', ofProducts],
  [
    'denis',
    '/products',
    {
      ...ofProducts,
      buttons: '',
      filters: '',
      further: '',
      columns: 'Article, Product name, Category, Unit, Your price',
      kinds: 'short name category identifier money',
    },
  ],
]

t.test('each list of sales says what it is searched, filtered and sorted by, how it is cut into pages, and what may be done', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  insertPayment(db, cast.order)
  insertProduct(db, { article: 'A' })
  const entry = {
    company_id: cast.companies.alpha,
    kind: 'correction',
    amount: 5,
    date: '2026-01-15',
    at: 1,
    actor_name: 'The test',
  } as const
  db.insert(ledgerEntries).values(entry).run()
  for (const [name, path, expected] of offers)
    t.same(offerOf(await (await as(name)).get(`${path}?choose=filters`)), expected, `${path} for ${name}`)
  const root = await as('root')
  const kinds = async (path: string) => offerOf(await root.get(path)).kinds
  const everyColumn = 'city,dealers,open_orders,discount,created_at,updated_at'
  t.equal(await kinds(`/companies?cols=${everyColumn}`), 'name person short number number number money money moment moment moment')
  t.equal(await kinds('/payments?cols=decider,note'), 'identifier name person person text choice date status money')
  const savesView = async (path: string) => elementsOf((await root.get(path)).body, 'form[action="/views"]').length > 0
  t.same([await savesView('/payments?kind=cash'), await savesView('/ledger?kind=charge')], [true, false], 'what happened is no view')
})

t.test('an empty list of sales says what will stand there', async (t) => {
  const { db, as } = await startCabinet(t)
  for (const table of [payments, products]) db.delete(table).run()
  const root = await as('root')
  db.$client.pragma('foreign_keys = off')
  db.delete(companies).run()
  db.$client.pragma('foreign_keys = on')
  const purposes = {
    ledger: 'No entries yet What companies owe and have paid appears here. Add payment',
    payments: 'No payments yet A payment is of a company. Add one first. Add company Import',
    companies:
      'No companies yet Companies are the organizations that dealers order for: with a contract, discounts, and a manager. Add company Import',
    products:
      'No products yet Products are what orders are made of: with a price, a unit, and a category, which gives companies their discounts. Add product Import',
  }
  for (const [list, purpose] of Object.entries(purposes)) {
    const text = elementsOf((await root.get(`/${list}`)).body, '.empty').map(textOf)
    t.same(text, [purpose], list)
  }
})

t.test('the menu groups the lists that somebody may open', async (t) => {
  const { as } = await startCabinet(t)
  const menuOf = async (name: Name) => {
    const menu = parseHtml((await (await as(name)).get('/')).body)
    const groups = menu('.sidebar-menu > ul').toArray()
    return groups.map((group) => {
      const links = menu(group).find('a:has(.menu-label)').toArray()
      const places = links.map((link) => `${menu(link).find('.menu-label').text()} ${menu(link).attr('href')?.split('?')[0]}`)
      return [menu(`[id="${menu(group).attr('aria-labelledby')}"]`).text(), ...places].join(', ')
    })
  }
  const first = ', Dashboard /, News /news'
  t.same(await menuOf('root'), [
    first,
    'Sales, Orders /orders, Documents /documents, Companies /companies, Payments /payments, Ledger /ledger, Products /products',
    'People, Dealers /dealers, Managers /managers, Production /productions, Administrators /admins, Access requests /rights/requests',
    'Catalog, Warehouses /stocks, Production sites /manufactures, Product categories /categories, Statuses /statuses',
    'System, Settings /settings, Change history /activity, Security log /security-log, Outbox /outbox, Jobs /jobs, Recently deleted /bin',
  ])
  const ofDealers = 'Sales, Orders /orders, Documents /documents, Payments /payments, Ledger /ledger, Products /products'
  t.same(await menuOf('denis'), [first, ofDealers, 'System, Recently deleted /bin'])
})
