import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { type Actor, allows } from '../../src/core/access.ts'
import { addDays } from '../../src/core/days.ts'
import type { PolicyKey } from '../../src/core/policies.ts'
import {
  apiTokens,
  companies,
  deputies,
  documents,
  notifications,
  orderDrafts,
  orderMessages,
  orders,
  payments,
  policies,
  savedViews,
  statusTransitions,
  users,
} from '../../src/database/schema/index.ts'
import { personFinder } from '../../src/http/access/person-reader.ts'
import { formatCalendarDate, today } from '../../src/i18n/format.ts'
import { ledgerList } from '../../src/modules/ledger/list.ts'
import { orderAccess } from '../../src/modules/orders/access.ts'
import { findOrder } from '../../src/modules/orders/order.ts'
import { findPartyMembers } from '../../src/modules/orders/recipients.ts'
import { idsQuery, selectIds } from '../../src/records/list/ids.ts'
import { readState } from '../../src/records/list/state.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { insertDeputy, noonOf } from '../support/deputies.ts'
import { elementsOf, errorsOf, parseHtml, textOf, totalOf } from '../support/html.ts'
import { until as waitUntil } from '../support/jobs.ts'
import { at } from '../support/later.ts'
import { insertEntry, insertPayment } from '../support/ledger.ts'
import { inboxOf } from '../support/notifications.ts'
import { historyOf, requestTransition, snapshotOrders, statusId, transitionBetween } from '../support/orders.ts'

const lists = ['orders', 'companies', 'dealers', 'payments', 'documents', 'ledger']
const everyEntry = ledgerList()
const first = '2026-11-10'

/** What somebody finds in every list. */
function seenBy({ app, db }: Cabinet, actor: Actor): Record<string, number[]> {
  return Object.fromEntries(
    lists.map((name) => {
      const list = name === 'ledger' ? everyEntry : app.records.get(name)?.list
      if (!list) throw new Error(`no list ${name}`)
      const state = { ...readState(list, new URLSearchParams(), actor), size: 'all' as const }
      return [name, selectIds(db, idsQuery({ db, list, actor, state })).sort((one, other) => one - other)]
    }),
  )
}

/** Maria has Alpha, Mikhail has Beta, Peter has Nobody Ltd; each company has orders, payments, documents and entries. */
function plantWork(cabinet: Cabinet): void {
  const { db, cast } = cabinet
  db.update(companies).set({ manager_id: cast.plain }).where(eq(companies.id, cast.companies.nobodys)).run()
  for (const company_id of Object.values(cast.companies)) {
    const values = { status_id: 1, company_id, company_stays: true }
    const order_id = Number(db.insert(orders).values(values).run().lastInsertRowid)
    insertPayment(db, order_id)
    insertEntry(db, company_id, { order_id })
    const paper = {
      kind: 'invoice',
      number: `${company_id}`,
      year: 2026,
      date: first,
      file: `${company_id}.pdf`,
      order_version: 1,
      content: '',
    } as const
    db.insert(documents)
      .values({ ...paper, order_id, company_id, actor_name: 'The test' })
      .run()
  }
  // Dealers of no company have a manager of their own.
  for (const [number, manager_id] of [cast.maria, cast.mikhail].entries()) {
    const alone = { lastname: 'Alone', name: 'Anna', email: `alone${number}@example.com`, password: 'none', group_id: 2, manager_id }
    db.insert(users).values(alone).run()
  }
  for (const name of ['maria', 'mikhail', 'plain'] as const)
    grant(db, cast[name], 'order_can_view_prices', 'company_manager_can_view', 'dealer_manager_can_view')
}

