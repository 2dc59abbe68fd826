import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { wrongBalances } from '../../src/database/ledger-balances.ts'
import { integrityErrors } from '../support/dump.ts'
import { parseHtml } from '../support/html.ts'
import { makeRandom, type Random } from '../support/random.ts'
import { runCommand, startService, temporaryFolder } from '../support/service.ts'
import { exchange, type Paid } from '../support/statements.ts'
import { admin, killsOr, seedRecords, signIn } from './crash-recovery.ts'
import { type Client, createClient } from './writers.ts'

/** Rows of each statement, booked together or not at all; a few of them at a time somebody else books, too. */
const rowCount = 120
const fewRows = 20
const orderIds = [1, 2, 3]

t.test(
  'a service killed while bank statements are received and booked keeps what it acknowledged, books nothing by half, and the rest later',
  async (t) => {
    const seed = Number(process.env.SEED) || Date.now() % 1_000_000
    const rounds = killsOr(4)
    const random = makeRandom(seed)
    const environment = { DATA_DIR: temporaryFolder(t), ...admin }
    let service = await startService(t, environment)
    const cookies = [await seedRecords(service), await signIn(service.address)]
    const clients = () => cookies.map((cookie) => createClient(service.address, cookie)) as [Client, Client]
    await makeOrdersDue(clients()[0])
    const file = join(environment.DATA_DIR, 'cabinet.sqlite')
    const db = new Sqlite(file, { readonly: true })
    const statements: Statement = []
    const paidFor = (id: number) => statements.reduce((sum, { order, kopecks }) => sum + (order === id ? kopecks : 0), 0)
    for (let round = 0; round < rounds; round++) {
      const [accountant, dealer] = clients()
      const statement = statementOf(round, random)
      await reportSome(dealer, statement)
      statements.push(...statement)
      const begun = countConfirmed(db)
      const answers = sendTwice(accountant, statement)
      if (round % 4 === 0) await pause(random.integer(0, 400))
      else if (round % 4 === 1) await Promise.race([answers.whole, pause(20_000)])
      else await reached(db, begun + random.integer(1, rowCount))
      await service.kill()
      const acknowledged = [(await answers.whole) ? rowCount : 0, (await answers.few) ? fewRows : 0]
      const booked = countConfirmed(db) - begun
      t.ok(booked >= Math.max(...acknowledged), `round ${round}: ${booked} are booked, ${acknowledged} were acknowledged`)
      t.same(findHalves(file), [], `round ${round}`)
      t.ok([0, fewRows, rowCount].includes(booked), `round ${round}: ${booked} are booked, none or all that were asked for`)

      service = await startService(t, environment)
      const [again] = clients()
      const { address, rows } = await look(again, statement)
      t.equal(rows.filter(({ outcome }) => outcome === 'booked').length, booked, 'the preview knows what is booked')
      for (const turn of ['sent again', 'and once more']) {
        await again.post(address, booking(rows))
        t.equal(countConfirmed(db) - begun, rowCount, turn)
      }
      t.same(sums(db), { paid: orderIds.map((id) => [id, paidFor(id)]), reported: 0 }, 'each order has its payments')
      t.same(findHalves(file), [], `round ${round}, sent again`)
    }
    const { code, text } = await runCommand('doctor', [], environment)
    t.equal(code, 0, text)
    t.comment(`seed ${seed}: ${rounds} kills`)
  },
)

/** Orders of the dealer over much more than any statement holds; the second status of every installation makes them due. */
async function makeOrdersDue(visitor: Client): Promise<void> {
  await visitor.post('/status/edit/apply', { due: 'starts' })
  const line = { 'items[0][category_id]': 1, 'items[0][name]': 'Window', 'items[0][quantity]': 1, 'items[0][price]': '900000' }
  for (const id of orderIds) {
    if (id === 1) await visitor.post('/orders/edit/1', { items: '', ...line })
    else await visitor.post('/orders/add', { dealer_id: 3, items: '', ...line })
    await visitor.post(`/orders/edit/${id}/transition`, { transition_id: 1 })
  }
}

type Statement = (Paid & { order: number; kopecks: number })[]

