import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import { type Group, roleDefaults } from '../../src/core/access.ts'
import { findSizeProblems, piecePrice } from '../../src/core/pricing.ts'
import { fold, fullName } from '../../src/core/text.ts'
import { seedDefaults } from '../../src/database/defaults.ts'
import { wrongBalances } from '../../src/database/ledger-balances.ts'
import { migrateDatabase } from '../../src/database/migrations.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { noFiles, readContentFiles } from '../../src/database/sample/content.ts'
import { loadSample } from '../../src/database/sample/load.ts'
import {
  accessRequests,
  categories,
  categoryCompany,
  changes,
  companies,
  companyBalances,
  contractPrices,
  deliveries,
  ledgerEntries,
  manufactures,
  news,
  notifications,
  orderHistory,
  orderItems,
  orderMessages,
  orders,
  payments,
  policies,
  productPrices,
  products,
  settings,
  statuses,
  stocks,
  trash,
  userPolicies,
  users,
} from '../../src/database/schema/index.ts'
import { ledgerProblems } from '../support/ledger.ts'

const folder = t.testdir({})
const empty = plantedFile()
const db = loadedCopy('first.sqlite')
const people = db.select().from(users).all()
const firms = db.select().from(companies).all()
const userRights = db
  .select({ user_id: userPolicies.user_id, key: policies.key, value: userPolicies.value })
  .from(userPolicies)
  .innerJoin(policies, eq(policies.id, userPolicies.policy_id))
  .all()
const manager = personBy('manager@example.com')
const dealer = personBy('dealer@example.com')
const managed = firms.filter((firm) => firm.manager_id === manager.id)
const managedDealers = people.filter(({ company_id }) => managed.some(({ id }) => id === company_id))

t.teardown(() => db.$client.close())

t.test('the demo data has the documented number of records', async (t) => {
  const inGroup = (group: number) => people.filter((person) => person.group_id === group)
  t.same(
    [1, 2, 3, 4].map((group) => inGroup(group).length),
    [3, 53, 8, 3],
    'people by group',
  )
  t.equal(firms.length, 12, 'companies')
  t.same(
    [categories, stocks, manufactures].map((table) => db.select().from(table).all().length),
    [8, 2, 2],
    'reference lists',
  )
  t.equal(
    new Set(
      db
        .select()
        .from(categoryCompany)
        .all()
        .map((row) => row.company_id),
    ).size,
    7,
    'more than half the companies have category discounts',
  )
  t.equal(inGroup(2).filter((person) => !person.active).length > 2, true, 'some dealers are inactive')
  t.equal(inGroup(2).filter((person) => person.tg_id).length > 10, true, 'some dealers have a messenger')
  t.equal(inGroup(2).filter((person) => person.company_id === null).length, 2, 'a few dealers have no company')
})

t.test(
  'the demo data has 26 products of three bases, contract prices of two companies, next prices, and orders made of them',
  async (t) => {
    const sold = db.select().from(products).all()
    t.equal(sold.length, 26)
    t.same([...new Set(sold.map(({ basis }) => basis))].sort(), ['area', 'each', 'length'])
    const prices = Map.groupBy(db.select().from(productPrices).all(), ({ product_id }) => product_id)
    const today = new Date().toISOString().slice(0, 10)
    for (const { id, article } of sold) {
      const [now, next] = prices.get(id) ?? []
      t.ok(now && next && now.from <= today && next.from > today && next.price > now.price, article)
    }
    const contracts = db.select().from(contractPrices).all()
    t.equal(new Set(contracts.map(({ company_id }) => company_id)).size, 2)
    t.match(db.select().from(settings).get(), { catalog: true, vat: '22' })
    const lines = db.select().from(orderItems).all()
    t.ok(lines.every(({ product_id, piece_price, price_origin }) => product_id !== null && piece_price !== null && price_origin !== null))
    t.same([...new Set(lines.map(({ basis }) => basis))].sort(), ['area', 'each', 'length'])
    for (const { product_id, basis, width, height, price, discount, piece_price } of lines) {
      const product = sold.find(({ id }) => id === product_id) as (typeof sold)[number]
      t.equal(basis, product.basis)
      t.same(findSizeProblems(product, { width, height }), [], product.article)
      t.equal(piece_price, piecePrice({ price: Number(price), discount }, product, { width, height }), product.article)
    }
    const costs = Map.groupBy(lines, ({ order_id }) => order_id)
    for (const { id, cost } of db.select().from(orders).all())
      t.equal(
        cost,
        (costs.get(id) ?? []).reduce((sum, line) => sum + (line.piece_price ?? 0) * line.quantity, 0),
        `order ${id}`,
      )
  },
)

