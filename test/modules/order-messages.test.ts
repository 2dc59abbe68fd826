import { eq, isNull } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { allows } from '../../src/core/access.ts'
import { linkParts } from '../../src/core/plain-text.ts'
import {
  companies,
  deliveries,
  manufactures,
  notifications,
  orderMessageEdits,
  orderMessageFiles,
  orderMessages,
  orders,
  statusTransitions,
  users,
} from '../../src/database/schema/index.ts'
import { personFinder } from '../../src/http/access/person-reader.ts'
import { orderAccess } from '../../src/modules/orders/access.ts'
import { findOrder, type Order } from '../../src/modules/orders/order.ts'
import { readersOf } from '../../src/modules/orders/recipients.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, names } from '../support/cast.ts'
import { elementsOf, errorsOf, parseHtml, textOf, textsByRole } from '../support/html.ts'

const notifiedOf = ({ db }: Cabinet, id: number) =>
  db
    .select({ user: notifications.user_id })
    .from(notifications)
    .where(eq(notifications.message_id, id))
    .all()
    .map(({ user }) => user)

const newest = ({ db }: Cabinet) => db.select().from(orderMessages).all().at(-1) as typeof orderMessages.$inferSelect

async function send(browser: Browser, order: number, fields: Record<string, string>, files: [name: string, content: string][] = []) {
  const texts = Object.entries(fields).map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  const parts = files.map(
    ([name, content]) => `--x\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\n\r\n${content}\r\n`,
  )
  const body = `${[...texts, ...parts].join('')}--x--\r\n`
  return browser.send('POST', `/orders/${order}/messages`, { 'content-type': 'multipart/form-data; boundary=x' }, body)
}

t.test('a dealer asks in the discussion of an order, the manager is notified and replies', async (t) => {
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'cabinet@example.com' } })
  const { cast, as, db } = cabinet
  const [denis, maria] = [await as('denis'), await as('maria')]

  const asked = await send(denis, cast.order, { text: 'When is it <b>ready</b>? See https://example.com/a.', once: 'one' })
  t.equal(asked.statusCode, 303)
  const question = newest(cabinet)
  t.equal(asked.headers.location, `/orders/${cast.order}#message-${question.id}`)
  t.same(notifiedOf(cabinet, question.id), [cast.maria], 'the manager of the company is notified, and its author is not')
  t.equal(db.select().from(deliveries).all().length, 1, 'by mail too')
  t.match((await maria.get('/orders')).body, /New message/, 'the list marks the order')
  t.match((await maria.get('/notifications')).body, new RegExp(`/orders/${cast.order}#message-${question.id}`))

  const page = await maria.get(`/orders/${cast.order}`)
  t.match(page.body, `data-message="${question.id}"`)
  t.match(
    page.body,
    'When is it &lt;b&gt;ready&lt;/b&gt;? See <a href="https://example.com/a"',
    'plain text, with links made by the server',
  )
  t.notMatch((await maria.get('/orders')).body, /New message/, 'reading takes the mark off')

  await denis.get(`/orders/${cast.order}`)
  await send(maria, cast.order, { text: 'Tomorrow' })
  const answer = newest(cabinet)
  t.same(notifiedOf(cabinet, answer.id), [cast.denis])
  t.match((await denis.get(`/orders/${cast.order}`)).body, /New since your last visit[\s\S]*Tomorrow/)

  const said = { text: 'When is it <b>ready</b>? See https://example.com/a.', once: 'one' }
  t.equal((await send(denis, cast.order, said)).headers.location, asked.headers.location, 'said twice, done once')
  t.equal(db.select().from(orderMessages).all().length, 2)
})

