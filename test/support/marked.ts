import { eq } from 'drizzle-orm'
import { group } from '../../src/core/access.ts'
import { policyKeys } from '../../src/core/policies.ts'
import { deleteRecords } from '../../src/database/delete-records.ts'
import type { Database } from '../../src/database/open.ts'
import {
  accessRequests,
  categories,
  companies,
  deliveries,
  imports,
  manufactures,
  news,
  notifications,
  orderHistory,
  orderItems,
  orderMessageFiles,
  orderMessages,
  orders,
  savedViews,
  stocks,
  users,
} from '../../src/database/schema/index.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { type Browser, type Cabinet, startCabinet } from './cabinet.ts'
import { type Name, revoke } from './cast.ts'
import { statusId } from './orders.ts'
import { storeUpload } from './uploads.ts'

/** One of each kind: Roman and Vera see what Denis and Daria see, and Ivan is inactive. */
export const people = ['root', 'admin', 'clerk', 'maria', 'mikhail', 'plain', 'pavel', 'denis', 'daria'] as const satisfies Name[]

/** A person as the rules of the specification know them. */
interface Person {
  id: number
  group: number
  company: number | null
  stock: number | null
  site: number | null
  holds: (key: string) => boolean
}

/** Whether a person may learn of something. */
type Rule = (person: Person) => boolean

interface Owners {
  dealer: number | null
  company: number | null
}

const mark = /zq\d+q/gi

/** A cabinet in which every text that somebody may not see is a mark of its own, wherever it then turns up. */
export async function startMarked(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const browsers = new Map<Name, Browser>()
  for (const name of people) browsers.set(name, await cabinet.as(name))
  const marks = new Map<string, { what: string; rule: Rule }>()
  const newMark = (what: string, rule: Rule) => {
    const text = `zq${marks.size + 100}q`
    marks.set(text, { what, rule })
    return text
  }
  const planted = await plant(cabinet, newMark)
  const persons = new Map(people.map((name) => [name, personOf(cabinet.db, cabinet.cast[name])]))
  const marksIn = (text: string) => [
    ...new Set(
      text
        .replace(/<\/?mark>/g, '')
        .match(mark)
        ?.map((one) => one.toLowerCase()),
    ),
  ]
  const mayKnow = (name: Name, text: string) => marks.get(text)?.rule(persons.get(name as (typeof people)[number]) as Person) ?? false
  return {
    ...cabinet,
    ...planted,
    browserOf: (name: Name) => browsers.get(name) as Browser,
    marks: [...marks.keys()],
    whatIs: (text: string) => marks.get(text)?.what ?? text,
    /** What an answer tells that the person must not learn. */
    leaksIn: (name: Name, text: string) => marksIn(text).filter((found) => !mayKnow(name, found)),
    marksIn,
    mayKnow,
  }
}

export type MarkedCabinet = Awaited<ReturnType<typeof startMarked>>

function personOf(db: Database, id: number): Person {
  const user = db.select().from(users).where(eq(users.id, id)).get()
  const held = db.$client
    .prepare<[number], string>('select key from user_policies join policies on policies.id = policy_id where user_id = ? and value')
    .pluck()
    .all(id)
  if (!user) throw new Error(`no person ${id}`)
  const { group_id, superadmin, company_id, stock_id, manufacture_id } = user
  const holds = (key: string) => superadmin || held.includes(key)
  return { id, group: group_id, company: company_id, stock: stock_id, site: manufacture_id, holds }
}

