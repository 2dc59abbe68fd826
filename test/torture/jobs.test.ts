import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { wrongBalances } from '../../src/database/ledger-balances.ts'
import { openDatabase, write } from '../../src/database/open.ts'
import {
  companies,
  deliveries,
  notifications,
  orders,
  statusTransitions,
  users,
  webhookDeliveries,
  webhookMessages,
  webhooks,
} from '../../src/database/schema/index.ts'
import { password } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { integrityErrors } from '../support/dump.ts'
import { tagsOf } from '../support/html.ts'
import { csv } from '../support/imports.ts'
import { makeRandom } from '../support/random.ts'
import { startReceiver } from '../support/receiver.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { exchange } from '../support/statements.ts'
import { admin, killsOr } from './crash-recovery.ts'
import { type Client, createClient } from './writers.ts'

/** How many records each job works on. */
const many = 600

/** So often each job is killed before it may come to its end, if it has not by then. */
const kills = killsOr(2)

t.test('a job that is killed in the middle goes on where it stopped: nothing is done twice, and nothing left out', async (t) => {
  const seed = Number(process.env.SEED) || Date.now() % 1_000_000
  t.comment(`seed ${seed}`)
  const random = makeRandom(seed)
  const environment = { DATA_DIR: temporaryFolder(t), ...admin }
  const file = join(environment.DATA_DIR, 'cabinet.sqlite')
  const begin = async (start: (client: Client) => Promise<string>) => {
    const service = await startService(t, environment)
    await service.post('/login', { email: admin.ADMIN_EMAIL, password })
    const job = await start(createClient(service.address, service.cookie()))
    if (!/^\/jobs\/\d+$/.test(job)) throw new Error(`no job: ${job}`)
    await pause(random.integer(0, 30))
    await service.kill()
  }
  const read = <T>(sql: string): T => {
    const db = new Sqlite(file, { readonly: true })
    try {
      return db.prepare(sql).pluck().get() as T
    } finally {
      db.close()
    }
  }
  let killed = 0
  /** Kills it again and again until the job has ended. */
  const killUntilDone = async (kind: string) => {
    killed += 1
    const isOpen = () => read<string>('select state from jobs where user_id > 0 order by id desc').match(/waiting|running/) !== null
    for (let time = 0; isOpen(); time++) {
      const service = await startService(t, environment)
      for (const end = Date.now() + random.integer(0, 30) + (time + 1 < kills ? 0 : 60_000); Date.now() < end && isOpen(); ) await pause(3)
      await service.kill()
      killed += 1
    }
    const [job, errors] = [
      read<string>(
        "select json_object('kind', kind, 'state', state, 'done', done, 'skipped', skipped) from jobs where user_id > 0 order by id desc",
      ),
      [],
    ]
    t.same(JSON.parse(job), { kind, state: 'done', done: many, skipped: 0 })
    const db = new Sqlite(file, { readonly: true })
    t.same(integrityErrors(db), errors, kind)
    db.close()
  }
  const changesBy = (action: string, entity = 'users') =>
    read<string>(
      `select json_array(count(*), count(distinct record_id)) from changes where action = '${action}' and entity = '${entity}' and label like 'Crowd %'`,
    )
  const there = () => read<number>("select count(*) from users where lastname = 'Crowd'")

  const service = await startService(t, environment)
  await service.stop()
  plantDealers(file)

  await begin(async (client) => client.post('/dealers/delete', await confirmed(client, '/dealers/delete?all=1&active=0')))
  await killUntilDone('delete')
  t.equal(there(), 0)
  t.equal(changesBy('delete'), `[${many},${many}]`)
  t.equal(read('select json_array(count(*), count(distinct record_id)) from trash'), `[${many},${many}]`)
  t.equal(read('select count(*) from trash where size is not null'), 1, 'one batch')
  t.equal(read('select count(*) from orders where dealer_id is null'), many)

  await begin((client) => client.post(`/bin/${read<number>('select id from trash where size is not null')}/restore`, {}))
  await killUntilDone('restore')
  t.equal(there(), many)
  t.equal(changesBy('restore'), `[${many},${many}]`)
  t.equal(read('select count(*) from orders where dealer_id is null'), 0)

  await begin(async (client) => {
    const body = await confirmed(client, '/dealers/change?all=1&active=0')
    return client.post('/dealers/change', { ...body, account: '1' })
  })
  await killUntilDone('change')
  t.equal(read("select count(*) from users where lastname = 'Crowd' and active"), many)
  t.equal(
    read(
      `select json_array(count(*), count(distinct record_id)) from changes where action = 'update' and json_extract(fields, '$.active') is not null`,
    ),
    `[${many},${many}]`,
  )

  const rows = Array.from({ length: many }, (_, at) => [`Crowd ${at}`])
  let path = ''
  await begin(async (client) => {
    path = await client.sendFile('/companies/import', {}, 'file', csv([['org'], ...rows]) as never)
    return client.post(`${path}/save`, {})
  })
  await killUntilDone('import')
  t.equal(read("select count(*) from companies where org like 'Crowd %'"), many)
  t.equal(changesBy('create', 'companies'), `[${many},${many}]`)
  t.equal(read('select sum(json_array_length(results)) from import_parts'), many)

  await begin((client) => client.post(`${path}/undo`, {}))
  await killUntilDone('undo-import')
  t.equal(read("select count(*) from companies where org like 'Crowd %'"), 0)
  t.equal(changesBy('delete', 'companies'), `[${many},${many}]`)

  const ids = JSON.parse(read<string>('select json_group_array(id) from orders')) as number[]
  await begin((client) => client.post('/orders/transitions', { id: ids, transition_id: 1, once: 'many' }))
  await killUntilDone('move')
  t.equal(read('select count(*) from orders where status_id = 2'), many)
  t.equal(
    read('select json_array(count(*), count(distinct order_id)) from order_history where from_status_id = 1 and to_status_id = 2'),
    `[${many},${many}]`,
  )

  const paid = ids.map((id, at) => ({ number: String(at), amount: '1.00', purpose: `Заказ № ${id}` }))
  await begin(async (client) => {
    const statement = await client.sendFile('/payments/import', {}, 'file', exchange(paid))
    return client.post(statement, { book: ids.map((id, at) => `${at + 1}:${id}`) })
  })
  await killUntilDone('book')
  t.equal(
    read("select json_array(count(*), count(distinct order_id), sum(amount)) from payments where state = 'confirmed'"),
    `[${many},${many},${many * 100}]`,
  )
  t.equal(read("select json_array(count(*), count(distinct payment_id)) from ledger_entries where kind = 'payment'"), `[${many},${many}]`)
  const ledger = new Sqlite(file, { readonly: true })
  t.equal(wrongBalances(ledger), 0)
  ledger.close()

  await beginExport(environment)
  await killUntilDone('export')
  t.equal(read("select count(*) from notifications where event = 'export-ready'"), 1)
  const kept = join(environment.DATA_DIR, 'files/incoming', read<string>("select file from notifications where event = 'export-ready'"))
  t.equal(readFileSync(kept, 'utf8').match(/Crowd/g)?.length, many)

  t.equal(read('select count(*) from notifications where job_id is not null'), 8, 'each is told of once')
  t.comment(`${killed} kills`)
})

