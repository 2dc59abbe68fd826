import { createHash } from 'node:crypto'
import type Sqlite from 'better-sqlite3'
import { encode, type Fields } from '../support/cabinet.ts'
import type { Random } from '../support/random.ts'
import type { Ledger } from './ledger.ts'

/** Somebody signed in to a service that may die at any moment. */
export interface Client {
  get: (path: string) => Promise<string>
  /** @returns where the answer leads; anything but a 303 away from the sign-in page is a failure */
  post: (path: string, fields: Fields) => Promise<string>
  sendFile: (path: string, fields: Fields, name: string, content: string | Buffer<ArrayBuffer>) => Promise<string>
}

interface Work {
  visitor: Client
  /** The one whose order is paid. */
  dealer: Client
  ledger: Pick<Ledger, 'write'>
  random: Random
  /** A number that nothing else in this run has. */
  next: () => number
}

/** One turn of each kind of writing; every one keeps to records of its own, so that it knows what must be there. */
export const writers: Record<string, (work: Work) => Promise<void>> = {
  async companies({ visitor, ledger, random, next }) {
    const number = next()
    const [org, inn] = [`Company ${number}`, String(9_000_000_000 + number)]
    const found = (db: Sqlite.Database) =>
      row(
        db,
        `select org, inn, (select json_group_array(discount) from category_company where company_id = companies.id) discounts
         from companies where org = ? or inn = ?`,
        org,
        inn,
      )
    let id = 0
    await ledger.write(org, found, { org, inn: null, discounts: '[]' }, async () => {
      id = idFromLocation(await visitor.post('/company/add', { org, once: org }))
    })
    for (let turn = random.integer(1, 4); turn > 0; turn--) {
      const discount = random.integer(0, 100)
      const rows = { discounts: '', 'discounts[0][category_id]': 1, 'discounts[0][discount]': discount }
      const value = { org: `${org} at ${discount}`, inn, discounts: `[${discount}]` }
      await ledger.write(org, found, value, async () => {
        await visitor.post(`/company/edit/${id}`, { org: value.org, inn: value.inn, ...rows })
      })
    }
  },

  async dealers({ visitor, ledger, random, next }) {
    const email = `dealer${next()}@example.com`
    const found = (db: Sqlite.Database) => row(db, 'select lastname, active from users where email = ?', email)
    const person = { email, password: 'a good password', lastname: 'First', name: 'Torture', company_id: 1 }
    let id = 0
    await ledger.write(email, found, { lastname: 'First', active: 1 }, async () => {
      id = idFromLocation(await visitor.post('/dealers/add', person))
    })
    await ledger.write(email, found, { lastname: 'First', active: 0 }, async () => {
      await visitor.post(`/dealers/${id}/active`, { value: 0 })
    })
    await ledger.write(email, found, { lastname: 'Second', active: 0 }, async () => {
      await visitor.post(`/dealers/edit/${id}`, { lastname: 'Second', phone: '11111' })
    })
    if (random.chance(0.3)) return
    await ledger.write(email, found, undefined, async () => {
      await visitor.post('/dealers/delete', { id })
    })
  },

  async rights({ visitor, ledger, random }) {
    const key = random.pick(['news_can_add', 'company_can_view', 'dealer_can_edit', 'stock_can_view'])
    const value = random.integer(0, 1)
    const found = (db: Sqlite.Database) =>
      row(db, 'select value from user_policies join policies on policies.id = policy_id where value and user_id = 2 and key = ?', key)
    await ledger.write(`right ${key}`, found, value ? { value } : undefined, async () => {
      await visitor.post(`/managers/edit/2/rights/${key}`, { value })
    })
  },

  async news({ visitor, ledger, next }) {
    const name = `News ${next()}`
    const found = (db: Sqlite.Database) =>
      row(db, 'select published, publishedon is not null dated, length(description) length from news where name = ?', name)
    const description = 'x'.repeat(100_000)
    let id = 0
    await ledger.write(name, found, { published: 0, dated: 0, length: description.length }, async () => {
      id = idFromLocation(await visitor.post('/news/add', { name, description, published: 0 }))
    })
    for (const value of [1, 0, 1])
      await ledger.write(name, found, { published: value, dated: value, length: description.length }, async () => {
        await visitor.post(`/news/${id}/published`, { value })
      })
  },

  async files({ visitor, ledger, random, next }) {
    const content = `file ${next()} ${'x'.repeat(random.integer(1, 300_000))}`
    const key = createHash('sha256').update(content).digest('hex')
    const found = (db: Sqlite.Database) =>
      row(db, "select json_extract(files, '$[0].file') file from companies where id = 2 and files <> '[]'")
    await ledger.write('the file', found, { file: key }, async () => {
      await visitor.sendFile('/company/edit/2', { files: '', 'files[0][name]': 'Contract' }, 'files[0][file]', content)
    })
  },

  async lists({ visitor, ledger, next }) {
    const number = next()
    const names = [`Category ${number} a`, `Category ${number} b`] as const
    const found = (db: Sqlite.Database) =>
      row(db, 'select count(*) count from categories where name in (?, ?) having count(*) > 0', ...names)
    const ids: number[] = []
    for (const name of names)
      await ledger.write(`categories ${number}`, found, { count: ids.length + 1 }, async () => {
        ids.push(idFromLocation(await visitor.post('/categories/add', { name })))
      })
    await ledger.write(`categories ${number}`, found, undefined, async () => {
      await visitor.post('/categories/delete', { id: ids })
    })
    const bin = await visitor.get(`/bin?q=${encodeURIComponent(names[0])}`)
    // Above the table the message of another's deletion may offer to undo that one.
    const [, batch] = /\/bin\/(\d+)\/restore/.exec(bin.slice(bin.indexOf('<tbody'))) ?? []
    await ledger.write(`categories ${number}`, found, { count: 2 }, async () => {
      await visitor.post(`/bin/${batch}/restore`, {})
    })
  },

  async statuses({ visitor, ledger, random, next }) {
    const key = `status-${next()}`
    const found = (db: Sqlite.Database) =>
      row(
        db,
        `select name, (select json_group_array(child_status_id) from status_transitions where parent_status_id = statuses.id) ways
         from statuses where status_key = ?`,
        key,
      )
    await ledger.write(key, found, { name: 'Added', ways: '[]' }, async () => {
      await visitor.post('/status/add', { status_key: key, name: 'Added' })
    })
    const ways = random.some([1, 2, 3, 4], 2)
    const rows = Object.fromEntries(ways.map((id, index) => [`transitions[${index}][child_status_id]`, id]))
    await ledger.write(key, found, { name: `To ${ways}`, ways: `[${ways}]` }, async () => {
      await visitor.post(`/status/edit/${key}`, { name: `To ${ways}`, transitions: '', ...rows })
    })
  },

  async orders({ visitor, ledger, random, next }) {
    const comment = `Order ${next()}`
    const found = (db: Sqlite.Database) =>
      row(
        db,
        `select status_id, cost, receiver,
           (select sum(quantity * price) from order_items where order_id = orders.id) lines,
           (select count(*) from order_history where order_id = orders.id) changes,
           (select count(*) from notifications join order_history on order_history.id = history_id
             where notifications.order_id = orders.id) > 0 told
         from orders where comment = ?`,
        comment,
      )
    const quantity = random.integer(1, 9)
    const line = (index: number) => ({
      [`items[${index}][category_id]`]: 1,
      [`items[${index}][name]`]: 'Window',
      [`items[${index}][quantity]`]: quantity,
      [`items[${index}][price]`]: '10,50',
    })
    const cost = 2 * quantity * 1050
    const order = { status_id: 1, cost, receiver: null, lines: cost, changes: 1, told: 1 }
    let id = 0
    await ledger.write(comment, found, order, async () => {
      id = idFromLocation(await visitor.post('/orders/add', { dealer_id: 3, comment, items: '', ...line(0), ...line(1) }))
    })
    await ledger.write(comment, found, { ...order, receiver: 'Somebody' }, async () => {
      await visitor.post(`/orders/edit/${id}`, { receiver: 'Somebody' })
    })
    // The first of the transitions that every installation starts with leads from the first status to the second.
    await ledger.write(comment, found, { ...order, status_id: 2, receiver: 'Somebody', changes: 2 }, async () => {
      await visitor.post(`/orders/edit/${id}/transition`, { transition_id: 1 })
    })
    if (random.chance(0.5)) return
    await ledger.write(comment, found, undefined, async () => {
      await visitor.post('/orders/delete', { id })
    })
  },

  /** Payments of an order each, as few may wait: reported by its dealer, and then confirmed, perhaps twice, or rejected. */
  async payments({ visitor, dealer, ledger, random, next }) {
    const note = `Payment ${next()}`
    const amount = random.integer(1, 100_000)
    const found = (db: Sqlite.Database) =>
      row(
        db,
        `select state, decided_at is not null decided, (select json_group_array(amount) from ledger_entries where payment_id = payments.id) booked
           from payments where note = ?`,
        note,
      )
    const order = idFromLocation(await visitor.post('/orders/add', { dealer_id: 3, without_lines: 1 }))
    await ledger.write(note, found, { state: 'reported', decided: 0, booked: '[]' }, async () => {
      await dealer.post(`/orders/${order}/payments`, { amount: amount / 100, note, once: note })
    })
    const id = /data-payment="(\d+)"/.exec(await visitor.get(`/orders/${order}`))?.[1]
    if (random.chance(0.3)) {
      await ledger.write(note, found, { state: 'rejected', decided: 1, booked: '[]' }, async () => {
        await visitor.post(`/payments/${id}/reject`, { reason: 'Not on the account' })
      })
      return
    }
    for (let turn = random.integer(1, 2); turn > 0; turn--)
      await ledger.write(note, found, { state: 'confirmed', decided: 1, booked: `[${amount}]` }, async () => {
        await visitor.post(`/payments/${id}/confirm`, {})
      })
  },
}

