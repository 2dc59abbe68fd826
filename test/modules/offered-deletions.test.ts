import { eq, getTableName } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import t from 'tap'
import { childReferences } from '../../src/database/references.ts'
import { apiTokens, companies, ledgerEntries, orderDrafts, passkeys, savedViews, users, webhooks } from '../../src/database/schema/index.ts'
import type { AnyCard } from '../../src/records/kind/card.ts'
import { deletionsOf } from '../../src/records/kind/registry.ts'
import type { AnyDeletion } from '../../src/records/list/deletion.ts'
import { recordPath } from '../../src/records/list/record-paths.ts'
import { tokenFor } from '../support/api.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { parseHtml, rowsOf, textOf } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

// A deletion that is offered succeeds; one that would be refused is not offered, and the reason stands in its place.

function rowIn(body: string, list: string, id: number) {
  const trash = parseHtml(body)(`#${list}-${id} .is-trash`)
  return { offered: trash.is('a'), reason: trash.is('span') ? trash.attr('title') : undefined }
}

async function confirmation(browser: Browser, list: string, ids: number[]) {
  const { statusCode, body } = await browser.get(`/${list}/delete?${ids.map((id) => `id=${id}`).join('&')}`)
  const $ = parseHtml(body)
  const choice = $('#move_to option[value!=""]').attr('value')
  return { statusCode, button: $('form .btn-danger').length === 1, alert: textOf($('.confirm [role=alert]').text()), move_to: choice }
}

/** Deletes what somebody's lists offer, one after another, and asks for what they do not offer. */
async function walk(cabinet: Cabinet, browser: Browser, deletion: AnyDeletion) {
  const { list } = deletion
  const seen = { offered: 0, refused: 0 }
  for (const { id } of rowsOf(await browser.get(`/${list.name}?size=all`), list.name).map(({ id }) => ({ id }))) {
    const what = `${list.name} ${id}`
    const { body } = await browser.get(`/${list.name}?size=all`)
    const { offered, reason } = rowIn(body, list.name, id)
    const card = await browser.get(recordPath(cabinet.app.records.get(list.name)?.card as AnyCard, id))
    const menu = parseHtml(card.body)('.record-menu')
    const asked = await confirmation(browser, list.name, [id])
    const answer = await browser.post(`/${list.name}/delete`, { id, ...(asked.move_to && { move_to: asked.move_to }) })
    const exists = deletion.find(cabinet.db, id) !== undefined
    if (offered) {
      seen.offered += 1
      t.same([asked.button, answer.statusCode, exists], [true, 303, false], `${what} is offered and deleted`)
      t.equal(menu.find('.record-kept').length, 0, what)
    } else if (reason) {
      seen.refused += 1
      t.same([asked.button, answer.statusCode, exists], [false, 422, true], `${what} is kept: ${reason}`)
      t.equal(asked.alert, reason, 'as the confirmation says')
      t.equal(menu.find('.text-danger').length, 0, 'nor does the card offer it')
    } else t.same([asked.statusCode, answer.statusCode, exists], [403, 403, true], `${what} is nobody's to delete here`)
  }
  return seen
}

async function start(test: Parameters<typeof startCabinet>[0], options: Parameters<typeof startCabinet>[1] = {}) {
  const cabinet = await startCabinet(test, options)
  const { db, cast } = cabinet
  const entry = { company_id: cast.companies.alpha, kind: 'correction', amount: 1, at: 1, date: '2026-01-15', actor_name: 'X' } as const
  db.insert(ledgerEntries).values(entry).run()
  insertPayment(db, cast.order)
  const free = insertOrder(cabinet, 'apply', { dealer_id: cast.denis, company_id: cast.companies.alpha })
  return { ...cabinet, free }
}

