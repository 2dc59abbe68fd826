import { eq } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, orderHistory, orderMessages, submissions, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { type Answer, type Fields, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { fieldOf, hiddenOf, parseHtml, textsByRole } from '../support/html.ts'
import { insertOrder, line, transitionBetween } from '../support/orders.ts'
import { dayIn } from '../support/products.ts'

const six = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, send))

t.test('the same bulk transition six times at once moves each order once, and all six get its report', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const ids = Array.from({ length: 4 }, () => insertOrder(cabinet, 'new'))
  const root = await as('root')
  for (const once of ['the same', 'x'.repeat(200)]) {
    const [from, to] = once === 'the same' ? ['new', 'apply'] : ['apply', 'canceled']
    const fields: Fields = { transition_id: transitionBetween(cabinet, from as string, to as string).id, id: ids, once }
    const before = db.select().from(orderHistory).all().length
    const answers = await six(() => root.post('/orders/transitions', fields))
    t.same(
      answers.map(({ statusCode, body }) => [statusCode, body.match(/data-moved="1"/g)?.length]),
      answers.map(() => [200, 4]),
    )
    t.equal(db.select().from(orderHistory).all().length, before + 4)
  }
})

t.test('the same change of many dealers six times at once changes each once', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const answers = await six(() => root.post('/dealers/change', { id: [cast.denis, cast.daria], account: '0', once: 'the same' }))
  t.same(
    answers.map(({ statusCode }) => statusCode),
    answers.map(() => 200),
  )
  t.equal(
    db
      .select()
      .from(changes)
      .where(eq(changes.record_id, cast.denis))
      .all()
      .filter(({ action }) => action === 'update').length,
    1,
  )
})

t.test('the same deletion six times at once leads to the list six times', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const answers = await six(() => root.post('/dealers/delete', { id: [cast.denis, cast.daria], once: 'the same' }))
  t.same(
    answers.map(({ statusCode, headers }) => [statusCode, headers.location]),
    answers.map(() => [303, '/dealers']),
  )
})

t.test('a hand-over sent twice hands over once', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const send = () => root.post(`/managers/${cast.maria}/hand-over`, { hand_over_to: cast.mikhail, once: 'the same' })
  const [first, second] = [await send(), await send()]
  t.same([first.statusCode, second.statusCode, second.headers.location], [303, 303, first.headers.location])
  t.same(db.select().from(companies).where(eq(companies.manager_id, cast.maria)).all(), [])
})

t.test('a key that another form has used is refused (409), whatever either leads to', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  grant(db, cast.maria, 'order_can_view')
  const root = await as('root')
  const move: Fields = { transition_id: transitionBetween(cabinet, 'new', 'apply').id, id: insertOrder(cabinet, 'new') }
  t.equal((await root.post('/orders/transitions', { ...move, once: 'a report' })).statusCode, 200)
  t.equal((await root.post(`/orders/${cast.order}/messages`, { text: 'Hello', once: 'a page' })).statusCode, 303)
  const refused = [
    await root.post(`/orders/${cast.order}/messages`, { text: 'Again', once: 'a report' }),
    await root.post('/orders/transitions', { ...move, once: 'a page' }),
    await root.post('/dealers/change', { id: cast.denis, account: '0', once: 'a report' }),
    await root.post('/categories/add', { name: 'A category', once: 'a page' }),
    await root.post('/dealers/delete', { id: cast.denis, once: 'a page' }),
  ]
  t.same(
    refused.map(({ statusCode }) => statusCode),
    refused.map(() => 409),
  )
  t.equal(db.select().from(orderMessages).all().length, 1)
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.active, true)
  const maria = await as('maria')
  t.equal((await maria.post(`/orders/${cast.order}/messages`, { text: 'Mine', once: 'a page' })).statusCode, 303)
  const texts = db.select({ text: orderMessages.text }).from(orderMessages).all()
  t.same(texts, [{ text: 'Hello' }, { text: 'Mine' }], 'keys are of one person')
})

