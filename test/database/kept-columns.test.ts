import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type Sqlite from 'better-sqlite3'
import t from 'tap'
import { wrongBalances } from '../../src/database/ledger-balances.ts'
import { openDatabase } from '../../src/database/open.ts'
import { createTriggers, dropTriggers } from '../../src/database/triggers.ts'
import { templateFile } from '../support/database-template.ts'
import { temporaryFolder } from '../support/service.ts'

type Row = Record<string, string | number | null>

const january = Date.UTC(2026, 0, 31, 23, 59)
const february = Date.UTC(2026, 1, 1)

/** Companies 1 and 2 of managers 1 and 2, dealers 3 and 4 of theirs, one without a company, one who writes as nobody's. */
const people = `
  insert into users (id, group_id, email, password, name, lastname) values (1, 3, 'a', '', '', ''), (2, 3, 'b', '', '', '');
  insert into companies (id, org, manager_id) values (1, 'One', 1), (2, 'Two', 2), (3, 'Three', null);
  insert into users (id, group_id, email, password, name, lastname, company_id) values
    (3, 2, 'c', '', '', '', 1), (4, 2, 'd', '', '', '', 2), (5, 2, 'e', '', '', '', null);
  insert into statuses (id, status_key, name, color) values (101, 'one', 'One', ''), (102, 'two', 'Two', '')`

/** What happens to orders, people, companies and the ledger, one statement after the other. */
const happenings = [
  `insert into orders (id, dealer_id, company_id, status_id, created_at) values (1, 3, 2, 101, ${january}), (2, 4, 2, 101, ${january}),
    (3, null, 2, 102, ${february}), (4, 5, 1, null, ${february}), (5, null, null, null, ${january})`,
  `insert into orders (id, dealer_id, company_id, status_id, created_at, status_since) values (6, 3, 1, 102, ${february}, ${february + 9})`,
  'update orders set status_id = 102 where id in (1, 4)',
  'update orders set status_id = null where id = 3',
  'update orders set status_id = 101 where id = 3',
  'update orders set dealer_id = 4 where id = 1',
  'update orders set dealer_id = null where id = 2',
  'update orders set company_id = 1 where id in (1, 2, 3)',
  'update users set company_id = 1 where id = 4',
  'update users set company_id = 3 where id = 5',
  'update users set company_id = null where id = 3',
  'update companies set manager_id = 2 where id = 1',
  'update companies set manager_id = 1 where id = 3',
  'update companies set manager_id = null where id = 2',
  'update users set manager_id = 1 where id = 4',
  `insert into orders (id, dealer_id, company_id, company_stays, status_id, created_at) values (7, 4, 2, 0, 101, ${january}), (8, 4, 2, 1, 101, ${january})`,
  'update users set company_id = 2 where id = 4',
  'update orders set company_stays = 1 where id = 1',
  'update users set manager_id = 2 where id = 4',
  'update orders set company_id = 2 where id in (1, 7)',
  'update users set company_id = 1 where id = 4',
  'update companies set manager_id = 1 where id = 2',
  'update companies set manager_id = null where id = 2',
  `insert into order_history (id, order_id, at, actor_name) values (1, 1, ${february + 1}, ''), (2, 1, ${february + 5}, ''), (3, 2, 1, '')`,
  `insert into order_history (id, order_id, at, actor_name) values (4, 1, ${february + 3}, '')`,
  `update order_history set undone_at = ${february + 8} where id = 2`,
  `insert into order_history (id, order_id, at, actor_name, undoes_id) values (5, 1, ${february + 8}, '', 2)`,
  `update order_history set undone_at = ${february + 9} where id in (1, 4)`,
  'delete from orders where id in (2, 5, 6)',
  'update users set group_id = 4 where id = 4',
  "insert into users (id, group_id, email, password, name, lastname) values (6, 1, 'f', '', '', '')",
  'delete from users where id in (5, 6)',
  `insert into ledger_entries (company_id, order_id, kind, amount, date, at, actor_name) values (1, 1, 'charge', -700, '2026-01-15', 1, ''), (1, 1, 'charge', 100, '2026-01-31', 2, ''),
    (1, 1, 'payment', 250, '2026-01-15', 3, ''), (1, 1, 'refund', -50, '2026-02-01', 4, ''), (1, 3, 'correction', -8, '2026-01-15', 4, ''), (2, null, 'correction', 9, '2026-01-15', 5, '')`,
  `insert into payments (id, company_id, order_id, state, amount, date, kind, reporter_name) values (1, 1, 1, 'confirmed', 250, '2026-01-15', 'cash', ''),
    (2, 1, null, 'confirmed', 50, '2026-01-15', 'cash', '')`,
  `insert into allocations (company_id, payment_id, order_id, refund_id, amount, date, at, actor_name) values (1, 1, 1, null, 200, '2026-01-15', 3, ''),
    (1, 1, 3, null, 30, '2026-01-15', 3, ''), (1, 1, 1, null, -60, '2026-01-16', 4, ''), (1, 1, null, 2, 50, '2026-01-16', 4, '')`,
]

/** What the triggers keep. */
function kept(client: Sqlite.Database) {
  const all = (sql: string) => client.prepare(sql).all() as Row[]
  return {
    owners: all('select id, owner_company_id as company, owner_manager_id as manager from orders order by id'),
    since: all('select id, status_since as since from orders order by id'),
    orders: all('select status_id, month, count from order_tallies where count <> 0 order by 1, 2'),
    balances: all('select id, balance from companies order by id'),
    companies: all('select company_id, balance, credit from company_balances order by 1'),
    months: all('select company_id, month, charges, payments, corrections from ledger_tallies order by 1, 2'),
    charges: all('select order_id, company_id, charged, paid from order_balances order by 1'),
    allocated: all('select id, allocated from payments order by 1'),
  }
}