for (const rules of ['strict', 'as-specified'] as const)
  t.test(`every deletion that a list offers succeeds, and nothing else is deleted (${rules})`, async (t) => {
    const cabinet = await start(t, { environment: { RULES: rules } })
    const root = await cabinet.as('root')
    const seen: Record<string, { offered: number; refused: number }> = {}
    for (const deletion of deletionsOf(cabinet.app)) seen[deletion.list.name] = await walk(cabinet, root, deletion)
    t.match(seen, { orders: { offered: 1, refused: 1 }, companies: { offered: 2, refused: 1 } })
    t.equal(seen.statuses?.refused, rules === 'strict' ? 1 : 0, 'the last one, in which all orders are')
    t.ok((seen.dealers?.offered ?? 0) > 3 && (seen.statuses?.offered ?? 0) > 5)
  })

t.test('a status that is in use is kept from those who may not move its orders, under strict rules', async (t) => {
  const { db, cast, as } = await start(t, { environment: { RULES: 'strict' } })
  const admin = await as('admin')
  grant(db, cast.admin, 'status_can_view', 'order_can_view')
  revoke(db, cast.admin, 'order_can_edit')
  const list = async () => (await admin.get('/statuses')).body
  const reason = 'Statuses with orders that you cannot move cannot be deleted: New.'
  t.match(rowIn(await list(), 'statuses', 1), { offered: false, reason })
  t.match(rowIn(await list(), 'statuses', 9), { offered: true })
  t.match(
    await confirmation(admin, 'statuses', [1, 9]),
    { button: false, alert: reason },
    'the bar of ticked rows leads to the reason, too',
  )
  t.match((await admin.get('/status/edit/1')).body, 'record-kept')
  grant(db, cast.admin, 'order_can_edit')
  t.match(rowIn(await list(), 'statuses', 1), { offered: true })
})

t.test('why orders and companies are kept says nothing of money to those who see no prices', async (t) => {
  const { db, cast, as, free } = await start(t)
  const admin = await as('admin')
  grant(db, cast.admin, 'order_can_view', 'order_can_delete')
  const row = async (list: string, id: number) => rowIn((await admin.get(`/${list}`)).body, list, id)
  t.match(await row('orders', cast.order), { offered: false, reason: `Orders with payments cannot be deleted: #${cast.order}.` })
  t.match(await row('orders', free), { offered: true })
  const { alpha, beta } = cast.companies
  t.match(await row('companies', alpha), { reason: 'Companies with entries in their ledger cannot be deleted: Alpha Windows.' })
  t.match(await row('companies', beta), { offered: true, reason: undefined })
  const both = await confirmation(admin, 'companies', [beta, alpha])
  t.match(both, { button: false, alert: 'Companies with entries in their ledger cannot be deleted: Alpha Windows.' })
  t.equal((await admin.post('/companies/delete', { id: [beta, alpha] })).statusCode, 422)
  t.ok(db.select().from(companies).where(eq(companies.id, beta)).get(), 'all or nothing')
  revoke(db, cast.admin, 'order_can_view_prices')
  t.match(await row('orders', cast.order), { reason: `These cannot be deleted: #${cast.order}.` })
  t.match(await row('companies', alpha), { reason: 'These cannot be deleted: Alpha Windows.' })
})