t.test(
  'a key sent again with other values is refused (409): the form stands there with them, with a new key and a link to what was saved',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { as, db, cast } = cabinet
    grant(db, cast.maria, 'order_can_view')
    const [root, clerk, denis] = [await as('root'), await as('clerk'), await as('denis')]
    const [first, second] = [insertOrder(cabinet, 'new'), insertOrder(cabinet, 'new')]
    const step = transitionBetween(cabinet, 'new', 'apply').id
    const order: Fields = { dealer_id: cast.denis, receiver: 'Ivanova', items: '' }
    const hook = (url: string): Fields => ({ url, events: 'order.created' })
    const forms: [who: typeof root, path: string, sent: Fields, other: Fields, shown?: string][] = [
      [
        denis,
        '/orders/add',
        { ...order, ...line(0, cast.category, 'Door', 1, 100) },
        { ...order, ...line(0, cast.category, 'Door', 9, 100) },
        'items[0][quantity]',
      ],
      [root, '/company/add', { org: 'One' }, { org: 'Two' }, 'org'],
      [root, `/company/edit/${cast.companies.alpha}`, { phone: '11111' }, { phone: '22222' }, 'phone'],
      [root, `/orders/${cast.order}/messages`, { text: 'One' }, { text: 'Two' }, 'text'],
      [root, `/orders/${first}/transition`, { transition_id: step, note: 'one' }, { transition_id: step, note: 'two' }],
      [root, '/orders/transitions', { transition_id: step, id: second, note: 'one' }, { transition_id: step, id: second, note: 'two' }],
      [root, '/dealers/change', { id: cast.denis, account: '1' }, { id: cast.denis, account: '0' }, 'account'],
      [root, '/dealers/delete', { id: cast.vera }, { id: cast.daria }],
      [root, `/managers/${cast.maria}/hand-over`, { hand_over_to: cast.mikhail }, { hand_over_to: 'none' }],
      [root, '/profile/tokens', { name: 'One' }, { name: 'One', expires: dayIn(10) }, 'expires'],
      [root, '/webhooks', hook('https://example.com/one'), hook('https://example.com/two'), 'url'],
      [clerk, '/rights/requests', { policy_key: 'company_can_view', note: 'one' }, { policy_key: 'company_can_view', note: 'two' }],
    ]
    for (const [who, path, sent, other, shown] of forms) {
      const once = `key of ${path}`
      const saved = await who.post(path, { ...sent, once })
      t.ok([200, 303].includes(saved.statusCode), `${path}: ${saved.statusCode}`)
      const again = await who.post(path, { ...sent, once })
      // Only the first answer has the secret of a token or a webhook.
      const isSecret = ['/profile/tokens', '/webhooks'].includes(path)
      t.equal(again.statusCode, isSecret ? 303 : saved.statusCode, `${path} with the same values`)
      if (saved.statusCode === 303) t.equal(again.headers.location, saved.headers.location)
      const before = written(cabinet)
      const answer = await who.post(path, { ...other, once })
      t.equal(answer.statusCode, 409, path)
      t.equal(written(cabinet), before, `${path}: nothing of it is saved`)
      if (shown) t.equal(fieldOf(answer, shown)?.value, String(other[shown]), `${path}: ${shown}`)
      t.notOk(hiddenOf(answer, 'once').includes(once))
      if (!path.includes('transition') && path !== '/rights/requests') t.ok(hiddenOf(answer, 'once').length > 0, `${path}: a new key`)
      if (path.endsWith('/transition')) continue
      t.match(textsByRole(answer, 'alert').join(), 'This form was already sent with other values, and those were saved.', path)
      if (saved.statusCode === 303) t.ok(linksOf(answer).includes(String(saved.headers.location)), `${path}: a link to what was saved`)
    }
  },
)

t.test('a program that uses a key again with other values is told so (409)', async (t) => {
  const cabinet = await startCabinet(t)
  const { db } = cabinet
  const root = clientOf(cabinet, 'root')
  const key = { 'idempotency-key': 'one' }
  const made = await root.post('/companies', { org: 'One', phone: '1' }, key)
  t.equal(made.statusCode, 201)
  t.equal((await root.post('/companies', { phone: '1', org: 'One' }, key)).json().id, made.json().id, 'in any order')
  const count = db.select().from(companies).all().length
  const refused = await root.post('/companies', { org: 'Two' }, key)
  t.match(refused.json(), { status: 409, detail: 'This key was already used with other values. Nothing was saved.' })
  t.equal(db.select().from(companies).all().length, count)
})

t.test('what is kept of the values with a key tells no password', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const change = (password: string) => root.post(`/dealers/edit/${cast.denis}`, { phone: '11111', password, once: 'one' })
  await change('one good password')
  const [kept] = db.select().from(submissions).all()
  db.delete(submissions).run()
  await change('another good password')
  t.ok(kept?.sent)
  t.equal(db.select().from(submissions).get()?.sent, kept?.sent)
})

const linksOf = (answer: Answer) =>
  parseHtml(answer.body)('#messages a')
    .toArray()
    .map((link) => (link as { attribs: Record<string, string> }).attribs.href)

/** How much there is of everything. */
function written({ db }: { db: Parameters<typeof grant>[0] }): string {
  return JSON.stringify(
    [changes, companies, orderHistory, orderMessages, users, submissions].map((table) => db.select().from(table).all().length),
  )
}

t.test('a bulk form sent again with other values leads to the report on what was done, which is only for who did it', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const step = { id: cast.order, transition_id: 1 }
  const forms: [string, Fields, Fields][] = [
    ['/dealers/change', { id: cast.denis, account: '0' }, { id: cast.denis, account: '1' }],
    ['/orders/transitions', { ...step, comment: 'a' }, { ...step, comment: 'b' }],
  ]
  for (const [path, first, other] of forms) {
    t.equal((await root.post(path, { ...first, once: `k ${path}` })).statusCode, 200, path)
    const again = await root.post(path, { ...other, once: `k ${path}` })
    t.equal(again.statusCode, 409)
    const link = parseHtml(again.body)('#messages a:not([hidden])').attr('href') as string
    t.equal(link, `${path}?${new URLSearchParams({ report: `k ${path}` })}`)
    t.match((await root.get(link)).body, /data-result="\d+"/)
    t.notMatch((await (await as('admin')).get(link)).body, 'data-result')
  }
})