/** The same, worked out of the rows themselves. */
function workedOut(client: Sqlite.Database): ReturnType<typeof kept> {
  const all = (table: string) => client.prepare(`select * from ${table}`).all() as Row[]
  const [orders, users, companies, steps, entries] = ['orders', 'users', 'companies', 'order_history', 'ledger_entries'].map(all) as Row[][]
  const [payments = [], allocations = []] = ['payments', 'allocations'].map(all)
  const of = (rows: Row[] | undefined, id: unknown) => rows?.find((row) => row.id === id)
  const company = (order: Row) =>
    (order.dealer_id === null || order.company_stays ? order.company_id : of(users, order.dealer_id)?.company_id) ?? null
  const ownManager = (order: Row) => {
    const own = of(users, order.company_stays ? null : of(users, order.dealer_id)?.manager_id)
    return own?.group_id === 3 ? (own.id as number) : null
  }
  const count = (rows: Row[], keys: (row: Row) => Row) =>
    [...Map.groupBy(rows, (row) => JSON.stringify(keys(row)))].map(([key, same]) => ({ ...JSON.parse(key), count: same.length }))
  const sum = (rows: Row[]) => rows.reduce((total, { amount }) => total + Number(amount), 0)
  const sorted = <T extends Row>(rows: T[], ...keys: string[]) =>
    rows.toSorted((one, other) => {
      const key = keys.find((name) => one[name] !== other[name])
      return key ? ((one[key] as number) < (other[key] as number) ? -1 : 1) : 0
    })
  const since = (order: Row) => {
    const standing = (steps ?? []).filter((step) => step.order_id === order.id && step.undone_at === null && step.undoes_id === null)
    return Math.max(Number(order.created_at), ...standing.map(({ at }) => Number(at)))
  }
  const month = ({ created_at }: Row) => new Date(Number(created_at)).toISOString().slice(0, 7)
  const ofOrders = [
    ...Map.groupBy(
      (entries ?? []).filter(({ order_id }) => order_id),
      ({ order_id }) => order_id,
    ),
  ]
  return {
    owners: (orders ?? []).map((order) => ({
      id: order.id as number,
      company: company(order),
      manager: of(companies, company(order))?.manager_id ?? ownManager(order),
    })),
    since: (orders ?? []).map((order) => ({ id: order.id as number, since: order.id === 6 ? february + 9 : since(order) })),
    orders: sorted(
      count(orders ?? [], (order) => ({ status_id: order.status_id ?? 0, month: month(order) })),
      'status_id',
      'month',
    ),
    balances: (companies ?? []).map(({ id }) => ({
      id: id as number,
      balance: sum((entries ?? []).filter(({ company_id }) => company_id === id)),
    })),
    companies: [...Map.groupBy(entries ?? [], ({ company_id }) => company_id as number)].map(([company_id, own]) => ({
      company_id,
      balance: sum(own),
      credit: sum(own.filter(({ kind }) => kind === 'payment')) - sum(allocations.filter((one) => one.company_id === company_id)),
    })),
    months: sorted(
      [...Map.groupBy(entries ?? [], ({ company_id, date }) => `${company_id} ${String(date).slice(0, 7)}`).values()].map((own) => ({
        company_id: own[0]?.company_id as number,
        month: String(own[0]?.date).slice(0, 7),
        charges: sum(own.filter(({ kind }) => kind === 'charge')),
        payments: sum(own.filter(({ kind }) => kind === 'payment' || kind === 'refund')),
        corrections: sum(own.filter(({ kind }) => kind === 'correction')),
      })),
      'company_id',
      'month',
    ),
    charges: ofOrders.map(([order_id, own]) => ({
      order_id: order_id as number,
      company_id: own[0]?.company_id as number,
      charged: 0 - sum(own.filter(({ kind }) => kind === 'charge')),
      paid: sum(own.filter(({ kind }) => kind === 'correction')) + sum(allocations.filter((one) => one.order_id === order_id)),
    })),
    allocated: payments.map(({ id }) => ({ id: id as number, allocated: sum(allocations.filter(({ payment_id }) => payment_id === id)) })),
  }
}

t.test('what is kept of orders, people and the ledger is what their rows say, whatever writes them', async (t) => {
  const file = join(temporaryFolder(t), 'cabinet.sqlite')
  copyFileSync(templateFile(), file)
  const { $client: client } = openDatabase(file)
  t.teardown(() => client.close())
  client.pragma('synchronous = OFF')
  client.exec(people)
  for (const happening of happenings) {
    client.exec(happening)
    t.same(kept(client), workedOut(client), happening)
  }
  t.equal(wrongBalances(client), 0)
  const before = kept(client)
  dropTriggers(client)
  client.exec(`update orders set owner_company_id = 3, owner_manager_id = 1; update order_tallies set count = 9;
    insert into order_tallies values (7, '2020-01', 1); update companies set balance = 1; update company_balances set balance = 1, credit = 1; update payments set allocated = 1; update ledger_tallies set charges = 1, payments = 1;
    update order_balances set charged = 1, paid = 1;
    update orders set status_since = ${february + 99}`)
  createTriggers(client)
  t.same(kept(client), before, 'and at the next start it is put right')
  client.exec(
    `update orders set created_at = ${january} where id = 4; update orders set created_at = ${february}, status_id = 102 where id = 1`,
  )
  t.same(kept(client).orders, workedOut(client).orders, 'orders of another month')
})