/** What is deleted outside the lists, each with the page that offers it and who may; superadministrators may delete the views of others unseen. */
function plantOwned({ db, cast }: Cabinet) {
  // biome-ignore lint/suspicious/noExplicitAny: any table with an id
  const insert = (table: any, values: object) => Number(db.insert(table).values(values).run().lastInsertRowid)
  const now = Date.now()
  const passkey = (user_id: number, name: string) => ({
    ...{
      user_id,
      name,
      credential_id: `${user_id} ${name}`,
      public_key: 'x',
      counter: 0,
      transports: [],
      user_handle: 'x',
      created_at: now,
    },
  })
  const view = (user_id: number, group_id: number | null) => ({
    user_id,
    group_id,
    list: 'orders',
    name: 'V',
    query: 'status=1',
    created_at: now,
  })
  const webhook = insert(webhooks, { url: 'https://example.com/hook', secret: 'whsec_x', events: ['order.created'], created_at: now })
  const draft = insert(orderDrafts, { user_id: cast.denis, fields: [['receiver', 'R']], created_at: now, opened_at: now })
  tokenFor({ db }, cast.denis)
  const token = db.select().from(apiTokens).where(eq(apiTokens.user_id, cast.denis)).get()?.id as number
  const mine = insert(savedViews, view(cast.denis, null))
  const shared = insert(savedViews, view(cast.root, 2))
  const [first, second] = [insert(passkeys, passkey(cast.denis, 'One')), insert(passkeys, passkey(cast.denis, 'Two'))]
  const only = insert(passkeys, passkey(cast.vera, 'Only'))
  const has = (table: typeof webhooks | typeof savedViews | typeof passkeys, id: number) => () =>
    db.select({ id: table.id }).from(table).where(eq(table.id, id)).get() !== undefined
  const security = '/profile?tab=security'
  return [
    { page: '/settings?tab=webhooks', address: `/webhooks/${webhook}/delete`, exists: has(webhooks, webhook), may: ['root'] },
    { page: '/orders?status=1', address: `/views/${mine}/delete`, exists: has(savedViews, mine), may: ['denis'] },
    { page: '/orders?status=1', address: `/views/${shared}/delete`, exists: has(savedViews, shared), may: ['root'] },
    {
      ...{ page: '/orders/drafts', address: `/orders/drafts/${draft}/delete`, may: ['denis'] },
      exists: () => db.select().from(orderDrafts).where(eq(orderDrafts.id, draft)).get()?.deleted_at === null,
    },
    {
      ...{ page: security, address: `/profile/tokens/${token}/revoke`, may: ['denis'] },
      exists: () => db.select().from(apiTokens).where(eq(apiTokens.id, token)).get()?.revoked_at === null,
    },
    { page: security, address: `/profile/passkeys/${first}/delete`, exists: has(passkeys, first), may: ['denis'] },
    { page: security, address: `/profile/passkeys/${second}/delete`, exists: has(passkeys, second), may: ['denis'] },
    { page: security, address: `/profile/passkeys/${only}/delete`, exists: has(passkeys, only), may: [] },
  ] as { page: string; address: string; exists: () => boolean; may: Name[] }[]
}

t.test('so it is with webhooks, tokens, views, drafts and passkeys: what is offered succeeds, what would be refused is not', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const names: Name[] = ['vera', 'daria', 'admin', 'denis', 'root']
  for (const name of names) await as(name)
  db.update(users).set({ password: '' }).where(eq(users.id, cast.vera)).run()
  for (const { page, address, exists, may } of plantOwned(cabinet))
    for (const name of names) {
      const browser = await as(name)
      const offered = parseHtml((await browser.get(page)).body)(`form[action="${address}"]`).length > 0
      t.equal(offered, may.includes(name), `${name}: ${address}`)
      const { statusCode } = await browser.post(address)
      t.same([statusCode < 400, exists()], [offered, !offered], `${name}: ${address} answers ${statusCode}`)
      if (offered) break
    }
  const vera = parseHtml((await (await as('vera')).get('/profile?tab=security')).body)
  t.match(vera('.passkeys tbody').text(), 'Set a password first', 'the reason stands in its place')
})

t.test('a deletion tells of every kind of record that refers to what is deleted, and of nothing else', async (t) => {
  const { app } = await startCabinet(t)
  const kinds = new Set([...app.records.values()].flatMap(({ card }) => (card ? getTableName(card.form.table) : [])))
  const nameOf = (column: SQLiteColumn) => `${getTableName(column.table)}.${column.name}`
  const untold = deletionsOf(app).flatMap(({ list, table, consequences = [] }) => {
    const told = consequences.map(([, column]) => nameOf(column))
    const referring = childReferences(table).map(({ column }) => nameOf(column))
    t.same(
      told.filter((name) => !referring.includes(name)),
      [],
      `${list.name}: what it tells refers to it`,
    )
    const others = referring.filter((name) => kinds.has(name.split('.')[0] as string) && !told.includes(name))
    return others.map((name) => `${list.name}: ${name}`)
  })
  t.same(untold, [
    // Who takes over from a manager is asked.
    ...['managers: companies.manager_id', 'managers: orders.dealer_id', 'managers: users.manager_id'],
    // Where the orders go is asked.
    'statuses: orders.status_id',
  ])
})