t.test('a deputy sees what the manager sees, from the first day until the last and on no other, and through nobody else', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  plantWork(cabinet)
  const managers = [cast.maria, cast.mikhail, cast.plain]
  const naming = fc.record({
    manager: fc.constantFrom(...managers),
    deputy: fc.constantFrom(...managers),
    from: fc.integer({ min: -3, max: 3 }),
    length: fc.integer({ min: 0, max: 3 }),
    reading: fc.boolean(),
  })
  let deputized = 0
  for (const named of fc.sample(fc.array(naming, { maxLength: 5 }), { numRuns: 60, seed: 58 })) {
    db.delete(deputies).run()
    for (const { manager, deputy, from, length, reading } of named)
      insertDeputy(db, manager, deputy, { from: addDays(first, from), until: addDays(first, from + length), reading })
    for (const day of [-4, -1, 0, 1, 4]) {
      await at(noonOf(addDays(first, day)), () => {
        for (const deputy of managers) {
          const person = personFinder(db)(deputy) as Actor
          const theirs = named.filter((one) => one.deputy === deputy && one.from <= day && day <= one.from + one.length)
          const whose = [...new Set([deputy, ...theirs.map(({ manager }) => manager)])]
          const expected = seenTogether(cabinet, person, whose)
          t.same(seenBy(cabinet, person), expected, `${JSON.stringify(named)} on day ${day} for ${deputy}`)
          if (whose.length > 1) deputized++
          const mayAct = whose.filter((one) => one === deputy || theirs.some(({ manager, reading }) => manager === one && !reading))
          for (const { id, owner_manager_id } of db.select().from(orders).all())
            t.equal(allows(orderAccess.act, person, findOrder(db, id)), mayAct.includes(owner_manager_id as number))
          const told = managers.filter((manager) => mayAct.includes(manager))
          for (const manager of managers) {
            const members = findPartyMembers(db, {
              owner_company_id: null,
              owner_manager_id: manager,
              dealer_id: null,
              company_manufacture_id: null,
            })
            t.equal(members.manager.filter((id) => id === deputy).length > 0, told.includes(manager), `${deputy} is told for ${manager}`)
          }
        }
      })
    }
  }
  t.ok(deputized > 20, 'somebody was a deputy')
})

/** What each of these managers would see with somebody's rights. */
function seenTogether(cabinet: Cabinet, person: Actor, whose: number[]): Record<string, number[]> {
  const each = whose.map((id) => seenBy(cabinet, { ...person, id, managers: [id], reading: [] }))
  return Object.fromEntries(lists.map((name) => [name, [...new Set(each.flatMap((seen) => seen[name] ?? []))].sort((a, b) => a - b)]))
}

t.test('a deputy opens, moves and answers what the manager could, and is told of it; the colleague of a colleague does not', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const [mikhail, plain, denis] = [await as('mikhail'), await as('plain'), await as('denis')]
  const [order, pages] = [cast.order, [`/orders/${cast.order}`, `/company/edit/${cast.companies.alpha}`, `/dealers/edit/${cast.denis}`]]
  const statuses = async () => await Promise.all(pages.map(async (page) => (await mikhail.get(page)).statusCode))
  t.same(await statuses(), [403, 403, 403])
  insertDeputy(db, cast.maria, cast.mikhail)
  insertDeputy(db, cast.mikhail, cast.plain)
  insertDeputy(db, cast.mikhail, cast.maria)
  t.same(await statuses(), [200, 200, 200])
  t.equal((await plain.get(`/orders/${order}`)).statusCode, 403, 'a deputy has no deputies')
  t.equal((await mikhail.get(`/managers/edit/${cast.maria}`)).statusCode, 403, "the manager's card is nothing of theirs")
  await denis.post(`/orders/${order}/messages`, { text: 'When will it be ready?' })
  t.match((await inboxOf(cabinet, 'mikhail')).join(), /Denis/)
  t.same(await inboxOf(cabinet, 'plain'), [])
  const { id } = transitionBetween(cabinet, 'new', 'apply')
  t.equal((await requestTransition(plain, order, id)).statusCode, 403)
  t.equal((await requestTransition(mikhail, order, id)).statusCode, 303)
  t.equal(db.select().from(orders).where(eq(orders.id, order)).get()?.status_id, statusId('apply'))
  t.match((await mikhail.get(`/api/v1/orders/${order}`)).json(), { id: order }, 'programs of a deputy, too')
})

t.test('the rights of a deputy are their own', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  insertDeputy(db, cast.maria, cast.mikhail)
  const mikhail = await as('mikhail')
  revoke(db, cast.mikhail, 'company_manager_can_view')
  t.equal((await mikhail.get(`/company/edit/${cast.companies.alpha}`)).statusCode, 403)
})

t.test('it is over as soon as either is deactivated or deleted', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  insertDeputy(db, cast.maria, cast.mikhail)
  const mikhail = await as('mikhail')
  const page = async () => (await mikhail.get(`/orders/${cast.order}`)).statusCode
  const members = () =>
    findPartyMembers(db, { owner_company_id: null, owner_manager_id: cast.maria, dealer_id: null, company_manufacture_id: null })
  const activate = (id: number, active: boolean) => db.update(users).set({ active }).where(eq(users.id, id)).run()
  t.same([await page(), members().manager], [200, [cast.maria, cast.mikhail]])
  activate(cast.maria, false)
  t.same([await page(), members().manager], [403, []])
  activate(cast.maria, true)
  activate(cast.mikhail, false)
  t.same(members().manager, [cast.maria])
  activate(cast.mikhail, true)
  const root = await as('root')
  await root.post('/managers/delete', { id: cast.maria })
  t.equal(db.select().from(deputies).all().length, 0)
})

