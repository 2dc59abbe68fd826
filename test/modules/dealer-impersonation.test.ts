import { eq } from 'drizzle-orm'
import t from 'tap'
import type { PolicyKey } from '../../src/core/policies.ts'
import { users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { userOf } from '../support/dealers.ts'
import { elementById, elementsOf, parseHtml, textOf } from '../support/html.ts'

const unknown = 999_999

t.test('a user impersonates another', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const follow = async (by: Name, target: number | string, headers = {}) => {
    const browser = await as(by)
    const answer = await browser.get(`/impersonate/${target}`, headers)
    const context = Boolean(elementById(await browser.get('/'), 'impersonation'))
    if (context) await browser.post('/impersonate/leave')
    t.equal(context, answer.statusCode === 303, 'lasts exactly when it was allowed')
    return answer.statusCode
  }

  t.test('impersonating a user needs the permission for their group (403)', async (t) => {
    const rights: [PolicyKey, Name[]][] = [
      ['admin_can_auth', ['admin']],
      ['dealer_can_auth', ['denis', 'daria']],
      ['manager_can_auth', ['maria', 'pavel']],
    ]
    for (const [policy, allowed] of rights) {
      revoke(db, cast.clerk, 'admin_can_auth', 'dealer_can_auth', 'manager_can_auth')
      grant(db, cast.clerk, policy)
      for (const target of ['admin', 'denis', 'daria', 'maria', 'pavel'] as const)
        t.equal(await follow('clerk', cast[target]), allowed.includes(target) ? 303 : 403, `${policy} ${target}`)
    }
    revoke(db, cast.clerk, 'manager_can_auth')
  })

  t.test('a manager may impersonate dealers of other managers as well', async (t) => {
    t.equal(await follow('maria', cast.daria), 303)
  })

  t.test('nobody impersonates a deactivated user, themselves, or (unless a superadministrator) a superadministrator (403)', async (t) => {
    t.equal(await follow('maria', cast.ivan), 403)
    t.equal(await follow('root', cast.root), 403)
    grant(db, cast.admin, 'admin_can_auth')
    t.equal(await follow('admin', cast.root), 403)
    db.update(users).set({ superadmin: true }).where(eq(users.id, cast.clerk)).run()
    t.equal(await follow('root', cast.clerk), 303)
    db.update(users).set({ superadmin: false }).where(eq(users.id, cast.clerk)).run()
  })

  t.test('impersonating an unknown user is 404 with the permission and 403 without', async (t) => {
    for (const id of [unknown, 'word', '0']) {
      t.equal(await follow('maria', id), 404)
      t.equal(await follow('plain', id), 403)
    }
  })

  t.test('an impersonator has the rights of the target and is told so on every page', async (t) => {
    const maria = await as('maria')
    const answer = await maria.get(`/impersonate/${cast.denis}`, { referer: 'http://localhost/dealers?q=den' })
    t.equal(answer.headers.location, '/')
    const page = await maria.get('/')
    t.match(textOf(elementById(page, 'impersonation') ?? ''), /Petrova Maria.*Denisov Denis/)
    const menu = parseHtml(page.body)
    t.equal(menu('.person-name').text(), 'Denisov Denis', 'the account menu is that of the target')
    t.equal(textOf(menu('.account-name').toString()), 'Denisov Denis denis@example.com')
    const refused = await maria.get('/dealers')
    t.equal(refused.statusCode, 403, 'her own rights are put aside')
    t.ok(elementById(refused, 'impersonation'), 'told on an error page too')
    const left = await maria.post('/impersonate/leave')
    t.equal(left.statusCode, 303)
    t.equal(left.headers.location, '/dealers?q=den', 'back to where it began')
    const back = await maria.get('/dealers')
    t.equal(back.statusCode, 200)
    t.equal(textOf(parseHtml(back.body)('.account-name').toString()), 'Petrova Maria Ivanovna maria@example.com', 'their own again')
  })

  t.test('an impersonator cannot impersonate a third user (403)', async (t) => {
    const root = await as('root')
    t.equal((await root.get(`/impersonate/${cast.admin}`)).statusCode, 303)
    t.equal((await root.get(`/impersonate/${cast.denis}`)).statusCode, 403, 'though the administrator may')
    t.match(textOf(elementById(await root.get('/'), 'impersonation') ?? ''), 'Adminov', 'the first one goes on')
    await root.post('/impersonate/leave')
    t.equal((await root.get(`/impersonate/${cast.denis}`)).statusCode, 303, 'after leaving it works')
    await root.post('/impersonate/leave')
  })

  t.test('a link from elsewhere asks whom to sign in as, and Cancel leads home without it', async (t) => {
    const maria = await as('maria')
    const asked = await maria.get(`/impersonate/${cast.denis}`, { 'sec-fetch-site': 'none' })
    t.match(textOf(elementsOf(asked.body, 'h1')[0] ?? ''), 'Sign in as Denisov Denis?')
    t.match(textOf(asked.body), 'You will see the cabinet as they do. Your changes are recorded under both names.')
    const page = parseHtml(asked.body)
    t.equal(page('.confirm form').attr('action'), `/impersonate/${cast.denis}`)
    const cancel = page('.confirm a.btn')
    t.same([cancel.text().trim(), cancel.attr('href')], ['Cancel', '/'])
    t.notOk(elementById(await maria.get('/'), 'impersonation'), 'asking alone begins nothing')
  })

  t.test('leaving an impersonation that does not exist leads to the home page', async (t) => {
    const answer = await (await as('maria')).post('/impersonate/leave')
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/')
    t.equal((await (await as('maria')).get('/impersonate/leave')).statusCode, 404, 'and a link leaves none')
  })

  t.test('impersonating a user does not count as their sign-in', async (t) => {
    t.equal(userOf(cabinet, cast.denis).last_auth, null)
  })
})