t.test(
  'a service that is killed while it sends email and webhooks sends each at least once, and again only what was under way',
  async (t) => {
    const random = makeRandom(Number(process.env.SEED) || Date.now() % 1_000_000)
    const [office, receiver] = [await startMailServer(t), await startReceiver(t)]
    const environment = { DATA_DIR: temporaryFolder(t), ...admin, SMTP_URL: office.url, WEBHOOK_HOSTS: '127.0.0.1' }
    const file = join(environment.DATA_DIR, 'cabinet.sqlite')
    await (await startService(t, environment)).stop()
    plantMessages(file, receiver.url)
    const db = new Sqlite(file, { readonly: true })
    const waiting = db
      .prepare(
        "select (select count(*) from deliveries where state <> 'sent') + (select count(*) from webhook_deliveries where state <> 'sent') + (select count(*) from jobs)",
      )
      .pluck()
    let killed = 0
    for (; Number(waiting.get()) > 0; killed++) {
      const service = await startService(t, environment)
      for (const end = Date.now() + (killed < kills ? random.integer(0, 150) : 60_000); Date.now() < end && Number(waiting.get()) > 0; )
        await pause(3)
      await service.kill()
    }
    for (const sent of [
      office.letters.map(({ messageId }) => messageId),
      receiver.requests.map(({ headers }) => String(headers['webhook-id'])),
    ]) {
      t.equal(new Set(sent).size, many, 'nothing is left out')
      t.ok(sent.length <= many + 5 * killed, `${sent.length - many} were sent twice, with the same id`)
    }
    db.close()
    t.comment(`${killed} kills`)
  },
)

