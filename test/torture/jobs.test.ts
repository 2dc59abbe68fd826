import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { openDatabase, write } from '../../src/database/open.ts'
import { orders, users } from '../../src/database/schema/index.ts'
import { password } from '../support/cast.ts'
import { integrityErrors } from '../support/dump.ts'
import { tagsOf } from '../support/html.ts'
import { csv } from '../support/imports.ts'
import { makeRandom } from '../support/random.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { admin } from './crash-recovery.ts'
import { type Client, createClient } from './writers.ts'

/** How many records each job works on. */
const many = 600

/** So often each of the five jobs is killed before it may come to its end, if it has not by then. */
const kills = 4

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
    await pause(random.integer(0, 60))
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
    const isOpen = () => read<string>('select state from jobs order by id desc').match(/waiting|running/) !== null
    for (let time = 0; isOpen(); time++) {
      const service = await startService(t, environment)
      for (const end = Date.now() + random.integer(0, 60) + (time + 1 < kills ? 0 : 60_000); Date.now() < end && isOpen(); ) await pause(3)
      await service.kill()
      killed += 1
    }
    const [job, errors] = [
      read<string>("select json_object('kind', kind, 'state', state, 'done', done, 'skipped', skipped) from jobs order by id desc"),
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
  t.equal(read('select count(*) from notifications where job_id is not null'), 5, 'each is told of once')
  t.comment(`${killed} kills`)
})

function plantDealers(file: string): void {
  const db = openDatabase(file)
  write(db, () => {
    for (let at = 0; at < many; at++) {
      const values = { group_id: 2, email: `crowd${at}@example.com`, password: 'x', name: `Number ${at}`, lastname: 'Crowd', active: false }
      const { lastInsertRowid } = db.insert(users).values(values).run()
      db.insert(orders)
        .values({ dealer_id: Number(lastInsertRowid), status_id: 1 })
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
