import { eq } from 'drizzle-orm'
import t from 'tap'
import { group } from '../src/core/access.ts'
import { type PolicyKey, policyKeys } from '../src/core/policies.ts'
import {
  accessRequests,
  apiTokens,
  deliveries,
  imports,
  news,
  notifications,
  orderDrafts,
  orderItems,
  orderMessages,
  passkeys,
  products,
  savedViews,
  sessions,
  stocks,
  trash,
  users,
  webhookDeliveries,
  webhookMessages,
  webhooks,
} from '../src/database/schema/index.ts'
import { createAccount } from '../src/modules/users/accounts.ts'
import { accessTable, type Line } from './access-table.ts'
import { tokenFor } from './support/api.ts'
import { type Browser, type Cabinet, htmx, startCabinet } from './support/cabinet.ts'
import { grant, names, password, revoke } from './support/cast.ts'
import { countWrites } from './support/count-writes.ts'
import { insertJob } from './support/jobs.ts'
import { insertEntry, insertPayment } from './support/ledger.ts'
import { takingBack } from './support/taking-back.ts'
import { withoutThreads } from './support/without-threads.ts'

// An outsider's script: it knows addresses, people and the table, and nothing of how the service decides.

const unknown = 999_999
const people = [...names.filter((name) => name !== 'ivan'), 'editor', 'viewer', 'petra', 'nobody']

const views: PolicyKey[] = policyKeys.filter((key) => /_can_view$/.test(key) && !key.includes('_manager_can_'))
const petras: PolicyKey[] = policyKeys.filter((key) => /^(admin|production)_can_/.test(key))

t.test('every route is in the access table, and nothing else is', async (t) => {
  const { app } = await startCabinet(t)
  const routes = app.routeTable.filter(({ method }) => method !== 'HEAD').map(({ method, url }) => `${method} ${url}`)
  const missing = routes.filter((route) => !accessTable[route])
  t.same(missing, [], 'add a line to test/access-table.ts for each: who may, by name, read from the specification and not from the code')
  t.same(
    Object.keys(accessTable).filter((route) => !routes.includes(route)),
    [],
    'these routes are gone: take their lines out of test/access-table.ts',
  )
})

t.test('every user is let in where the access table says, and nowhere else', async (t) => {
  withoutThreads(t)
  const cabinet = await startCabinet(t)
  const records = await plant(cabinet)
  const writes = countWrites(cabinet.db)
  const browsers = new Map<string, Browser>()
  for (const name of people) browsers.set(name, await browserOf(cabinet, name))
  const tokens = new Map(people.flatMap((name) => tokenOf(cabinet, name)))
  // A session that has been used lately is not written to, however long this takes.
  cabinet.db
    .update(sessions)
    .set({ seen_at: Date.now() + 3600_000 })
    .run()
  for (const [route, line] of Object.entries(accessTable)) {
    const wrong: string[] = []
    for (const { record, who } of casesOf(line, records)) {
      let letIn = 0
      for (const name of people) {
        const expected = line.toSignIn ? 'sent to sign in' : expectedFor(name, who)
        // Refusals are quick, and of all that are let in two tell most.
        if (expected === 'let in' && letIn++ > 1) continue
        const { found, changed } = await ask(cabinet, browsers.get(name) as Browser, route, line, {
          record,
          signedIn: name !== 'nobody' && !line.toSignIn,
          token: tokens.get(name),
          writes,
        })
        const said = `${name}${record === undefined ? '' : ` at ${record.name}`}`
        if (found !== expected) wrong.push(`${said}: ${found} instead of ${expected}`)
        if (found !== 'let in' && !line.toSignIn && changed) wrong.push(`${said}: refused, and yet something was written`)
      }
    }
    t.same(wrong, [], route)
  }
})

interface Named {
  name: string
  id: number | string
}

/** Each record of a line with who is let in to it, and one that nobody has: it is unknown to whoever could be let in to any. */
function casesOf({ let: allowed, holders }: Line, records: Record<string, number | string>): { record?: Named; who: string }[] {
  if (typeof allowed === 'string') return [{ who: allowed }]
  const { all = '', ...each } = allowed
  const cases = Object.entries(each).map(([name, who]) => {
    const id = records[name]
    if (id === undefined) throw new Error(`no record is called ${name}`)
    return { record: { name, id }, who: `${all} ${who}` }
  })
  const any = everyone(holders ?? cases.map(({ who }) => who).join(' '))
  const nothing = any.map((name) => `${name}=404`).join(' ')
  return [...cases, { record: { name: 'an unknown one', id: unknown }, who: nothing }]
}