t.test('a new installation uses the catalog, one that exists goes on without', async (t) => {
  for (const isNew of [true, false]) {
    const file = join(folder, `new-${isNew}.sqlite`)
    const opened = openDatabase(file)
    migrateDatabase(opened)
    if (!isNew)
      opened.insert(users).values({ group_id: 1, email: 'first@example.com', password: '-', name: 'First', lastname: 'One' }).run()
    seedDefaults(opened, 'en')
    t.equal(opened.select().from(settings).get()?.catalog, isNew)
    opened.$client.close()
  }
})

t.test('the demo data is the same on every run', async (t) => {
  const again = loadedCopy('second.sqlite')
  const first = dump(db)
  for (const [table, rows] of dump(again)) t.equal(rows, first.get(table), table)
  again.$client.close()
})

t.test('the demo data has dates relative to the day of the first start', async (t) => {
  const day = 24 * 3600_000
  const now = Date.now()
  const placed = db.select().from(orders).all()
  const latest = Math.max(...placed.map(({ created_at }) => created_at))
  t.ok(latest <= now && latest > now - day, 'orders up to today')
  const past = [
    ...placed.map(({ updated_at }) => updated_at),
    ...people.map(({ created_at }) => created_at),
    ...db
      .select()
      .from(changes)
      .all()
      .map(({ at }) => at),
  ]
  t.equal(past.filter((at) => at > now).length, 0, 'nothing has happened in the future')
  const planned = db
    .select()
    .from(news)
    .all()
    .filter(({ published, publishedon }) => !published && publishedon)
  t.ok(
    planned.some(({ publishedon }) => (publishedon as number) > now && (publishedon as number) < now + 8 * day),
    'an article is scheduled for the next week',
  )
})

t.test('the demo data has notifications, deliveries and history', async (t) => {
  const all = db.select().from(notifications).all()
  const mine = all.filter(({ user_id }) => user_id === dealer.id)
  t.ok(mine.some(({ read_at }) => read_at) && mine.some(({ read_at }) => !read_at), 'read and unread notifications')
  const states = new Set(
    db
      .select()
      .from(deliveries)
      .all()
      .map(({ state }) => state),
  )
  t.same(states, new Set(['sent', 'failed']))
  t.same(
    new Set(
      db
        .select()
        .from(trash)
        .all()
        .map(({ list }) => list),
    ),
    new Set(['dealers', 'news']),
    'the trash',
  )
  t.equal(
    db
      .select()
      .from(accessRequests)
      .all()
      .filter(({ state }) => state === 'open').length,
    1,
    'a pending access request',
  )
  const entries = db.select().from(changes).all()
  for (const entity of ['users', 'companies', 'news', 'orders'])
    t.ok(
      entries.some((entry) => entry.entity === entity && entry.action === 'create'),
      `history of ${entity}`,
    )
  const versions = new Map(entries.map((entry) => [`${entry.entity} ${entry.record_id}`, entry.record_version]))
  for (const { id, version } of firms) t.equal(versions.get(`companies ${id}`), version)
})

t.test('the demo data has one account for each role', async (t) => {
  const expected = { admin: [1, true], manager: [3, false], dealer: [2, false], production: [4, false] }
  for (const [name, [group, superadmin]] of Object.entries(expected))
    t.match(personBy(`${name}@example.com`), { group_id: group, superadmin, active: true }, name)
  t.same(new Set(people.map((person) => person.password)), new Set(['the hash']), 'one password')
  t.equal(people.filter((person) => person.superadmin).length, 1, 'one superadministrator')
  const emails = people.map((person) => person.email.toLowerCase())
  t.equal(new Set(emails).size, emails.length, 'no email twice')
  t.same(
    emails.filter((email) => !/^[a-z0-9.]+@example\.com$/.test(email)),
    [],
    'all at example.com',
  )
})

t.test('the demo users have the default rights, and the manager some more', async (t) => {
  const more = [
    ...['view', 'edit', 'delete'].flatMap((action) => [`dealer_manager_can_${action}`, `company_manager_can_${action}`]),
    ...['dealer_can_add', 'company_can_add', 'dealer_can_auth'],
  ]
  for (const person of people) {
    const expected = [...roleDefaults[person.group_id as Group], ...(person === manager ? more : [])]
    t.same(rightsOf(person.id), expected.sort(), person.email)
  }
})

