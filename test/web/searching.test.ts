import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import type { Actor } from '../../src/core/access.ts'
import { fold, searchWords } from '../../src/core/text.ts'
import { users } from '../../src/database/schema/index.ts'
import { refreshSearchTexts } from '../../src/database/search-index.ts'
import { contextFor } from '../../src/http/access/context-for.ts'
import type { Person } from '../../src/http/request/person.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { orderList } from '../../src/modules/orders/list.ts'
import { dealerType } from '../../src/modules/users/dealers/routes.ts'
import { userList } from '../../src/modules/users/list.ts'
import { idsQuery, selectIds } from '../../src/records/list/ids.ts'
import type { List, ListState } from '../../src/records/list/list.ts'
import { findPage } from '../../src/records/list/page.ts'
import { readState } from '../../src/records/list/state.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { idsOf, totalOf } from '../support/html.ts'
import { makeRandom } from '../support/random.ts'
import { searchIndexDifferences } from '../support/search-index.ts'

const random = makeRandom(7)
const letters = [...'аабвнёАЁ', ...'anbNéÉ', ...'%_"\'*?[]^-1', '😀']
const word = (most: number) => Array.from({ length: random.integer(1, most) }, () => random.pick(letters)).join('')
const text = () => `${word(6)} ${word(5)}`
const handle = () => (random.chance(0.3) ? `@${word(6)}` : null)

/** The newest of the dealers have nothing of what all older ones have; nearly all companies and managers share a word. */
const [companies, managers, older, newer] = [120, 60, 4_000, 3_000]

function fill({ db: { $client: client } }: Cabinet) {
  const insert = (table: string, columns: string) =>
    client.prepare(`insert into ${table} (${columns}) values (${columns.split(',').map(() => '?')})`)
  const user = insert('users', 'group_id,email,password,name,lastname,tg_id,company_id,manager_id,created_at')
  const company = insert('companies', 'org,search,manager_id')
  const order = insert('orders', 'dealer_id,company_id,receiver,phone,created_at')
  const one = (ids: number[]) => (random.chance(0.03) ? null : random.pick(ids))
  const person = (group: number, name: string, at: number, company: number | null = null, manager: number | null = null) =>
    Number(user.run(group, 'x@example.com', '', name, word(4), handle(), company, manager, at).lastInsertRowid)
  const addCompany = (org: string, boss: number | null) => Number(company.run(org, fold(org), boss).lastInsertRowid)
  const bosses = Array.from({ length: managers }, () => person(3, `босс ${text()}`, 0))
  const firms = Array.from({ length: companies }, () => addCompany(`ООО ${word(6)}`, one(bosses)))
  const chosen = Array.from({ length: older + newer }, (_, index) => {
    const name = index < older ? `old ${text()}` : text()
    return person(2, name, index < older ? random.integer(1, 1e6) : 2e6 + random.integer(1, 1e6), one(firms), one(bosses))
  })
  for (let index = 0; index < 1000; index++)
    order.run(
      one(chosen),
      one(firms),
      text(),
      `+7(${random.digits(3)}) ${random.digits(3)} 11 1${random.digits(1)}`,
      random.integer(1, 1e6),
    )
  return { boss: bosses[0] as number, firms, chosen }
}

interface Row {
  id: number
  text: string
  company: string | null
  company_id: number | null
  owner: number | null
  created_at: number
}

/** Every row with all that it is found by, as the tables say. */
function rowsOf({ db }: Cabinet) {
  const dealers =
    db.all<Row>(sql`select u.id, concat_ws(char(10), u.lastname, u.name, u.tg_id, u.email, c.org, m.lastname, m.name, m.middlename,
      own.lastname, own.name, own.middlename) as text, c.search as company, u.company_id, ifnull(c.manager_id, u.manager_id) as owner, u.created_at
    from users u left join companies c on c.id = u.company_id left join users m on m.id = c.manager_id left join users own on own.id = u.manager_id
    where u.group_id = 2`)
  const orders = db.all<Row & { phone: string }>(sql`select o.id, ifnull(o.phone, '') as phone,
      concat_ws(char(10), '#' || o.id, '№' || o.id, '#' || specification_number, '№' || specification_number, o.receiver, c.org, d.lastname, d.name) as text,
      c.search as company, o.owner_company_id as company_id, c.manager_id as owner, o.created_at
    from orders o left join companies c on c.id = o.owner_company_id left join users d on d.id = o.dealer_id`)
  const withText = (row: Row, ...more: string[]) => ({ ...row, text: fold([row.text, ...more].join('\n')) })
  return {
    dealers: dealers.map((row) => withText(row)),
    orders: orders.map((row) => withText(row, row.phone, row.phone.replace(/\D/g, ''))),
  }
}

function scan(rows: Row[], query: string, actor: Actor): Row[] {
  const words = searchWords(query)
  const seen = (row: Row) => actor.superadmin || row.owner === actor.id
  return rows.filter((row) => seen(row) && words.every((word) => row.text.includes(word)))
}