t.test('reading an order marks its messages as read for the reader, not those of another order nor for somebody else', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const order = { status_id: 1, dealer_id: cast.denis, company_id: cast.companies.alpha }
  const other = Number(db.insert(orders).values(order).run().lastInsertRowid)
  const denis = await as('denis')
  for (const id of [cast.order, other]) await send(denis, id, { text: 'Ready, @Romanov?' })
  await (await as('maria')).get(`/orders/${cast.order}`)
  const { user_id, order_id, read_at } = notifications
  const unread = db.select({ order_id, user_id }).from(notifications).where(isNull(read_at)).orderBy(order_id, user_id).all()
  t.same(unread, [
    { order_id: cast.order, user_id: cast.roman },
    { order_id: other, user_id: cast.maria },
    { order_id: other, user_id: cast.roman },
  ])
})

t.test('internal messages and their files reach staff only', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  grant(db, cast.admin, 'order_can_view')
  const maria = await as('maria')
  const dealers: Name[] = ['denis', 'roman', 'daria']
  await send(maria, cast.order, { text: 'hush @Denisov', internal: '1' }, [['secret.txt', 'a secret of the staff']])
  const message = newest(cabinet)
  t.equal(message.internal, true)
  t.same(notifiedOf(cabinet, message.id), [], 'not even a dealer who is mentioned')
  t.match((await maria.get('/')).body, /Not notified.*@Denisov/, 'and its author is told so')
  const key = db.$client.prepare('select file from order_message_files').pluck().get()
  t.equal((await (await as('admin')).get(`/files/${key}`)).statusCode, 200)
  for (const name of dealers) {
    const dealer = await as(name)
    t.equal((await dealer.get(`/files/${key}`)).statusCode, 403, `${name} asks for its file`)
    t.equal((await dealer.post(`/orders/${cast.order}/messages/${message.id}`, { text: 'x' })).statusCode, 404, `${name} changes it`)
    for (const path of [
      `/orders/${cast.order}`,
      `/orders/${cast.order}/timeline`,
      `/orders/edit/${cast.order}?tab=history`,
      '/orders?q=hus',
      '/notifications',
      '/bin',
    ])
      t.notMatch((await dealer.get(path)).body, /hush|secret\.txt|data-internal/, `${name} reads ${path}`)
  }
  t.equal((await send(await as('denis'), cast.order, { text: 'x', internal: '1' })).statusCode, 403, 'a dealer cannot write one')
  const root = await as('root')
  await root.post(`/impersonate/${cast.denis}`)
  t.notMatch((await root.get(`/orders/${cast.order}`)).body, /hush/, 'nor does somebody who acts as a dealer see it')
})

t.test('for any messages by any users, only staff read internal ones', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const authors = fc.constantFrom<Name>('maria', 'denis', 'root', 'roman')
  const messages = fc.array(fc.record({ author: authors, internal: fc.boolean(), mention: fc.boolean() }), { minLength: 1, maxLength: 6 })
  let number = 0
  await fc.assert(
    fc.asyncProperty(messages, async (list) => {
      for (const { author, internal, mention } of list) {
        number++
        const dealers = author === 'denis' || author === 'roman'
        const mark = internal && !dealers ? `hidden-${number}` : `open-${number}`
        await send(
          await as(author),
          cast.order,
          { text: `${mark}${mention ? ' @Denisov @Petrova' : ''}`, internal: internal && !dealers ? '1' : '0' },
          [[`${mark}.txt`, mark]],
        )
        const { id } = newest(cabinet)
        const told = notifiedOf(cabinet, id)
        if (mark.startsWith('hidden') && [cast.denis, cast.roman].some((dealer) => told.includes(dealer))) return false
      }
      const pages = await Promise.all(
        ['denis', 'roman'].map(async (name) => (await as(name as Name)).get(`/orders/${cast.order}?shown=1000`)),
      )
      const staff = await (await as('maria')).get(`/orders/${cast.order}?shown=1000`)
      return pages.every(({ body }) => !body.includes('hidden-')) && staff.statusCode === 200
    }),
    { numRuns: 8 },
  )
})