t.test('the demo manager is responsible for a part of the dealers', async (t) => {
  t.equal(managed.length, 3)
  t.ok(managedDealers.length >= 10 && managedDealers.length <= 20, `${managedDealers.length} dealers`)
  t.ok(managedDealers.includes(dealer), 'among them the dealer of the sample')
  t.ok(
    managedDealers.some((person) => /ё/i.test(person.lastname) && person.active),
    'among them a name with ё',
  )
  t.ok(
    managedDealers.some((person) => person.manager_id !== manager.id),
    'one of them has another manager',
  )
  t.ok(
    people.some((person) => person.manager_id === manager.id && !managedDealers.includes(person)),
    'one from elsewhere has this one',
  )
  t.ok(new Set(firms.map((firm) => firm.manager_id)).size > 6, 'the other companies belong to several managers')
})

t.test('every reference in the demo data is valid', async (t) => {
  t.same(db.$client.pragma('foreign_key_check'), [])
  const groupOf = new Map(people.map((person) => [person.id, person.group_id]))
  for (const firm of firms) if (firm.manager_id) t.equal(groupOf.get(firm.manager_id), 3, firm.org)
  for (const person of people) {
    t.equal(person.group_id === 2 || (person.company_id === null && person.manager_id === null), true, 'only dealers have a company')
    t.equal(person.stock_id !== null && person.manufacture_id !== null, person.group_id === 4, 'production has a place')
  }
  const earlier = new Map(firms.map((firm) => [firm.id, firm.created_at]))
  t.same(
    people.filter((person) => person.created_at < (earlier.get(person.company_id ?? 0) ?? 0)),
    [],
    'nobody is older than their company',
  )
})

t.test('the legal details in the demo data have valid check digits', async (t) => {
  for (const firm of firms) {
    const { org, bik, rs, cs, inn, ogrn, okpo } = firm
    const sole = org.startsWith('ИП ')
    t.match(firm, { kpp: sole ? null : /^\d{9}$/, bik: /^04\d{7}$/, okato: /^\d{11}$/, okved: /^\d\d(\.\d+)*$/ }, org)
    t.equal(inn?.length, sole ? 12 : 10)
    t.ok(innIsValid(inn as string), `${org}: INN ${inn}`)
    t.equal(ogrn?.length, sole ? 15 : 13)
    t.ok(ogrnIsValid(ogrn as string), `${org}: OGRN ${ogrn}`)
    t.equal(okpo?.length, sole ? 10 : 8)
    t.ok(okpoIsValid(okpo as string), `${org}: OKPO ${okpo}`)
    t.ok(accountIsValid(`${bik}`.slice(6), rs as string), `${org}: account ${rs}`)
    t.ok(accountIsValid(`0${`${bik}`.slice(4, 6)}`, cs as string), `${org}: correspondent account ${cs}`)
  }
})

t.test('the check digit functions accept numbers of known organizations', async (t) => {
  t.ok(innIsValid('7707083893') && innIsValid('500100732259'))
  t.ok(ogrnIsValid('1027700132195') && ogrnIsValid('304500116000157'))
  t.ok(okpoIsValid('00032537'))
  t.ok(accountIsValid('025', '30101810400000000225'))
  t.notOk(innIsValid('7707083894') || ogrnIsValid('1027700132194') || okpoIsValid('00032538'))
})

t.test('names, phones and search texts in the demo data are consistent', async (t) => {
  for (const person of people) {
    if (person.phone) t.match(person.phone, /^\+7\(\d{3}\) \d{3} \d{2} \d{2}$/)
    if (person.middlename) t.equal(/на$/.test(person.middlename), isWoman(person), fullName(person))
    t.equal(person.search, fold(fullName(person)))
  }
  for (const firm of firms) {
    t.equal(firm.search, fold(firm.org))
    t.match(firm.email, /^[a-z]+@[a-z0-9-]+\.example$/)
    t.match(firm.phone, /^\+7\(\d{3}\) \d{3} \d{2} \d{2}$/)
    t.ok((firm.discount ?? 0) >= 0 && (firm.discount ?? 0) <= 25)
  }
  for (const table of [stocks, manufactures]) for (const place of db.select().from(table).all()) t.equal(place.search, fold(place.name))
  for (const row of db.select().from(categories).all()) t.equal(row.search, fold(row.name))
})