/** What waits to be sent: as many emails as webhooks. */
function plantMessages(file: string, url: string): void {
  const db = openDatabase(file)
  write(db, () => {
    const company_id = db.insert(companies).values({ org: 'Owner' }).returning().get().id
    const secret = `whsec_${Buffer.from('secret').toString('base64')}`
    const webhook_id = db.insert(webhooks).values({ url, secret, events: [], created_at: 1 }).returning().get().id
    for (let at = 0; at < many; at++) {
      const order_id = db.insert(orders).values({ company_id, status_id: 1 }).returning().get().id
      const notice = { user_id: 1, order_id, status_name: 'Paid', created_at: at + 1 }
      const notification_id = db.insert(notifications).values(notice).returning().get().id
      db.insert(deliveries).values({ notification_id, channel: 'email', next_at: 1 }).run()
      const message = { message_id: `msg_${at}`, type: 'order.created', at: Date.now(), body: '{}' }
      const message_id = db.insert(webhookMessages).values(message).returning().get().id
      db.insert(webhookDeliveries).values({ webhook_id, message_id, next_at: 1 }).run()
    }
  })
  db.$client.close()
}

/** In this process, where nobody waits five seconds for it. */
async function beginExport(environment: Record<string, string>): Promise<void> {
  const db = openDatabase(join(environment.DATA_DIR as string, 'cabinet.sqlite'))
  const app = await buildApp({ config: readConfig(environment), db })
  await app.ready()
  app.timeouts.export = 0
  const login = { method: 'POST', url: '/login', payload: `email=${admin.ADMIN_EMAIL}&password=${password}` } as const
  const { headers } = await app.inject({ ...login, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  const cookie = [headers['set-cookie'] ?? []]
    .flat()
    .map((one) => one.split(';')[0])
    .join('; ')
  await app.inject({ url: '/dealers/export?format=csv', headers: { cookie } })
  await app.close()
  db.$client.close()
}

function plantDealers(file: string): void {
  const db = openDatabase(file)
  write(db, () => {
    db.update(statusTransitions).set({ required_fields: [] }).where(eq(statusTransitions.id, 1)).run()
    const company_id = db.insert(companies).values({ org: 'Owner' }).returning().get().id
    for (let at = 0; at < many; at++) {
      const dealer = { group_id: 2, email: `crowd${at}@example.com`, password: 'x', name: `Number ${at}`, lastname: 'Crowd', active: false }
      const values = { ...dealer, company_id }
      const { lastInsertRowid } = db.insert(users).values(values).run()
      db.insert(orders)
        .values({ dealer_id: Number(lastInsertRowid), company_id, status_id: 1 })
        .run()
    }
  })
  db.$client.close()
}

/** What the page of a confirmation sends. */
async function confirmed(client: Client, address: string): Promise<Record<string, string>> {
  const fields = tagsOf(await client.get(address), 'input').filter(({ type }) => type === 'hidden')
  return Object.fromEntries(fields.map(({ name = '', value = '' }) => [name, value]))
}