t.test('the readers of an order are the users whom its access rule allows', async (t) => {
  const { cast, db } = await startCabinet(t)
  grant(db, cast.mikhail, 'order_can_view')
  const beta = Number(
    db.insert(orders).values({ status_id: 1, dealer_id: cast.daria, company_id: cast.companies.beta }).run().lastInsertRowid,
  )
  db.$client.prepare('update companies set manufacture_id = ? where id = ?').run(cast.site, cast.companies.beta)
  for (const id of [cast.order, beta]) {
    const order = findOrder(db, id) as Order
    const byRule = names
      .filter((name) => name !== 'ivan' && allows(orderAccess.view, personFinder(db)(cast[name]) as never, order))
      .map((name) => cast[name])
    t.same(
      readersOf(db, order, { internal: false })
        .map((reader) => reader.id)
        .sort(),
      byRule.sort(),
    )
    t.notOk(readersOf(db, order, { internal: true }).some(({ group_id }) => group_id === 2))
  }
})

t.test('invalid messages are refused and change nothing', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const denis = await as('denis')
  const count = () => db.select().from(orderMessages).all().length
  const cases: [string, Record<string, string>, number][] = [
    ['an empty message', { text: '  \r\n' }, 422],
    ['100,000 characters', { text: 'ё'.repeat(100_000) }, 422],
    ['another mark than 0 and 1', { text: 'x', internal: 'yes' }, 422],
    ['a file that nobody uploaded', { text: 'x', 'files[stored]': 'a'.repeat(64) }, 422],
  ]
  for (const [title, fields, status] of cases) t.equal((await send(denis, cast.order, fields)).statusCode, status, title)
  t.match(errorsOf(await send(denis, cast.order, { text: 'ё'.repeat(10_001) })).text, 'Up to 10000 characters')
  t.equal((await send(await as('daria'), cast.order, { text: 'x' })).statusCode, 403, 'a stranger')
  t.equal(count(), 0)
  const many = Array.from({ length: 50 }, (_, index) => [`${index}.txt`, `content ${index}`] as [string, string])
  t.equal((await send(denis, cast.order, { text: '' }, many)).statusCode, 303, '50 files and no text')
  t.equal(elementsOf((await denis.get(`/orders/${cast.order}`)).body, '.message-files .stored-file').length, 50)
  await send(denis, cast.order, { text: 'ask @Sidorov and @Petrova Maria, a@example.com' })
  t.same(notifiedOf(cabinet, newest(cabinet).id), [cast.maria], 'who may not see the order is not notified')
  t.match(textsByRole(await denis.get('/'), 'status').join(), /Not notified.*@Sidorov$/)
  for (const [count, said] of [
    [50, ''],
    [51, 'Sent. Only the first 50 mentions were read.'],
  ] as const) {
    await send(denis, cast.order, { text: '@Petrova '.repeat(count) })
    t.equal(textsByRole(await denis.get('/'), 'status').join(), said, `${count} mentions`)
  }
})

t.test('of a message the last mark of its switch counts, each file once, and its tabs stay', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const maria = await as('maria')
  await send(maria, cast.order, { text: 'first' }, [['plan.txt', 'a plan']])
  const key = String(db.$client.prepare('select file from order_message_files').pluck().get())
  const fields = { text: 'width\t120\u0007\nheight\t80', internal: ['0', '1'], 'files[stored]': [key, key] }
  t.equal((await maria.post(`/orders/${cast.order}/messages`, fields)).statusCode, 303)
  const { id, text, internal } = newest(cabinet)
  t.same([text, internal], ['width\t120\nheight\t80', true])
  t.equal(db.select().from(orderMessageFiles).where(eq(orderMessageFiles.message_id, id)).all().length, 1)
})

