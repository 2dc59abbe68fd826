import t, { type Test } from 'tap'
import { orders } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { parseHtml } from '../support/html.ts'

const stepsIn = (body: string) => {
  const page = parseHtml(body)
  return page('.first-steps li')
    .toArray()
    .map((step) => ({ text: page(step).find('a').text(), href: page(step).find('a').attr('href'), done: page(step).hasClass('is-done') }))
}

t.test('a superadministrator of a new cabinet sees the first steps, ticked as they are done, until the first order', async (t: Test) => {
  const { as, db } = await startCabinet(t)
  const order = db.select().from(orders).all()[0]
  const root = await as('root')
  t.same(stepsIn((await root.get('/')).body), [], 'not where there are orders')
  db.delete(orders).run()
  t.ok(order)
  const steps = stepsIn((await root.get('/')).body)
  t.equal(steps.length, 9)
  t.notMatch((await root.get('/')).body, /Revenue this month/, 'figures wait for an order')
  t.equal(steps.find(({ href }) => href === '/managers/add')?.done, true, 'there are managers')
  t.equal(steps.find(({ href }) => href === '/settings')?.done, false)
  for (const { href } of steps) t.equal((await root.get(String(href))).statusCode, 200, `${href} is a page`)
  await root.post('/settings', { name: 'Windows Ltd' })
  for (const step of ['time-zone', 'workflow']) t.equal((await root.post('/first-steps', { step })).statusCode, 303)
  const left = stepsIn((await root.get('/')).body).filter(({ done }) => !done)
  t.same(
    left.map(({ text }) => text),
    ['Set up email'],
  )
  t.equal((await root.post('/first-steps', { step: 'mail' })).statusCode, 422, 'mail that is not set up is not ticked')
  t.equal((await root.post('/first-steps', { step: 'everything' })).statusCode, 422)
  await root.post('/first-steps', { step: 'dismiss' })
  t.same(stepsIn((await root.get('/')).body), [])
  const admin = await as('admin')
  t.equal((await admin.post('/first-steps', { step: 'dismiss' })).statusCode, 403)
})

t.test(
  'the test email reaches the superadministrator; when the mail server rejects it, the step stays open with an error',
  async (t: Test) => {
    const server = await startMailServer(t)
    const { as, db } = await startCabinet(t, { environment: { SMTP_URL: server.url, MAIL_FROM: 'cabinet@example.com' } })
    db.delete(orders).run()
    const root = await as('root')
    const open = async () => stepsIn((await root.get('/')).body).find(({ text }) => text === 'Send yourself a test email')?.done
    server.replies.MAIL = '550 no'
    t.equal((await root.post('/first-steps', { step: 'mail' })).statusCode, 422)
    t.equal(await open(), false)
    delete server.replies.MAIL
    t.equal((await root.post('/first-steps', { step: 'mail' })).statusCode, 303)
    t.equal(await open(), true)
    t.equal(server.letters.length, 1)
    t.equal(server.letters[0]?.to, 'root@example.com')
  },
)