/** Now and then two payments are alike in everything but their place. */
function statementOf(round: number, random: Random): Statement {
  const rows: Statement = []
  while (rows.length < rowCount) {
    const kopecks = random.integer(1, 9) * 100 + (rows.length % 10)
    const order = random.pick(orderIds)
    const row = { number: `${round}${rows.length}`, amount: (kopecks / 100).toFixed(2), purpose: `Заказ № ${order}`, order, kopecks }
    rows.push(row, ...(random.chance(0.1) && rows.length + 1 < rowCount ? [row] : []))
  }
  return rows
}

/** The dealer has told of two of each order; more might have to wait. */
async function reportSome(dealer: Client, statement: Statement): Promise<void> {
  for (const { order, amount = '', number = '' } of orderIds.flatMap((id) => statement.filter((row) => row.order === id).slice(0, 2)))
    await dealer.post(`/orders/${order}/payments`, { amount, note: `Reported ${number}` })
}

/** Sends a statement, and books it twice at once, and a few rows of it besides. Says what was acknowledged before the service was gone. */
function sendTwice(client: Client, statement: Statement) {
  const uploaded = Promise.all([look(client, statement), look(client, statement)])
  const isAcknowledged = (book: (sent: Awaited<typeof uploaded>) => Promise<unknown>) =>
    uploaded.then(book).then(
      () => true,
      () => false,
    )
  return {
    whole: isAcknowledged(([{ address, rows }]) => client.post(address, booking(rows))),
    again: isAcknowledged(([, { address, rows }]) => client.post(address, booking(rows))),
    few: isAcknowledged(([{ address, rows }]) => client.post(address, booking(rows.slice(0, fewRows)))),
  }
}

interface SeenRow {
  row: number
  outcome: string
  order: string
}

/** Uploads a statement and reads what would become of it. */
async function look(client: Client, statement: Statement): Promise<{ address: string; rows: SeenRow[] }> {
  const address = await client.sendFile('/payments/import', {}, 'file', exchange(statement))
  const page = parseHtml(await client.get(address))
  const rows = page('tr[data-row]')
    .toArray()
    .map((element) => ({ row: Number(page(element).attr('data-row')), outcome: page(element).attr('data-outcome') ?? '' }))
    .map(({ row, outcome }) => ({ row, outcome, order: String(statement[row - 1]?.order) }))
  if (rows.length < statement.length) throw new Error(`${rows.length} rows`)
  return { address, rows }
}

const booking = (rows: SeenRow[]) => ({ book: rows.map(({ row, order }) => `${row}:${order}`) })

function countConfirmed(db: Sqlite.Database): number {
  return Number(db.prepare("select count(*) from payments where state = 'confirmed'").pluck().get())
}

async function reached(db: Sqlite.Database, count: number): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end && countConfirmed(db) < count; ) await pause(1)
}

/** Payments, entries, notifications, balances and charges that do not say the same. */
function findHalves(file: string): string[] {
  const db = new Sqlite(file, { readonly: true })
  const payments = db.prepare(`
    select id, state, amount, decided_at is not null and decider_name is not null decided,
      (select group_concat(amount) from ledger_entries where payment_id = payments.id and order_id = payments.order_id and kind = 'payment') booked,
      (select count(*) from notifications where payment_id = payments.id and event = 'payment-confirmed' and user_id = 3) told
    from payments
    where (state = 'confirmed' and not (decided and booked = cast(amount as text) and told = 1))
      or (state = 'reported' and (decided or booked is not null or told > 0))
      or state = 'rejected'`)
  const entries = db.prepare(`
    select * from ledger_entries where kind = 'payment' and payment_id not in (select id from payments where state = 'confirmed')`)
  const charges = db.prepare(`
    select id, charged from orders left join order_balances on order_id = orders.id where due_since is null or charged is not cost`)
  const wrong = [payments, entries, charges].flatMap((statement) => statement.all()).map((row) => JSON.stringify(row))
  const found = [...wrong, ...integrityErrors(db), ...(wrongBalances(db) > 0 ? ['balances differ from their entries'] : [])]
  db.close()
  return found
}

/** What was paid for each order, and what is reported and not confirmed. */
function sums(db: Sqlite.Database) {
  const paid = db.prepare('select order_id, paid from order_balances order by 1').raw().all()
  const reported = db.prepare("select count(*) from payments where state = 'reported'").pluck().get()
  return { paid, reported }
}