t.test('the demo data has published, planned and draft news', async (t) => {
  const all = db.select().from(news).all()
  t.ok(all.length >= 10)
  t.ok(all.filter((message) => message.published).length >= 8, 'enough for the widget')
  t.ok(
    all.some((message) => !message.published && message.publishedon === null),
    'drafts',
  )
  t.ok(
    all.some((message) => !message.published && (message.publishedon ?? 0) > message.created_at),
    'planned ones',
  )
  t.same(
    all.filter((message) => message.published && message.publishedon === null),
    [],
    'what is published says since when',
  )
  for (const message of all) {
    t.ok(message.name.length <= 255)
    t.equal(message.shown, message.description, 'readers see all of it')
    t.match(message.excerpt, /^[^<>]{50,200}…?$/)
  }
})

function personBy(email: string) {
  return people.find((person) => person.email === email) as (typeof people)[number]
}

function rightsOf(userId: number): string[] {
  return userRights
    .filter((right) => right.user_id === userId && right.value)
    .map((right) => right.key)
    .sort()
}

/** By first names alone: all of the men end in another way. */
function isWoman({ name }: { name: string }): boolean {
  return /[ая]$/.test(name) || ['Любовь', 'Гузель'].includes(name)
}

/** Defaults say when they were planted, so both runs begin with the same file. */
function plantedFile(): string {
  const file = join(folder, 'planted.sqlite')
  const planted = openDatabase(file)
  migrateDatabase(planted)
  seedDefaults(planted, 'ru')
  planted.$client.close()
  return file
}

function loadedCopy(name: string): Database {
  const file = join(folder, name)
  copyFileSync(empty, file)
  const copy = openDatabase(file)
  loadSample(copy, 'the hash', noFiles)
  return copy
}

function dump({ $client }: Database): Map<string, string> {
  const tables = $client
    .prepare("select name from sqlite_master where type = 'table' and sql not like 'create virtual%' order by name")
    .pluck()
    .all() as string[]
  const rows = (table: string) => $client.prepare(`select * from "${table}"`).all() as Record<string, unknown>[]
  // Batches of the trash have random names.
  return new Map(
    tables.map((table) => [
      table,
      rows(table)
        .map(({ batch, ...row }) => JSON.stringify(row))
        .join('\n'),
    ]),
  )
}

// The checks read whole numbers, where the sample adds digits to a body.

function innIsValid(inn: string): boolean {
  const weights = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]
  const checks = (end: number) => Number(inn[end]) === (sum(inn.slice(0, end), weights.slice(-end)) % 11) % 10
  return inn.length === 10 ? checks(9) : checks(10) && checks(11)
}

function ogrnIsValid(ogrn: string): boolean {
  const [body, last] = [BigInt(ogrn.slice(0, -1)), BigInt(ogrn.slice(-1))]
  return (body % BigInt(ogrn.length - 2)) % 10n === last
}