function row(db: Sqlite.Database, sql: string, ...values: unknown[]): unknown {
  return db.prepare(sql).get(...values)
}

function idFromLocation(location: string): number {
  const id = Number(/\/(\d+)(?:\?|$)/.exec(location)?.[1])
  if (!id) throw new Error(`no record's card: ${location}`)
  return id
}

/** Signs requests with a cookie; an answer that is no success is thrown. */
export function createClient(address: string, cookie: string): Client {
  const send = async (path: string, body: URLSearchParams | FormData) => {
    const answer = await fetch(address + path, { method: 'POST', body, redirect: 'manual', headers: { cookie } })
    const text = await answer.text()
    const location = answer.headers.get('location') ?? ''
    if (answer.status !== 303 || location.startsWith('/login'))
      throw new UnexpectedResponse(`${path}: ${answer.status} ${location} ${alertText(text)}`)
    return location
  }
  return {
    get: async (path) => (await fetch(address + path, { headers: { cookie } })).text(),
    post: (path, fields) => send(path, new URLSearchParams(encode(fields))),
    sendFile: (path, fields, name, content) => {
      const form = new FormData()
      for (const [field, value] of Object.entries(fields)) form.append(field, String(value))
      form.append(name, new Blob([content]), 'a.txt')
      return send(path, form)
    },
  }
}

/** An answer, but not the one that was expected: the service lives and says no. */
export class UnexpectedResponse extends Error {}

function alertText(html: string): string {
  return html.match(/role="alert"[^>]*>([\s\S]{0,300})/)?.[1]?.replace(/<[^>]*>/g, ' ') ?? ''
}
