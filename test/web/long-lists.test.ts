import { sql } from 'drizzle-orm'
import t from 'tap'
import { searchWords } from '../../src/core/text.ts'
import { bookCorrection } from '../../src/modules/ledger/book.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { submitForm } from '../support/files.ts'
import { idsOf, totalOf } from '../support/html.ts'
import { runHourly } from '../support/jobs.ts'
import { insertPayment } from '../support/ledger.ts'
import { exchange } from '../support/statements.ts'

const dealers = 12_000

/** Dealers with names in turn: every third Анна, every four hundredth Щукин; more than lists count. */
function fill({ db }: Cabinet): void {
  db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${dealers})
    insert into users (group_id, email, password, name, lastname, company_id, created_at)
    select 2, 'long' || i || '@example.com', '', iif(i % 3 = 0, 'Анна ', 'Name ') || i, iif(i % 400 = 0, 'Щукин', 'Long'),
      iif(i % 50 = 0, null, (select min(id) + i % 2 from companies)), i from n`)
}

t.test('very long lists', async (t) => {
  const cabinet = await startCabinet(t)
  fill(cabinet)
  const { db } = cabinet
  const admin = await cabinet.as('admin')
  const total = db.get<{ rows: number }>(sql`select count(*) as rows from users where group_id = 2`).rows
  const shown = (query: string) => admin.get(`/dealers?${query}`)

  t.test('a list of more than 10,000 rows says "10,000+" and can be paged through', async (t) => {
    const many = await shown('q=long')
    t.ok((totalOf(many, 'dealers') as number) > 10_000)
    t.match(many.body, /of 10.000\+/)
    t.notMatch(many.body, 'Last page')
    const [first, second] = [idsOf(many, 'dealers'), idsOf(await shown('q=long&page=2'), 'dealers')]
    t.equal(new Set([...first, ...second]).size, 50)
    t.equal(totalOf(await shown('q=long&page=440'), 'dealers'), 440 * 25 + 1)
    const last = await shown('q=long&page=9999')
    t.match(last.body, new RegExp(`of ${totalOf(last, 'dealers')}`), 'past the end everything has been counted')
  })

  t.test('a search in a very long list finds the same rows as a scan, however many or short its words', async (t) => {
    const texts = db.all<{ id: number; search: string }>(
      sql`select id, fold(lastname || ' ' || name || ' ' || email) as search from users where email like 'long%'`,
    )
    for (const query of ['щукин', 'анна', 'щукин анна', 'щу', 'ук ан', '77', '1 щ', 'нет такого', 'ъъ', 'щукин long']) {
      const expected = texts.filter(({ search }) => searchWords(query).every((word) => search.includes(word)))
      const found = await shown(`size=all&q=${encodeURIComponent(query)}`)
      const ids = new Set(rowsIn(found.body))
      t.same(
        expected.filter(({ id }) => !ids.has(id)),
        [],
        query,
      )
      if (/[а-я]/.test(query)) t.equal(ids.size, expected.length, query)
      t.match(found.body, `data-total="${ids.size}"`)
    }
  })

  t.test('all rows of a very long list on one page are its pages one after the other', async (t) => {
    for (const order of ['sort=company&dir=asc']) {
      const answer = await shown(`size=all&${order}`)
      const all = rowsIn(answer.body)
      t.equal(all.length, total)
      t.equal(new Set(all).size, total)
      t.match(answer.body.trimEnd(), /<\/html>$/)
      for (const page of [1, 2, 200, Math.ceil(total / 50)])
        t.same(
          idsOf(await shown(`size=50&page=${page}&${order}`), 'dealers'),
          all.slice((page - 1) * 50, page * 50),
          `${order}, page ${page}`,
        )
    }
  })

  t.test('htmx gets a very long page as its region only', async (t) => {
    const { body } = await admin.get('/dealers?size=all', { 'hx-request': 'true' })
    t.match(body.trimStart(), /^<\w+[^>]*\sid="dealers-table"/)
    t.notMatch(body, /<(main|h1)/)
    t.equal(body.split('<tr id="dealers-').length - 1, total)
  })
})

/** To parse thousands of rows takes seconds. */
const rowsIn = (html: string) => [...html.matchAll(/<tr id="dealers-(\d+)/g)].map(([, id]) => Number(id))

/** How SQLite carries out the queries of a kind that are prepared meanwhile. */
async function plansDuring({ db }: Cabinet, kind: RegExp, work: () => Promise<unknown>): Promise<string[]> {
  const { $client: client } = db
  const prepare = client.prepare.bind(client)
  const asked: string[] = []
  client.prepare = ((source: string) => {
    asked.push(source)
    return prepare(source)
  }) as typeof client.prepare
  await work()
  client.prepare = prepare
  const found = asked.filter((source) => kind.test(source))
  t.not(found.length, 0, String(kind))
  const plans = found.flatMap((source) => prepare(`explain query plan ${source.replaceAll('?', '1')}`).all() as { detail: string }[])
  return plans.map(({ detail }) => detail)
}

t.test('no page of a very long list reads or sorts the whole table', async (t) => {
  const plansOf = async (...paths: string[]) => {
    const cabinet = await startCabinet(t, { anew: true })
    const { db, cast } = cabinet
    insertPayment(db, cast.order)
    bookCorrection(
      db,
      { company_id: cast.companies.alpha, amount: 1, order_id: null, date: '2026-01-15', note: null },
      { id: null, name: 'System' },
    )
    const admin = await cabinet.as('admin')
    return plansDuring(cabinet, /^select ("(users|orders|payments|ledger_entries)"."id"|id) from/, async () => {
      for (const path of paths) t.equal((await admin.get(path)).statusCode, 200, path)
    })
  }
  // Entries of a ledger are in the order of their ids.
  const whole = /^SCAN (users|orders|payments)$|TEMP B-TREE FOR (LAST TERM OF )?ORDER BY/
  const plans = await plansOf(
    ...['/dealers', '/dealers?page=2', '/dealers?sort=company&dir=asc', '/dealers?sort=company&dir=desc'],
    ...['/orders', '/orders?sort=cost', '/payments', '/ledger'],
  )
  for (const table of ['users', 'orders', 'payments', 'ledger_entries'])
    t.ok(
      plans.some((detail) => detail.includes(table)),
      `${table} are read`,
    )
  t.same(
    plans.filter((detail) => whole.test(detail)),
    [],
  )
  t.same(await plansOf('/company/edit/1?tab=ledger'), ['SEARCH ledger_entries USING COVERING INDEX ledger_entries_company (company_id=?)'])
})

t.test('due days are looked for among the orders that lack money only, in the order of the sweep', async (t) => {
  const cabinet = await startCabinet(t, { anew: true })
  const { app } = cabinet
  const plans = await plansDuring(cabinet, /^select .* from "order_balances" .* limit/, async () => {
    await runHourly(app, 'due-days')
  })
  t.match(plans[0], 'SEARCH order_balances USING INDEX order_balances_lacking')
  t.notMatch(plans.join(), /TEMP B-TREE|SCAN/)
})

t.test('what was booked of a bank statement is found by an index, however many payments are of one amount', async (t) => {
  const cabinet = await startCabinet(t, { anew: true })
  const admin = await cabinet.as('admin')
  const content = exchange([{ purpose: `Order ${cabinet.cast.order}` }])
  const plans = await plansDuring(
    cabinet,
    /^select .* from "payments" (where|left join "companies" on .* where) .*(statement_line"|= 'confirmed')/,
    async () => {
      const { headers } = await submitForm(admin, '/payments/import', [['file', new File([content], 'statement.txt')]])
      t.equal((await admin.get(String(headers.location))).statusCode, 200)
    },
  )
  t.match(plans.join(), 'SEARCH payments USING INDEX payments_statement_line (statement_line=?)')
  t.match(plans.join(), 'SEARCH payments USING INDEX payments_by_hand (amount=? AND date>? AND date<?)')
  t.notMatch(plans.join(), 'SCAN payments')
})