const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)
const byAge = (a: Row, b: Row) => b.created_at - a.created_at || b.id - a.id
const byCompany = (a: Row, b: Row) =>
  compare(a.company ?? '', b.company ?? '') || compare(a.company_id ?? 0, b.company_id ?? 0) || a.id - b.id

function actorOf(id: number, group_id: number, superadmin: boolean): Actor {
  return {
    id,
    group_id,
    superadmin,
    managers: [id],
    reading: [],
    policies: new Set(superadmin ? [] : ['dealer_manager_can_view']),
  } as unknown as Actor
}

t.test('an indexed search finds the same rows in the same order as a scan', async (t) => {
  const cabinet = await startCabinet(t)
  const { db } = cabinet
  const { boss, firms, chosen } = db.transaction(() => fill(cabinet))
  const root = actorOf(cabinet.cast.root, 1, true)
  const manager = actorOf(boss, 3, false)
  const lists = { dealers: userList(db, dealerType), orders: orderList(db) } as Record<string, List<{ id: number }>>
  const ask = (name: string, query: string, actor: Actor, address = 'sort=created_at&dir=desc') => {
    const list = lists[name] as List<{ id: number }>
    const state = { ...readState(list, new URLSearchParams(address), actor), q: query } as ListState
    const page = findPage({ ...contextFor(cabinet.app, { id: cabinet.cast.root, name: '' }, 0), actor: actor as Person }, list, state)
    return { page, all: selectIds(db, idsQuery({ db, list, actor, state })) }
  }
  const words = fc.oneof(
    fc.constantFrom('ооо', 'босс', 'old', 'л', 'о', 'ос', 'ld', 'нет', 'and', 'NOT', 'о а н', '""', '@', '#1', '111', 'é'),
    fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 4 }).map((some) => some.join('')),
  )
  const queries = fc.array(words, { minLength: 1, maxLength: 3 }).map((some) => some.join(' '))
  const check = (name: 'dealers' | 'orders', query: string, actor: Actor, rows: ReturnType<typeof rowsOf>) => {
    const found = scan(rows[name], query, actor)
    const expected = found.sort(byAge).map(({ id }) => id)
    const { page, all } = ask(name, query, actor)
    t.same(all, expected, `${name} ${query}`)
    t.same({ total: page.total, open: page.open }, { total: Math.min(found.length, 10_001), open: found.length > 10_000 })
    t.same(page.ids, expected.slice(0, 25), `${name} ${query}, first page`)
  }

  t.test('an indexed search finds the same as a scan for any query and user', async () => {
    const rows = rowsOf(cabinet)
    const asked = fc.tuple(queries, fc.constantFrom('dealers' as const, 'orders' as const), fc.constantFrom(root, manager))
    fc.assert(
      fc.property(asked, ([query, name, actor]) => check(name, query, actor, rows)),
      { numRuns: 30, examples: [[['old', 'dealers', root]], [['ооо', 'dealers', root]], [['босс ооо', 'dealers', root]]] },
    )
  })

  t.test('an indexed search finds the same as a scan on every page in every sort order', async (t) => {
    const rows = rowsOf(cabinet).dealers
    for (const query of ['old', 'ооо бан'])
      for (const [address, order] of [
        ['sort=created_at&dir=desc', byAge],
        ['sort=company', byCompany],
        ['sort=company&dir=desc', (a: Row, b: Row) => byCompany(b, a)],
      ] as const) {
        const expected = scan(rows, query, root)
          .sort(order)
          .map(({ id }) => id)
        for (const page of [2, 400, 420]) {
          const shown = ask('dealers', query, root, `${address}&page=${page}`).page
          const from = (shown.page - 1) * 25
          t.same(shown.ids, expected.slice(from, from + 25), `${query} ${address} page ${page}`)
        }
      }
  })

  t.test('an indexed search finds the same as a scan for a user who sees very many rows, but not all', async () => {
    db.run(sql`update companies set manager_id = ${boss} where id % 3 > 0`)
    const rows = rowsOf(cabinet)
    for (const query of ['old', 'ооо', 'бан', 'а 1', 'ооо босс']) check('dealers', query, manager, rows)
  })

  t.test('an indexed search finds the same as a scan after any changes', async (t) => {
    const move = fc.record({ what: fc.nat({ max: 13 }), which: fc.nat({ max: 9 }), value: fc.nat({ max: 4 }) })
    const run = ({ what, which, value }: { what: number; which: number; value: number }) => {
      const [id, firm, at] = [
        chosen[which * Math.floor(chosen.length / 10) + value] as number,
        firms[which] as number,
        sql`group_id = 2 and id`,
      ]
      if (what === 0) db.run(sql`update users set lastname = ${text()} where ${at} = ${id}`)
      if (what === 1)
        db.run(sql`update users set company_id = (select id from companies where id = ${firms[value] as number}) where ${at} = ${id}`)
      if (what === 2) db.run(sql`update users set manager_id = ${value ? boss : null}, name = ${text()} where ${at} = ${id}`)
      if (what === 3) db.run(sql`update users set group_id = 5 - group_id where id = ${id}`)
      if (what === 4) db.run(sql`delete from users where ${at} = ${id}`)
      if (what === 5) db.run(sql`delete from companies where id = ${firm}`)
      const order = sql`(select id from orders order by id limit 1 offset ${which * 10 + value})`
      if (what === 7) db.run(sql`update orders set dealer_id = (select id from users where ${at} = ${id}) where id = ${order}`)
      if (what === 8) db.run(sql`update users set lastname = ${text()} where id = (select dealer_id from orders where id = ${order})`)
      if (what === 9) db.run(sql`delete from orders where id = ${order}`)
      if (what === 10) db.run(sql`update orders set receiver = ${text()} where id = ${order}`)
      if (what === 11) db.run(sql`delete from users where id = (select dealer_id from orders where id = ${order})`)
      const org = `ООО ${text()}`
      if (what === 6) db.run(sql`update companies set org = ${org}, search = ${fold(org)} where id = ${firm}`)
      if (what === 12) db.run(sql`update users set lastname = ${text()} where id = ${boss}`)
      if (what === 13) refreshSearchTexts(db, 50)
    }
    fc.assert(
      fc.property(fc.array(move, { maxLength: 8 }), queries, (moves, query) => {
        moves.forEach(run)
        const rows = rowsOf(cabinet)
        check('dealers', query, root, rows)
        check('orders', query, root, rows)
      }),
      { numRuns: 4 },
    )
    t.equal(searchIndexDifferences(db), 0)
  })
})