async function plant(cabinet: Cabinet, newMark: (what: string, rule: Rule) => string) {
  const { app, db, cast } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  // biome-ignore lint/suspicious/noExplicitAny: any table with an id
  const insert = (table: any, values: object) => Number(db.insert(table).values(values).run().lastInsertRowid)
  const upload = async (content: string, name: string) => {
    const place = { db, dataDir: app.config.dataDir }
    const sent = { name, userId: cast.root }
    const stream = (async function* () {
      yield Buffer.from(content)
    })()
    return (await storeUpload(place, stream, sent)).key
  }

  const managerOf: Record<number, number | null> = { [alpha]: cast.maria, [beta]: cast.mikhail, [nobodys]: null }
  const companyOf: Record<number, number> = {
    [cast.denis]: alpha,
    [cast.roman]: alpha,
    [cast.ivan]: alpha,
    [cast.daria]: beta,
    [cast.vera]: beta,
  }
  const south = insert(stocks, { name: 'South stock', search: 'south stock' })
  const otherSite = insert(manufactures, { name: 'Second site', search: 'second site' })
  insert(categories, { name: 'Doors', search: 'doors' })
  db.update(companies).set({ manufacture_id: cast.site, stock_id: cast.stock, discount: 10 }).where(eq(companies.id, alpha)).run()
  db.update(companies).set({ manufacture_id: otherSite, stock_id: south }).where(eq(companies.id, beta)).run()
  // Of two managers one may only look, so that he sees dealers of his company in lists whose cards are not his to open.
  revoke(db, cast.mikhail, 'dealer_manager_can_edit', 'dealer_manager_can_delete', 'company_manager_can_delete')

  const isManager = (person: Person, company: number | null) => person.group === group.manager && managerOf[company ?? 0] === person.id
  const ownerOf = ({ dealer, company }: Owners) => companyOf[dealer ?? 0] ?? company
  const isMade = (person: Person, company: number | null) => company === alpha && (person.site === cast.site || person.stock === cast.stock)
  const readsHistory: Rule = (person) => person.holds('activity_can_view')
  const seesOrder = (order: Owners): Rule => {
    const company = ownerOf(order)
    return (person) =>
      person.holds('order_can_view') ||
      (person.group === group.dealer && person.company === company) ||
      isManager(person, company) ||
      (person.group === group.production && isMade(person, company))
  }
  const seesCompany = (id: number): Rule => {
    return (person) => person.holds('company_can_view') || (person.holds('company_manager_can_view') && managerOf[id] === person.id)
  }
  const seesDealer = (id: number): Rule => {
    return (person) =>
      person.holds('dealer_can_view') || (person.holds('dealer_manager_can_view') && managerOf[companyOf[id] as number] === person.id)
  }
  /** Whoever may choose a dealer for an order reads the names of those they may choose. */
  const choosesFrom = (company: number): Rule => {
    return (person) => person.holds('order_can_add') || person.holds('order_can_edit') || isManager(person, company)
  }
  const any =
    (...rules: Rule[]): Rule =>
    (person) =>
      rules.some((rule) => rule(person))
  const belongsTo =
    (company: number): Rule =>
    (person) =>
      person.company === company

  const files: { key: string; text: string }[] = []
  const addFile = async (what: string, rule: Rule) => {
    const [text, name] = [newMark(`the content of ${what}`, rule), newMark(`the name of ${what}`, rule)]
    const key = await upload(text, `${name}.txt`)
    files.push({ key, text })
    return { name, file: key }
  }

  for (const [name, id] of Object.entries(cast.companies)) {
    const [sees, seesOrders] = [seesCompany(id), seesOrder({ dealer: null, company: id })]
    const mayAssign: Rule = (person) =>
      person.holds('dealer_can_add') && (person.group === group.administrator || managerOf[id] === person.id)
    const ofItsDealers = Object.keys(companyOf).filter((dealer) => companyOf[Number(dealer)] === id)
    db.update(companies)
      .set({
        org: `${newMark(`the name of company ${name}`, any(sees, seesOrders, mayAssign, belongsTo(id), choosesFrom(id), readsHistory, ...ofItsDealers.map((dealer) => seesDealer(Number(dealer)))))} Ltd`,
        okved: newMark(`a detail of company ${name}`, any(sees, readsHistory)),
        legal_address: newMark(`the registered address of ${name}`, any(sees, seesOrders, readsHistory)),
        files: [await addFile(`a contract of company ${name}`, any(sees, readsHistory))],
      })
      .where(eq(companies.id, id))
      .run()
  }

  const self =
    (id: number): Rule =>
    (person) =>
      person.id === id
  const seesOutbox: Rule = (person) => person.group === group.administrator && person.holds('order_can_view')
  for (const name of ['denis', 'daria', 'vera', 'roman', 'ivan'] as const) {
    const id = cast[name]
    const company = companyOf[id] as number
    const named = any(self(id), seesDealer(id), seesOrder({ dealer: id, company }), belongsTo(company), choosesFrom(company), readsHistory)
    db.update(users)
      .set({
        lastname: newMark(`the name of dealer ${name}`, named),
        email: `${newMark(`the email of dealer ${name}`, any(self(id), seesDealer(id), seesOutbox, readsHistory))}@example.com`,
      })
      .where(eq(users.id, id))
      .run()
  }
  for (const name of ['root', 'admin', 'clerk'] as const) {
    const staffOnly: Rule = ({ group: of }) => of !== group.dealer
    const seesStaff: Rule = (person) => person.id === cast[name] || person.holds('admin_can_view')
    db.update(users)
      .set({
        lastname: newMark(`the name of administrator ${name}`, staffOnly),
        email: `${newMark(`the email of administrator ${name}`, any(seesStaff, seesOutbox))}@example.com`,
      })
      .where(eq(users.id, cast[name]))
      .run()
  }

  const day = 24 * 3600_000
  const orderIds: number[] = []
  const statuses = ['new', 'payment', 'production', 'new', 'apply', 'paid', 'delivery', 'new', 'completed', 'canceled']
  const owners: Owners[] = [
    { dealer: cast.denis, company: alpha },
    { dealer: cast.denis, company: alpha },
    { dealer: cast.roman, company: alpha },
    { dealer: cast.daria, company: beta },
    { dealer: cast.daria, company: beta },
    { dealer: cast.vera, company: beta },
    { dealer: null, company: nobodys },
    { dealer: null, company: null },
    { dealer: cast.denis, company: alpha },
    { dealer: cast.vera, company: beta },
  ]
  db.delete(orders).where(eq(orders.id, cast.order)).run()
  for (const [at, { dealer, company }] of owners.entries()) {
    const sees = seesOrder({ dealer, company })
    const what = `order ${at + 1}`
    const created_at = Date.now() - at * day
    const status = statuses[at] as string
    const id = insert(orders, {
      ...(at === 0 && { id: cast.order }),
      status_id: statusId(status) ?? null,
      dealer_id: dealer,
      company_id: company,
      created_at,
      cost: (at + 1) * 100_00,
      specification_number: 40 + at,
      date_make: at % 2 ? '2026-01-15' : null,
      receiver: newMark(`the receiver of ${what}`, sees),
      comment: newMark(`the comment on ${what}`, sees),
      address: newMark(`the address of ${what}`, sees),
      specification: (await addFile(`the specification of ${what}`, sees)).file,
    })
    orderIds.push(id)
    insert(orderItems, {
      order_id: id,
      category_id: cast.category,
      name: newMark(`the line of ${what}`, sees),
      quantity: at + 1,
      price: 100_00,
      discount: 0,
    })
    insert(orderHistory, {
      order_id: id,
      at: created_at,
      to_status_id: statusId(status),
      to_name: 'New',
      actor_id: null,
      actor_name: 'Petrova Maria',
      comment: newMark(`the note on ${what}`, sees),
    })
    const say = (author: number, of: number, values: object) =>
      insert(orderMessages, { order_id: id, at: created_at, author_id: author, author_name: 'Somebody', author_group: of, ...values })
    const staff: Rule = (person) => sees(person) && person.group !== group.dealer
    say(dealer ?? cast.root, dealer ? group.dealer : group.administrator, { text: newMark(`a message on ${what}`, sees) })
    const note = say(cast.root, group.administrator, { internal: true, text: newMark(`an internal message on ${what}`, staff) })
    const attached = await addFile(`a file of an internal message on ${what}`, staff)
    insert(orderMessageFiles, { message_id: note, ...attached, size: 8 })
    const gone: Rule = (person) => sees(person) && readsHistory(person)
    say(managerOf[company ?? 0] ?? cast.root, group.manager, {
      withdrawn_at: created_at + 1,
      text: newMark(`a withdrawn message on ${what}`, gone),
    })
    say(dealer ?? cast.root, group.dealer, {
      withdrawn_at: created_at + 1,
      text: newMark(`a withdrawn message of the dealer on ${what}`, gone),
    })
    const manager = managerOf[company ?? 0]
    if (manager) say(manager, group.manager, { text: newMark(`the manager's message on ${what}`, sees) })
    for (const user of [dealer, manager, cast.root])
      if (user)
        insert(notifications, {
          user_id: user,
          order_id: id,
          message_id: user === dealer ? null : note,
          status_name: user === dealer ? 'New' : '',
          created_at,
        })
  }

  const author = { id: cast.root, name: 'Root Olga' }
  const article = (published: boolean, rule: Rule, more: object = {}) => {
    const what = published ? 'published news' : 'news that is not published'
    const description = `<p>${newMark(`the text of ${what}`, rule)}</p>`
    const id = createNews(db, { name: newMark(`the title of ${what}`, rule), description, published }, author)
    if (Object.keys(more).length > 0) db.update(news).set(more).where(eq(news.id, id)).run()
    return id
  }
  const reads: Rule = (person) => person.holds('news_can_view')
  const writes: Rule = (person) => reads(person) && person.group !== group.dealer
  article(true, reads)
  article(true, reads)
  article(false, writes)
  article(false, writes, { publishedon: Date.now() + 5 * day })
  const binned: Rule = (person) => person.holds('news_can_delete') || readsHistory(person)
  deleteRecords(db, { table: news, list: 'news' }, [article(true, binned)], author)

  for (const [at, name] of people.entries()) {
    const id = cast[name]
    insert(savedViews, {
      user_id: id,
      list: name === 'pavel' ? 'stocks' : 'orders',
      name: newMark(`a view of ${name}`, self(id)),
      query: `cost_from=${at}`,
      created_at: 1,
    })
  }
  const shared = newMark('a view that is shared with managers', (person) => person.group === group.manager || person.id === cast.admin)
  insert(savedViews, {
    user_id: cast.admin,
    group_id: group.manager,
    list: 'orders',
    name: shared,
    query: 'cost_until=1000',
    created_at: 1,
  })
  for (const name of ['root', 'admin', 'maria'] as const) {
    const cell = newMark(`an import of ${name}`, self(cast[name]))
    const fileName = `${newMark(`the file of an import of ${name}`, self(cast[name]))}.csv`
    insert(imports, {
      user_id: cast[name],
      list: 'companies',
      file_name: fileName,
      headers: ['org'],
      rows: [{ row: 2, cells: [cell] }],
      fields: ['org'],
      key_field: 'org',
      created_at: Date.now(),
    })
  }
  const decides: Rule = (person) => person.holds('manager_can_edit_policy')
  const policy_id = policyKeys.indexOf('company_can_view') + 1
  const note = newMark('the note of an access request', any(self(cast.plain), decides))
  insert(accessRequests, { user_id: cast.plain, policy_id, note, created_at: 1 })
  insert(deliveries, { notification_id: 1, channel: 'email', next_at: Date.now(), state: 'failed', last_error: 'No answer' })
  return { orderIds, files }
}