function okpoIsValid(okpo: string): boolean {
  return sum(okpo.slice(0, -1), [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 === Number(okpo.slice(-1))
}

function accountIsValid(bank: string, account: string): boolean {
  return account.length === 20 && sum(bank + account, '71371371371371371371371'.split('').map(Number)) % 10 === 0
}

function sum(digits: string, weights: number[]): number {
  return [...digits].reduce((total, digit, place) => total + Number(digit) * (weights[place] as number), 0)
}

t.test('news are in one language, as the orders and companies that they are about, and the newest six are of this season', async (t) => {
  const articles = db.select().from(news).where(eq(news.published, true)).orderBy(desc(news.created_at)).all()
  const english = articles.filter(({ name, description }) => /[a-z]{4}/i.test(`${name} ${(description ?? '').replace(/<[^>]*>/g, '')}`))
  t.same(english, [])
  t.ok((articles[5]?.created_at ?? 0) > Date.now() - 100 * 24 * 3600_000)
})

t.test('the demo data has the same documents in both languages', async (t) => {
  const names = (language: 'en' | 'ru') => readContentFiles(`documents/${language}`).map(([name]) => name)
  t.same(names('ru'), names('en'))
  t.ok(names('en').length > 3)
})

t.test('the sheets of the demo have a supplier, whose numbers are valid', async (t) => {
  const supplier = db.select().from(settings).get()
  t.match(supplier, { legal_name: /^ООО «/, legal_address: /Подольск/, signatory: /\S/ })
  t.ok(innIsValid(supplier?.inn ?? ''))
  t.ok(ogrnIsValid(supplier?.ogrn ?? ''))
  t.ok(accountIsValid(`${supplier?.bik}`.slice(6), supplier?.rs ?? ''))
})

t.test('the demo data has questions, answers and an internal message on orders, some of them unread', async (t) => {
  const messages = db.select().from(orderMessages).all()
  t.ok(messages.length >= 10 && messages.some(({ internal }) => internal) && messages.some(({ author_group }) => author_group === 2))
  t.ok(messages.every(({ at }) => at < Date.now()))
  const told = db
    .select()
    .from(notifications)
    .all()
    .filter(({ message_id }) => message_id)
  t.ok(told.some(({ read_at }) => read_at) && told.some(({ read_at }) => !read_at))
  const internal = new Set(messages.filter((message) => message.internal).map(({ id }) => id))
  const dealers = new Set(
    db
      .select()
      .from(users)
      .where(eq(users.group_id, 2))
      .all()
      .map(({ id }) => id),
  )
  t.notOk(
    told.some(({ message_id, user_id }) => internal.has(message_id ?? 0) && dealers.has(user_id)),
    'no internal one reaches a dealer',
  )
})

t.test('the demo data has payments in every state, companies that owe and in credit, and charges of what is due', async (t) => {
  const states = db.select({ state: payments.state }).from(payments).all()
  t.same(new Set(states.map(({ state }) => state)), new Set(['reported', 'confirmed', 'rejected']))
  const balances = db.select().from(companyBalances).all()
  t.ok(balances.some(({ balance }) => balance > 0) && balances.some(({ balance }) => balance < 0))
  const limits = firms.flatMap(({ id, credit_limit }) => (credit_limit === null ? [] : [[id, credit_limit] as const]))
  const left = limits.map(([id, limit]) => limit + (balances.find(({ company_id }) => company_id === id)?.balance ?? 0))
  t.ok(left.some((amount) => amount < 0) && left.some((amount) => amount > 0), 'one company is over its limit, others are not')
  const placed = db.select().from(orders).all()
  const due = new Set(placed.flatMap(({ id, due_since }) => (due_since === null ? [] : [id])))
  t.same(
    ledgerProblems(db, (order) => due.has(order)),
    [],
  )
  t.equal(wrongBalances(db.$client), 0)
  const times = db.select().from(ledgerEntries).orderBy(ledgerEntries.id).all()
  t.ok(times.every(({ at }) => at <= Date.now()))
})

t.test('the demo data has orders in every status, each with its history', async (t) => {
  const placed = db.select().from(orders).all()
  t.equal(placed.length, 77)
  const used = new Set(placed.map(({ status_id }) => status_id))
  t.same(
    db
      .select()
      .from(statuses)
      .all()
      .filter(({ id }) => !used.has(id)),
    [],
    'no status without orders',
  )
  const steps = db.select().from(orderHistory).orderBy(orderHistory.id).all()
  const last = new Map(steps.map((step) => [step.order_id, step]))
  t.ok(placed.every(({ id, status_id }) => last.get(id)?.to_status_id === status_id))
  t.ok(
    steps.every(({ from_status_id, transition_id }) => (from_status_id === null) === (transition_id === null)),
    'every step after the first is a transition',
  )
  const statusKeys = new Map(
    db
      .select()
      .from(statuses)
      .all()
      .map(({ id, status_key }) => [id, status_key]),
  )
  const reached = (key: string) =>
    new Set(steps.flatMap(({ order_id, to_status_id }) => (statusKeys.get(to_status_id ?? 0) === key ? [order_id] : [])))
  for (const [key, field] of [
    ['paid', 'date_payment'],
    ['production', 'date_make'],
  ] as const)
    t.same(
      placed.filter((order) => reached(key).has(order.id) !== (order[field] !== null)).map(({ id }) => id),
      [],
      `${field} of the orders that were ${key}`,
    )
  const costs = db.$client.prepare('select order_id, sum(quantity * piece_price) as cost from order_items group by order_id').all() as {
    order_id: number
    cost: number
  }[]
  t.same(new Map(costs.map(({ order_id, cost }) => [order_id, cost])), new Map(placed.map(({ id, cost }) => [id, cost])))
  t.ok(
    placed.some(({ dealer_id }) => dealer_id === dealer.id),
    'the known dealer has orders',
  )
})