t.test('authors edit and withdraw their own messages only', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const [denis, root] = [await as('denis'), await as('root')]
  await send(denis, cast.order, { text: 'draft-1' }, [['plan.txt', 'a plan']])
  const { id } = newest(cabinet)
  t.equal(parseHtml((await denis.get(`/orders/${cast.order}?edit=${id}`)).body)('#edit-text').text(), '\ndraft-1')
  t.equal((await root.post(`/orders/${cast.order}/messages/${id}`, { text: 'mine' })).statusCode, 403, 'nobody edits what others wrote')
  t.equal((await denis.post(`/orders/999/messages/${id}`, { text: 'draft-2' })).statusCode, 404, 'only under its own order')
  t.equal((await denis.post(`/orders/${cast.order}/messages/${id}`, { text: 'draft-2' })).statusCode, 303)
  t.same(db.select({ text: orderMessageEdits.text }).from(orderMessageEdits).all(), [{ text: 'draft-1' }])
  t.notMatch(
    (await (await as('maria')).get(`/orders/${cast.order}`)).body,
    /draft-1/,
    'earlier versions are for those who read the history',
  )
  t.equal(parseHtml((await root.get(`/orders/${cast.order}`)).body)('del').text(), 'draft-1')
  t.equal((await denis.post(`/orders/${cast.order}/messages/${id}/withdraw`)).statusCode, 303)
  const withdrawn = (await (await as('maria')).get(`/orders/${cast.order}`)).body
  t.match(withdrawn, /Message withdrawn/)
  t.notMatch(withdrawn, /draft-2|plan\.txt/)
  const key = db.$client.prepare('select file from order_message_files').pluck().get()
  t.equal((await (await as('maria')).get(`/files/${key}`)).statusCode, 403)
  t.equal((await denis.post(`/orders/${cast.order}/messages/${id}`, { text: 'third' })).statusCode, 409)
})

t.test('messages are deleted and restored with their order', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const root = await as('root')
  await send(root, cast.order, { text: 'kept', internal: '1' }, [['kept.txt', 'kept']])
  const question = await (await as('denis')).get(`/orders/delete?id=${cast.order}`)
  t.notMatch(question.body, /messages? will/, 'a dealer who deletes the order is not told of internal messages')
  await root.post('/orders/delete', { id: cast.order })
  t.equal(db.select().from(orderMessages).all().length, 0)
  await root.post(`/bin/${db.$client.prepare('select id from trash').pluck().get()}/restore`)
  t.match((await root.get(`/orders/${cast.order}`)).body, /kept\.txt/)
})