const tomorrow = () => addDays(today(), 1)

t.test('an administrator names a deputy on the card, a manager on the profile; both are shown, remembered and ended', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const [root, maria, mikhail] = [await as('root'), await as('maria'), await as('mikhail')]
  const card = `/managers/edit/${cast.maria}`
  const fields = { deputy_id: cast.mikhail, from: today(), until: tomorrow() }
  const named = await root.post(`${card}/deputies`, fields)
  t.match([named.statusCode, named.headers.location], [303, `${card}?tab=deputies`])
  t.match(db.select().from(deputies).all(), [{ manager_id: cast.maria, deputy_id: cast.mikhail, last_day: tomorrow(), reading: false }])
  t.equal((await mikhail.get(`/orders/${cast.order}`)).statusCode, 200)
  t.match(
    elementsOf((await root.get(`${card}?tab=deputies`)).body, 'tr[data-deputy]')
      .map(textOf)
      .join(),
    /Sidorov Mikhail/,
  )
  t.match(
    elementsOf((await mikhail.get('/profile?tab=deputies')).body, 'li[data-manager]')
      .map(textOf)
      .join(),
    /Petrova Maria/,
  )
  const history = textOf((await root.get('/activity?kind=deputies')).body)
  t.match(history, /Sidorov Mikhail/)
  t.match(textOf((await root.get(`${card}?tab=history`)).body), /Deputies/)
  const again = await root.post(`${card}/deputies`, fields)
  t.match([again.statusCode, errorsOf(again)], [422, { deputy_id: /Already named until/ }])
  const own = await maria.post(`${card}/deputies`, { deputy_id: cast.plain, from: tomorrow(), until: tomorrow(), reading: 1 })
  t.match([own.statusCode, own.headers.location], [303, '/profile?tab=deputies'])
  t.match(elementsOf((await maria.get('/profile?tab=deputies')).body, 'tr[data-deputy]').map(textOf), [
    /Sidorov/,
    /Plainer.*Not yet.*Only reads/,
  ])
  const end = (browser: typeof root, deputy: number) => browser.post(`${card}/deputies/${deputy}/end`)
  t.equal((await end(maria, cast.mikhail)).statusCode, 303)
  t.equal((await mikhail.get(`/orders/${cast.order}`)).statusCode, 403)
  t.equal((await end(maria, cast.mikhail)).statusCode, 409)
  t.equal((await end(root, cast.plain)).statusCode, 303)
  t.same(elementsOf((await maria.get('/profile?tab=deputies')).body, 'tr[data-deputy]'), [])
  t.equal(
    (await root.post(`${card}/deputies`, { ...fields, until: today() })).statusCode,
    303,
    'once it has ended, it may begin again, for a day',
  )
  t.equal((await mikhail.get(`/orders/${cast.order}`)).statusCode, 200)
})