t.test('words of letters that take two units each are found as any others, by their first two and in either case', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('root')
  const [tall, small] = ['\u{10400}\u{10401}\u{10402}', '\u{10428}\u{10429}\u{1042a}']
  const of = { group_id: 2 as const, company_id: cast.companies.alpha, name: 'One', password: 'x' }
  const add = (email: string, lastname: string) =>
    db
      .insert(users)
      .values({ ...of, email, lastname })
      .returning()
      .get().id
  const [letters, smiling] = [add('a@example.com', tall), add('b@example.com', '😀😁😂')]
  createNews(db, { name: tall, published: true }, { id: null, name: 'Somebody' })
  const found = async (q: string) => idsOf(await admin.get(`/dealers?q=${encodeURIComponent(q)}`), 'dealers')
  for (const word of [tall, small]) {
    for (const part of [word, word.slice(0, 4), word.slice(2)]) {
      t.same(await found(part), [letters], part)
      t.equal(totalOf(await admin.get(`/news?q=${encodeURIComponent(part)}`), 'news'), 1, part)
    }
  }
  for (const part of ['😀😁😂', '😀😁', '😁']) t.same(await found(part), [smiling], part)
  t.same(await found('😀😂'), [])
})

t.test('records corrected with the sqlite3 shell are found by their new values', async (t) => {
  const { app, as, cast } = await startCabinet(t)
  const shell = new Sqlite(join(app.config.dataDir, 'cabinet.sqlite'))
  t.teardown(() => shell.close())
  const admin = await as('root')
  const found = async (list: string, q: string) => idsOf(await admin.get(`/${list}?${new URLSearchParams({ q })}`), list).sort()
  shell.prepare('update users set lastname = ? where id = ?').run('Щукин-Ёлкин', cast.denis)
  shell.prepare('update companies set org = ? where id = ?').run('ЗАРЯ', cast.companies.alpha)
  shell.prepare('update orders set receiver = ?, phone = ? where id = ?').run('Ёжиков', '+7(912) 345 67 89', cast.order)
  for (const q of ['щукин', 'ЕЛК', 'ук', 'укин-ёл', 'заря']) t.ok((await found('dealers', q)).includes(cast.denis), q)
  for (const q of ['ежик', 'ёЖ', '9123456', '(912)', `#${cast.order}`, `№${cast.order}`])
    t.ok((await found('orders', q)).includes(cast.order), q)
  t.same(await found('companies', 'зар'), [cast.companies.alpha])
})

t.test('records that mention a renamed company are found by its new name at once and reindexed in batches', async (t) => {
  const { db, as, cast } = await startCabinet(t)
  const { alpha } = cast.companies
  db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
    insert into users (group_id, email, password, name, lastname, company_id) select 2, 'many' || i, '', 'Name', 'Many', ${alpha} from n`)
  const admin = await as('root')
  const total = async (q: string) => totalOf(await admin.get(`/dealers?${new URLSearchParams({ q })}`), 'dealers')
  const before = await total('alpha')
  const stale = () => db.get<{ rows: number }>(sql`select count(*) as rows from dealer_texts where stale`).rows
  await admin.post(`/company/edit/${alpha}`, { org: 'Ромашка' })
  t.ok(stale() > 1000)
  for (const q of ['ромашка', 'ро', 'many ромаш', 'МА ny']) t.ok(((await total(q)) as number) >= 1500, q)
  t.equal(await total('ромашка'), before)
  t.equal(await total('alpha'), 0)
  t.equal(await total('many alp'), 0)
  while (stale() > 0) await setTimeout(20)
  t.equal(await total('ромашка'), before)
  t.equal(await total('alpha'), 0)
  t.equal(searchIndexDifferences(db), 0)
})