function everyone(list: string): string[] {
  const all = people.filter((name) => name !== 'nobody')
  return list
    .split(' ')
    .flatMap((name) => (name === 'everybody' ? all : [name.replace('=404', '')]))
    .filter(Boolean)
}

type Outcome = 'let in' | 'refused' | 'unknown' | 'sent to sign in'

function expectedFor(name: string, who: string): Outcome {
  if (who.split(' ').includes(`${name}=404`)) return 'unknown'
  if (everyone(who).includes(name)) return 'let in'
  return name === 'nobody' ? 'sent to sign in' : 'refused'
}

/** Sends the request, reads the answer as its sender would, and takes back whatever it did. */
function ask(
  cabinet: Cabinet,
  browser: Browser,
  route: string,
  { query, body = '' }: Line,
  { record, signedIn, token, writes }: { record: Named | undefined; signedIn: boolean; token: string | undefined; writes: () => number },
) {
  const [method, path] = route.split(' ') as [string, string]
  const fill = (text: string) =>
    (record ? text.replace(/:id\b|:key/, String(record.id)) : text)
      .replace(/:order/, '1')
      .replace(/:policy_key/, 'order_dealer_can_edit')
      .replace(/:key/, 'dealer_can_view')
      .replace(/:\w+|\*/g, '96')
  // Fragments, which are made faster, tell as much; the walk by access rules asks for whole pages.
  const headers = path.startsWith('/api/')
    ? { ...(method !== 'GET' && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) }
    : { ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }), ...(signedIn && htmx) }
  // That somebody was refused is written down.
  const refusals = cabinet.db.$client.prepare<[], number>("select count(*) from security_events where event = 'access-refused'").pluck()
  const changes = () => writes() - (refusals.get() as number)
  return takingBack(
    cabinet,
    async () => {
      const before = changes()
      const { statusCode, headers: answered } = await browser.send(
        method,
        fill(path) + (query ? `?${fill(query)}` : ''),
        headers,
        method === 'GET' ? undefined : fill(body || (path.startsWith('/api/') ? '{}' : '')),
      )
      return { found: outcomeOf(statusCode, String(answered.location ?? ''), record !== undefined), changed: changes() !== before }
    },
    browser,
  )
}

function outcomeOf(status: number, location: string, named: boolean): Outcome {
  if (status === 303 && location.startsWith('/login?next=')) return 'sent to sign in'
  if (status === 401 || (status === 303 && location === '/login')) return 'sent to sign in'
  if (status === 403) return 'refused'
  return status === 404 && named ? 'unknown' : 'let in'
}

async function browserOf(cabinet: Cabinet, name: string): Promise<Browser> {
  const browser = cabinet.newBrowser()
  if (name !== 'nobody') await browser.post('/login', { email: `${name}@example.com`, password })
  return browser
}

/** A token that has been used lately from where it is used, so that nothing is written of it. */
function tokenOf(cabinet: Cabinet, name: string): [string, string][] {
  const user = cabinet.db
    .select()
    .from(users)
    .where(eq(users.email, `${name}@example.com`))
    .get()
  const used = { last_used_at: Date.now() + 3600_000, last_address: '127.0.0.1', networks: ['127.0.0.1'] }
  return user ? [[name, tokenFor(cabinet, user.id, used)]] : []
}