t.test('whoever is named is told for whom and for which days, and that it has ended; nobody else is', async (t) => {
  const office = await startMailServer(t)
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: office.url } })
  const { cast, as } = cabinet
  const root = await as('root')
  const path = `/managers/edit/${cast.maria}/deputies`
  const [from, until] = [addDays(today(), 2), addDays(today(), 4)]
  await root.post(path, { deputy_id: cast.mikhail, from: today(), until })
  await root.post(path, { deputy_id: cast.plain, from, until, reading: 1 })
  await root.post(path, { deputy_id: cast.mikhail, from: today(), until })
  const days = (first: string) => `Petrova Maria Ivanovna, ${formatCalendarDate(first)} – ${formatCalendarDate(until)}`
  t.match(await inboxOf(cabinet, 'mikhail'), [`You have been named a deputy Not read yet ${days(today())} Root Olga now`])
  t.match(await inboxOf(cabinet, 'plain'), [`You have been named a deputy Not read yet ${days(from)}`])
  await root.post(`${path}/${cast.plain}/end`)
  t.match(
    await inboxOf(cabinet, 'plain'),
    [/^You are no longer a deputy Not read yet Petrova Maria Ivanovna Root Olga now/, /named/],
    'it had not begun',
  )
  await root.post(`${path}/${cast.mikhail}/end`)
  await root.post(`${path}/${cast.mikhail}/end`)
  const bell = elementsOf((await (await as('mikhail')).get('/notifications/latest')).body, 'li').map(textOf)
  t.match(bell, [/You are no longer a deputy/, /You have been named a deputy .*Petrova Maria Ivanovna.*: Root Olga/])
  t.equal(bell.length, 2)
  t.match(
    await inboxOf(cabinet, 'maria'),
    [
      `A deputy was named for you Not read yet Plainer Peter, ${formatCalendarDate(from)}`,
      /^A deputy was named for you .*Sidorov Mikhail, /,
    ],
    'the manager hears of what others have named, whoever it is',
  )
  await waitUntil(() => office.letters.length === 6)
  await (await as('mikhail')).post(`/managers/edit/${cast.mikhail}/deputies`, { deputy_id: cast.maria, from, until })
  t.match((await inboxOf(cabinet, 'mikhail')).length, 2, 'not of what they have named themselves')
  const letter = office.letters.find(({ to, subject }) => to === 'mikhail@example.com' && subject.includes('named'))
  t.match(letter?.text, `You have been named a deputy: ${days(today())}\nChanged by: Root Olga`)
  t.match(letter?.text, '/profile?tab=deputies')
  t.notMatch(letter?.text, /IP address|not you/)
})

t.test('naming the deputy of another manager, as handing over their work, takes editing companies and dealers (403)', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const plain = await as('plain')
  const card = `/managers/edit/${cast.maria}`
  const name = async () => (await plain.post(`${card}/deputies`, { deputy_id: cast.plain, from: today(), until: tomorrow() })).statusCode
  const shown = async () => /tab=deputies/.test((await plain.get(card)).body)
  grant(db, cast.plain, 'manager_can_view', 'manager_can_edit')
  for (const missing of ['company_can_edit', 'dealer_can_edit'] as const) {
    grant(db, cast.plain, 'company_can_edit', 'dealer_can_edit')
    revoke(db, cast.plain, missing)
    t.equal(await name(), 403, missing)
    t.equal((await plain.get(`${card}?tab=deputies`)).statusCode, 403)
    t.equal(await shown(), false)
  }
  t.same(db.select().from(deputies).all(), [])
  grant(db, cast.plain, 'company_can_edit', 'dealer_can_edit')
  t.equal(await shown(), true)
  t.equal(await name(), 303)
  insertDeputy(db, cast.maria, cast.mikhail)
  revoke(db, cast.plain, 'company_can_edit')
  t.equal((await plain.post(`${card}/deputies/${cast.mikhail}/end`)).statusCode, 403)
})

t.test('what cannot be is refused at its field, with what was typed', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const [root, maria] = [await as('root'), await as('maria')]
  db.update(users).set({ active: false }).where(eq(users.id, cast.plain)).run()
  const path = `/managers/edit/${cast.maria}/deputies`
  const good = { deputy_id: cast.mikhail, from: today(), until: tomorrow() }
  const wrong: [fields: Record<string, string | number>, field: string][] = [
    [{ deputy_id: cast.maria }, 'deputy_id'],
    [{ deputy_id: cast.plain }, 'deputy_id'],
    [{ deputy_id: cast.denis }, 'deputy_id'],
    [{ deputy_id: '' }, 'deputy_id'],
    [{ deputy_id: '999999999999999999' }, 'deputy_id'],
    [{ from: '' }, 'from'],
    [{ from: '2026-02-30' }, 'from'],
    [{ until: '' }, 'until'],
    [{ from: addDays(today(), 2), until: tomorrow() }, 'until'],
    [{ from: '2020-01-01', until: addDays(today(), -1) }, 'until'],
    [{ reading: 'perhaps' }, 'reading'],
  ]
  for (const browser of [root, maria])
    for (const [fields, field] of wrong) {
      const answer = await browser.post(path, { ...good, ...fields })
      t.match([answer.statusCode, Object.keys(errorsOf(answer))], [422, [field]], JSON.stringify(fields))
      if (field !== 'until') t.match(answer.body, `value="${tomorrow()}"`)
    }
  t.same(db.select().from(deputies).all(), [])
  t.equal((await root.post(`/managers/edit/${cast.denis}/deputies`, good)).statusCode, 404)
  t.equal((await root.post('/managers/edit/999999/deputies', good)).statusCode, 404)
  t.equal((await (await as('mikhail')).post(path, good)).statusCode, 403, 'nobody makes themselves the deputy of somebody')
  t.equal((await (await as('denis')).get('/profile?tab=deputies')).statusCode, 403)
})

