import { eq } from 'drizzle-orm'
import t from 'tap'
import { savedViews, secondFactors, sessions } from '../../src/database/schema/index.ts'
import { type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { addressesOf, ask } from '../support/every-route.ts'
import { notifyRecipients } from '../support/notify.ts'
import { listen } from '../support/stream.ts'

const setUp = '/profile?tab=security'

/** What setting up a second factor, or a passkey in its place, needs: its page, the password once more where it was given long ago, language and theme. */
const needed = [
  'GET /profile',
  'HEAD /profile',
  'POST /profile/factor',
  'POST /profile/passkeys/options',
  'POST /profile/passkeys',
  'GET /confirm-identity',
  'HEAD /confirm-identity',
  'POST /confirm-identity',
  'GET /resume/:form',
  'POST /preferences',
]

/** Names and addresses that only pages of the cabinet hold. */
const contents = /Denis|Vera|Alpha|Бета|Everything urgent|href="\/(orders|dealers|news|notifications|find)|id="bell"/

const people: Name[] = ['root', 'maria', 'pavel']

const requireFactor = ({ app }: Cabinet) => Object.assign(app.config, { secondFactor: 'staff' })

const lead = ({ headers, statusCode }: Awaited<ReturnType<typeof ask>>) =>
  (statusCode === 303 && headers.location === setUp) || (statusCode === 401 && headers['hx-redirect'] === setUp)

t.test('before a mandatory second factor is set up no route answers anything of the cabinet', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, cast, db } = cabinet
  notifyRecipients(cabinet, [cast.root, cast.maria, cast.pavel])
  for (const name of people) {
    await as(name)
    const view = { user_id: cast[name as 'root'], name: 'Everything urgent', list: 'orders', query: '', created_at: 1 }
    db.insert(savedViews).values(view).run()
  }
  t.match((await (await as('maria')).get(`/orders/${cast.order}/timeline`)).statusCode, 200, 'until it is required')
  requireFactor(cabinet)
  const routes = app.routeTable.filter(({ access }) => access !== 'public')
  for (const name of people) {
    const answered = new Set<string>()
    for (const route of routes)
      for (const { path } of addressesOf(cabinet, route).slice(0, 1))
        for (const headers of [{}, htmx, { accept: 'text/event-stream' }] as Record<string, string>[]) {
          const answer = await ask(cabinet, await as(name), route, path, headers)
          if (!lead(answer) && answer.statusCode !== 403) answered.add(`${route.method} ${route.url}`)
          if (contents.test(answer.body)) t.fail(`${name}: ${route.method} ${path} tells ${contents.exec(answer.body)?.[0]}`)
        }
    t.same([...answered].sort(), [...needed].sort(), name)
  }
})

t.test('the page that sets up the second factor shows nothing else, whatever its tab', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  requireFactor(cabinet)
  for (const path of [setUp, '/profile', '/profile?tab=sessions', '/profile?tab=nothing', '/confirm-identity']) {
    const { body, statusCode } = await maria.get(path)
    t.equal(statusCode, 200, path)
    t.notMatch(body, contents, path)
    t.notMatch(body, /name="phone"|sessions-\d/, path)
    t.match(body, '/logout', `${path}: one can leave`)
  }
  t.equal((await maria.get('/nowhere')).headers.location, setUp, 'nor does a missing page')
})

t.test('nobody goes on impersonating without the second factor that has become mandatory', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const maria = await as('maria')
  await maria.get(`/impersonate/${cast.denis}`)
  t.match((await maria.get('/')).body, 'id="impersonation"')
  requireFactor(cabinet)
  t.match((await maria.get('/notifications/unread')).headers.location, /^\/login/)
  t.equal((await maria.get('/orders')).headers.location, '/', 'it is over')
  t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.maria)).get()?.acting_as_id, null)
  t.equal((await maria.get('/orders')).headers.location, setUp)
})

t.test('an open page hears nothing more once whoever is signed in there has to set up a second factor again', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const factorOf = (user_id: number) =>
    db.insert(secondFactors).values({ user_id, secret: 'JBSWY3DPEHPK3PXP', last_step: 0, created_at: 1 }).run()
  const [pavel, maria] = [await as('pavel'), await as('maria')]
  factorOf(cast.pavel)
  factorOf(cast.maria)
  requireFactor(cabinet)
  await maria.get(`/impersonate/${cast.denis}`)
  const streams = [await listen(t, cabinet, pavel), await listen(t, cabinet, maria)] as const
  const heard = () => Promise.all(streams.map(({ next }) => next()))
  const notify = () => notifyRecipients(cabinet, [cast.pavel, cast.denis])
  await heard()
  notify()
  t.same(await heard(), ['unread 1 1 unread notification', 'unread 1 1 unread notification'], 'the dealer needs none')
  db.delete(secondFactors).run()
  notify()
  t.same(await heard(), ['end', 'end'])
})

t.test('an open page ends soon after a second factor is missing, even when nothing happens', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const pavel = await as('pavel')
  const factor = { user_id: cast.pavel, secret: 'JBSWY3DPEHPK3PXP', last_step: 0, created_at: 1 }
  db.insert(secondFactors).values(factor).run()
  requireFactor(cabinet)
  const { next } = await listen(t, cabinet, pavel)
  const signedOut = await listen(t, cabinet, await as('denis'))
  t.match(await Promise.all([next(), signedOut.next()]), [/^unread/, /^unread/])
  db.delete(secondFactors).run()
  db.delete(sessions).where(eq(sessions.user_id, cast.denis)).run()
  t.equal(await signedOut.next(), 'end', 'all open pages are looked at')
  db.insert(secondFactors).values(factor).run()
  notifyRecipients(cabinet, [cast.pavel])
  t.equal(await next(), 'end')
})