t.test('addresses in a message become links, without the punctuation after them', async (t) => {
  t.same(linkParts('(see https://a.example/x_(y)).'), [
    { text: '(see ' },
    { text: 'https://a.example/x_(y)', href: 'https://a.example/x_(y)' },
    { text: ').' },
  ])
  const hrefs = (text: string) => linkParts(text).flatMap(({ href }) => href ?? [])
  t.same(hrefs('(see https://a.example/x), «https://b.example/y»'), ['https://a.example/x', 'https://b.example/y'])
  t.same(hrefs(`"HTTPS://a.example/x" 'https://b.example/y' <https://c.example/z>`), [
    'HTTPS://a.example/x',
    'https://b.example/y',
    'https://c.example/z',
  ])
  t.same(linkParts('see http://[x and https://a.example'), [
    { text: 'see http://[x and ' },
    { text: 'https://a.example', href: 'https://a.example' },
  ])
  t.same(linkParts('javascript:alert(1)'), [{ text: 'javascript:alert(1)' }])
  const letters = Array.from({ length: 254 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')
  t.same(hrefs(`http://${letters} https://a.example/${letters}`), [`https://a.example/${letters}`], 'no host is longer than hosts are')
  fc.assert(
    fc.property(
      fc.string(),
      (text) =>
        linkParts(text)
          .map((part) => part.text)
          .join('') === text,
    ),
  )
})

t.test("production users are notified of messages only while the order is in production's hands", async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  db.$client.prepare('update companies set manufacture_id = ? where id = ?').run(cast.site, cast.companies.alpha)
  const denis = await as('denis')
  await send(denis, cast.order, { text: 'new' })
  t.same(notifiedOf(cabinet, newest(cabinet).id), [cast.maria])
  db.update(orders).set({ status_id: 5 }).where(eq(orders.id, cast.order)).run()
  await send(denis, cast.order, { text: 'in production' })
  t.same(notifiedOf(cabinet, newest(cabinet).id).sort(), [cast.maria, cast.pavel].sort())
  const next = eq(statusTransitions.parent_status_id, 5)
  db.update(statusTransitions).set({ production_can: false, productions_can: false }).where(next).run()
  await send(denis, cast.order, { text: 'in the hands of others' })
  t.same(notifiedOf(cabinet, newest(cabinet).id), [cast.maria])
  const [step] = db.select().from(statusTransitions).where(next).all()
  const anyProduction = eq(statusTransitions.id, step?.id as number)
  db.update(statusTransitions).set({ productions_can: true }).where(anyProduction).run()
  await send(denis, cast.order, { text: 'in the hands of any production user' })
  t.same(notifiedOf(cabinet, newest(cabinet).id).sort(), [cast.maria, cast.pavel].sort())
  const site = Number(db.insert(manufactures).values({ name: 'Second site' }).run().lastInsertRowid)
  db.update(companies).set({ manufacture_id: site }).where(eq(companies.id, cast.companies.alpha)).run()
  await send(denis, cast.order, { text: 'made elsewhere' })
  t.same(notifiedOf(cabinet, newest(cabinet).id), [cast.maria], 'production of another site hears nothing of it')
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  db.update(users).set({ active: false }).where(eq(users.id, cast.pavel)).run()
  await send(denis, cast.order, { text: 'without Pavel' })
  t.same(notifiedOf(cabinet, newest(cabinet).id), [cast.maria])
})

t.test(
  'whom the @ offers: to a dealer their colleagues and manager, to staff everybody who may read the order, nobody themselves',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { cast, as, db } = cabinet
    grant(db, cast.admin, 'order_can_view')
    grant(db, cast.clerk, 'order_can_view')
    grant(db, cast.mikhail, 'order_can_view')
    const offered = async (name: Name) =>
      elementsOf((await (await as(name)).get(`/orders/${cast.order}/people`)).body, '[data-mention]')
        .map((button) => textOf(button))
        .sort()
    t.same(await offered('denis'), ['Petrova Maria Manager', 'Romanov Roman Dealer'], 'nobody else is named to dealers')
    const readers = names.filter((name) => {
      const person = personFinder(db)(cast[name])
      return person && allows(orderAccess.view, person, findOrder(db, cast.order) as Order)
    })
    for (const name of ['maria', 'admin'] as const) {
      const lastnames = (await offered(name)).map((text) => text.split(' ')[0]).sort()
      const expected = readers.filter((one) => one !== name).map((one) => personFinder(db)(cast[one])?.lastname)
      t.same(lastnames, expected.sort(), name)
    }
    t.equal((await (await as('daria')).get(`/orders/${cast.order}/people`)).statusCode, 403)

    const text = '@Adminov, @Mikhail, @Romanov, @Petrova: ready?'
    const denis = await as('denis')
    const sent = await send(denis, cast.order, { text })
    const mentioned = () => notifiedOf(cabinet, newest(cabinet).id).sort()
    t.same(mentioned(), [cast.maria, cast.roman].sort(), 'nobody whom a dealer is not offered hears of it')
    t.match(textOf((await denis.get(String(sent.headers.location))).body), 'Not notified (unknown or without access): @Adminov')
    await send(await as('maria'), cast.order, { text: '@Adminov: ready?' })
    t.ok(mentioned().includes(cast.admin), 'staff are heard by everybody')
  },
)