t.test('what a deputy is shown says for whom', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  insertDeputy(db, cast.maria, cast.mikhail)
  db.update(users).set({ active: true, mail_pace: 'at-once' }).where(eq(users.id, cast.mikhail)).run()
  const [maria, mikhail, denis] = [await as('maria'), await as('mikhail'), await as('denis')]
  const marked = /for Petrova Maria/
  const { id } = transitionBetween(cabinet, 'new', 'apply')
  await denis.post(`/orders/${cast.order}/messages`, { text: 'When?' })
  t.match((await inboxOf(cabinet, 'mikhail')).join(), marked)
  t.notMatch((await inboxOf(cabinet, 'maria')).join(), marked)
  await requestTransition(mikhail, cast.order, id)
  for (const path of ['/orders', `/orders/${cast.order}`, '/orders/board', '/']) {
    t.match(textOf((await mikhail.get(path)).body), marked, path)
    if (path !== `/orders/${cast.order}`) t.notMatch(textOf((await maria.get(path)).body), marked, path)
  }
  const step = /Sidorov Mikhail .* \(for Petrova Maria\)/
  t.match(textOf((await maria.get(`/orders/${cast.order}`)).body), step, 'the stream tells everybody')
  t.match(textOf((await maria.get(`/orders/edit/${cast.order}?tab=history`)).body), step)
  t.match(
    historyOf(cabinet, cast.order).map(({ for_name }) => for_name),
    ['Petrova Maria'],
  )
  await requestTransition(maria, cast.order, transitionBetween(cabinet, 'apply', 'canceled').id)
  t.match(
    historyOf(cabinet, cast.order).map(({ for_name }) => for_name),
    [null, 'Petrova Maria'],
  )
})