/** Three more administrators, and what only their rights and the records of the table need. */
async function plant({ db, cast, as }: Cabinet): Promise<Record<string, number | string>> {
  const hash = String(db.select().from(users).where(eq(users.id, cast.root)).get()?.password)
  const administrator = (name: string, keys: readonly PolicyKey[]) => {
    const account = { lastname: name, name, email: `${name}@example.com`, password: hash }
    const id = createAccount(db, group.administrator, account, { id: null, name: 'The test' })
    revoke(db, id, ...policyKeys.filter((key) => name === 'viewer' && !views.includes(key)))
    grant(db, id, ...keys)
    return id
  }
  const editor = administrator('editor', policyKeys)
  administrator('viewer', views)
  const petra = administrator('petra', petras)
  const root = await as('root')
  const insert = (query: { run: () => { lastInsertRowid: number | bigint } }) => Number(query.run().lastInsertRowid)
  const draft = insert(db.insert(news).values({ name: 'Draft', published: false }))
  const denisNotified = insert(db.insert(notifications).values({ user_id: cast.denis, status_name: 'New', created_at: 1 }))
  const view = { user_id: cast.denis, list: 'orders', name: 'Mine', query: 'waiting=1', created_at: 1 }
  const denisView = insert(db.insert(savedViews).values(view))
  const passkey = { name: 'Phone', credential_id: 'a', public_key: 'a', counter: 0, transports: [], user_handle: 'a', created_at: 1 }
  const denisPasskey = insert(db.insert(passkeys).values({ ...passkey, user_id: cast.denis }))
  tokenFor({ db }, cast.denis)
  const denisToken = db.select().from(apiTokens).get()?.id as number
  const webhook = insert(db.insert(webhooks).values({ url: 'https://example.com/', secret: 'whsec_', events: [], created_at: 1 }))
  const told = insert(db.insert(webhookMessages).values({ message_id: 'msg_1', type: 'webhook.test', at: 1, body: '{}' }))
  const published = insert(db.insert(news).values({ name: 'Published', published: true }))
  const south = insert(db.insert(stocks).values({ name: 'South', search: 'south' }))
  await root.post('/company/add', { org: 'Binned' })
  const product = insert(db.insert(products).values({ article: 'A-1', name: 'Window' }))
  const binned = db.$client.prepare("select id from companies where org = 'Binned'").pluck().get() as number
  await root.post('/companies/delete', { id: binned })
  const alphasFile = await uploadTo(root, cast.companies.alpha)
  await (await as('plain')).post('/rights/requests', { policy_key: 'company_can_view', note: 'Please' })
  const message = ({ order, maria }: Cabinet['cast'], internal: boolean) =>
    insert(
      db.insert(orderMessages).values({
        order_id: order,
        at: 1,
        author_id: maria,
        author_name: 'Petrova Maria',
        author_group: group.manager,
        text: 'Hello',
        internal,
      }),
    )
  const line = { order_id: cast.order, name: 'Window', quantity: 1, price: 0, discount: 0, files: ['dealer_can_view'] }
  db.insert(orderItems).values(line).run()
  const { companies, ...rest } = cast
  return {
    ...rest,
    ...companies,
    editor,
    petra,
    draft,
    published,
    south,
    product,
    north: cast.stock,
    first: 1,
    alphasFile,
    binnedCompany: db.select().from(trash).get()?.id as number,
    mariasMessage: message(cast, false),
    mariasNote: message(cast, true),
    plainsRequest: db.select().from(accessRequests).get()?.id as number,
    denisNotified,
    denisJob: insertJob(db, cast.denis),
    denisView,
    denisPasskey,
    denisPayment: insertPayment(db, cast.order),
    alphasEntry: insertEntry(db, cast.companies.alpha),
    denisToken,
    denisDraft: insert(db.insert(orderDrafts).values({ user_id: cast.denis, fields: [], created_at: 1, opened_at: Date.now() })),
    permissionSet: 1,
    rootsImport: insert(
      db.insert(imports).values({
        user_id: cast.root,
        list: 'companies',
        file_name: 'a.csv',
        headers: ['org'],
        row_count: 1,
        fields: ['org'],
        key_field: 'org',
        created_at: Date.now(),
      }),
    ),
    rootsStatement: insert(
      db.insert(imports).values({
        user_id: cast.root,
        list: 'payments',
        file_name: 'statement.txt',
        headers: ['date', 'amount', 'purpose'],
        row_count: 1,
        fields: ['date', 'amount', 'purpose'],
        key_field: '',
        created_at: Date.now(),
      }),
    ),
    delivery: insert(db.insert(deliveries).values({ notification_id: denisNotified, channel: 'email', next_at: 1 })),
    webhook,
    webhookDelivery: insert(db.insert(webhookDeliveries).values({ webhook_id: webhook, message_id: told, next_at: Date.now() + 3600_000 })),
  }
}

async function uploadTo(browser: Browser, company: number): Promise<string> {
  const part = (name: string, more: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="files[0][${name}]"${more}\r\n\r\n${value}\r\n`
  const body = `${part('name', '', 'Contract')}${part('file', '; filename="a.txt"', 'abc')}--x--\r\n`
  await browser.send('POST', `/company/edit/${company}`, { 'content-type': 'multipart/form-data; boundary=x' }, body)
  return 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
}