t.test('a trainee reads what the manager reads, is offered nothing that writes, and every request that writes is refused', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, cast, as } = cabinet
  plantWork(cabinet)
  for (const { key } of db.select().from(policies).all())
    if (
      /_manager_can_|^(payment_can_confirm|document_can_issue|company_offer_can_edit|company_can_edit_(limit|discount)|dealer_can_auth)$/.test(
        key,
      )
    )
      grant(db, cast.plain, key as PolicyKey)
  db.update(companies).set({ manager_id: cast.maria }).where(eq(companies.id, cast.companies.nobodys)).run()
  db.update(statusTransitions).set({ managers_can: true }).run()
  const plain = await as('plain')
  const order = db.select().from(orders).where(eq(orders.company_id, cast.companies.alpha)).get()?.id as number
  const payment = db.select().from(payments).where(eq(payments.company_id, cast.companies.alpha)).get()?.id as number
  db.insert(orderMessages)
    .values({ order_id: cast.order, at: 1, author_id: cast.plain, author_name: 'Plainer', author_group: 3, text: 'Mine' })
    .run()
  const idOf: [start: RegExp, id: number][] = [
    [/^(\/api\/v1)?\/orders\//, order],
    [/^(\/api\/v1)?\/(company|companies)\//, cast.companies.alpha],
    [/^(\/api\/v1)?\/dealers\//, cast.denis],
    [/^(\/api\/v1)?\/payments\//, payment],
  ]
  const addressesOf = app.routeTable.flatMap(({ method, url }) => {
    const id = idOf.find(([start]) => start.test(url))?.[1]
    const named = method !== 'GET' && method !== 'HEAD' && /\/:id\b/.test(url) && id !== undefined && !/drafts|import|:order/.test(url)
    return named ? [{ method, url: url.replace(':id', String(id)).replace(/:\w+/, '1') }] : []
  })
  addressesOf.push(
    { method: 'POST', url: `/orders/${cast.order}/messages/1` },
    { method: 'POST', url: `/orders/${cast.order}/messages/1/withdraw` },
  )
  const ask = async () =>
    await Promise.all(
      addressesOf.map(async ({ method, url }) => {
        const json = url.startsWith('/api/')
        const type = json ? 'application/json' : 'application/x-www-form-urlencoded'
        return (await plain.send(method, url, { 'content-type': type }, json ? '{}' : '')).statusCode
      }),
    )
  const pages = [
    ...[`/orders/${order}`, `/orders/edit/${order}`, `/orders/${cast.order}`, '/orders/board', '/orders?mine=1'],
    ...[
      `/company/edit/${cast.companies.alpha}`,
      `/company/edit/${cast.companies.alpha}?tab=ledger`,
      `/dealers/edit/${cast.denis}`,
      `/payments/${payment}`,
    ],
  ]
  const formsOn = async () => {
    const found = await Promise.all(pages.map(async (page) => ({ page, answer: await plain.get(page) })))
    return found.flatMap(({ page, answer }) => {
      const $ = parseHtml(answer.body)
      const buttons = $('form[method=post] button:not([disabled])').toArray()
      const offered = buttons.map((button) => button.attribs.formaction ?? $(button).closest('form').attr('action') ?? '')
      const writing = offered.filter((action) => idOf.some(([start]) => start.test(action)))
      return [...writing.map((action) => `${page}: ${action}`), ...(answer.statusCode === 200 ? [] : [`${page}: ${answer.statusCode}`])]
    })
  }
  insertDeputy(db, cast.maria, cast.plain, { reading: true })
  const before = snapshotOrders(db)
  const letIn = (await ask()).map((status, at) => ({ status, ...addressesOf[at] })).filter(({ status }) => status !== 403)
  t.same(letIn, [])
  t.same(await formsOn(), [])
  const bulk = await plain.post('/orders/transitions', { id: order, transition_id: transitionBetween(cabinet, 'new', 'apply').id })
  t.equal(bulk.statusCode, 403)
  t.equal((await plain.post('/orders/remind', { id: order })).statusCode, 403)
  const payers = await plain.post('/payments/add', { company_id: cast.companies.alpha, amount: 1, date: today(), kind: 'transfer' })
  t.match([payers.statusCode, Object.keys(errorsOf(payers))], [422, ['company_id']])
  t.equal(totalOf(await plain.get('/orders?mine=1'), 'orders'), 0, 'nothing is theirs to move')
  t.equal(snapshotOrders(db), before)
  db.update(deputies).set({ reading: false }).run()
  t.ok((await formsOn()).length > 5, 'a deputy is offered forms')
  t.ok((await ask()).filter((status) => status !== 403).length > 25, 'and let in')
})

t.test("a deputy learns nothing of the manager's own inbox, drafts, views and tokens, nor of other managers' companies", async (t) => {
  const { app, db, cast, as } = await startCabinet(t)
  const user_id = cast.maria
  const insert = (rows: { returning: () => { get: () => unknown } }) => (rows.returning().get() as { id: number }).id
  const notice = { user_id, status_name: '', event: 'password-changed', address: 'canary-address', created_at: Date.now() } as const
  const notification = insert(db.insert(notifications).values(notice))
  const draft = insert(
    db.insert(orderDrafts).values({ user_id, fields: [['receiver', 'canary-draft']], created_at: 1, opened_at: Date.now() }),
  )
  const view = insert(db.insert(savedViews).values({ user_id, list: 'orders', name: 'canary-view', query: 'q=a', created_at: 1 }))
  const token = { user_id, name: 'canary-token', token_hash: 'canary', created_at: 1, expires_at: Date.now() + 3600_000 }
  db.insert(apiTokens).values(token).run()
  db.insert(companies).values({ org: 'canary-company', search: 'canary-company', manager_id: cast.plain }).run()
  insertDeputy(db, cast.maria, cast.mikhail)
  insertDeputy(db, cast.plain, cast.maria)
  const pages = app.routeTable.filter(({ method, url }) => method === 'GET' && !/[:*]|stream/.test(url)).map(({ url }) => url)
  const own = [
    `/managers/edit/${cast.maria}`,
    `/managers/edit/${cast.maria}?tab=deputies`,
    `/orders/drafts/${draft}`,
    `/views/${view}`,
    `/notifications/${notification}`,
  ]
  const found = async (name: 'maria' | 'mikhail') => {
    const browser = await as(name)
    const answers = await Promise.all(
      [...pages, ...own, '/companies?size=all', '/find?q=canary', '/profile?tab=security'].map((page) => browser.get(page)),
    )
    return new Set(answers.flatMap(({ body }) => body.match(/canary-[a-z]+/g) ?? []))
  }
  t.ok((await found('maria')).size > 3, 'she sees them, and the company of whose manager she is the deputy')
  t.same([...(await found('mikhail'))], [])
  const mikhail = await as('mikhail')
  t.equal((await mikhail.post(`/notifications/${notification}/read`, { value: 1 })).statusCode, 403)
  t.equal((await mikhail.get(`/notifications/${notification}/file`)).statusCode, 403)
})
