import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { invitations, notifications, permissionSets, sessions, settings, trash, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { translator } from '../../src/i18n/translate.ts'
import { createResetLinks } from '../../src/modules/session/password-reset.ts'
import { introduce } from '../../src/modules/users/invitations/invitation.ts'
import { grantedKeys } from '../../src/modules/users/rights/rights.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { elementsOf, errorsOf, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'
import { until } from '../support/jobs.ts'
import { later } from '../support/later.ts'
import { textsIn } from '../support/parts.ts'

const origin = 'https://cabinet.example'
const fresh = 'a brand new password'
const day = 24 * 3600_000

const newManager = { lastname: 'Newton', name: 'Nina', email: 'nina@example.com', active: '1', invite: '1' }

t.test('an administrator invites a manager by email, who sets a password and is signed in at once', async (t) => {
  const office = await startMailServer(t)
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: office.url, PUBLIC_URL: origin } })
  const root = await cabinet.as('root')
  const added = await root.post('/managers/add', { ...newManager, password: '' })
  t.equal(added.statusCode, 303, added.body.slice(0, 200))
  const path = new URL(linkIn(await mailTo(office, 'nina@example.com'))).pathname
  t.notOk((await root.get(String(added.headers.location))).body.includes(path), 'the link is in the mail only')
  t.match((await root.get(String(added.headers.location))).body, /Invited/)
  t.match((await root.get('/managers')).body, /Invited/, 'the list of managers says so')

  const nina = cabinet.newBrowser()
  t.equal((await nina.post('/login', { email: 'nina@example.com', password: '' })).statusCode, 422, 'no password opens the account')
  t.match((await nina.get(path)).body, /nina@example\.com/)
  t.match(errorsOf(await nina.post(path, { password: 'short' })), { password: /8 to 256/ })
  const accepted = await nina.post(path, { password: fresh })
  t.equal(accepted.statusCode, 303)
  t.equal((await nina.get('/')).statusCode, 200, 'signed in')
  t.same(cabinet.db.select().from(notifications).all(), [], 'whoever chose a first password is not told that it was changed')
  const reset = createResetLinks(cabinet.db, 'nina@example.com', { id: null, name: '' })[0]?.token
  await cabinet.newBrowser().post(`/password/reset/${reset}`, { password: `${fresh} again` })
  t.match(cabinet.db.select().from(notifications).all(), [{ event: 'password-changed' }], 'a second one is a change')
  await nina.post('/login', { email: 'nina@example.com', password: `${fresh} again` })
  t.match(await nina.get(path), { statusCode: 303, headers: { location: '/' } }, 'the link only leads home now')
  t.equal((await cabinet.newBrowser().get(path)).statusCode, 404, 'and works once')
  t.match((await root.get(String(added.headers.location))).body, /Invitation accepted/)
  t.equal((await cabinet.newBrowser().post('/login', { email: 'nina@example.com', password: fresh })).statusCode, 422)
})

t.test('without a mail server the invitation link is shown once to the user who invites', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const set = cabinet.db.select().from(permissionSets).all().at(-1)
  const { location } = (await root.post('/managers/add', { ...newManager, permission_set: set?.id as number })).headers
  const nina = cabinet.db.select().from(users).where(eq(users.email, newManager.email)).get()
  t.same(grantedKeys(cabinet.db, nina?.id as number).toSorted(), set?.keys.toSorted(), 'with the permissions of the chosen set')
  const page = await root.get(String(location))
  const link = shownLink(page)
  t.match(link, /\/invitation\/[\w-]{43}$/)
  const $ = parseHtml(page.body)
  const shown = $('[data-invitation]')
  t.equal(shown.val(), link)
  t.equal(shown.attr('aria-label'), 'Invitation link')
  t.ok(shown.is('[readonly]'), 'typing does not spoil it')
  t.equal($('[data-copy]').attr('data-copy'), link, 'the button copies it')
  t.same(elementsOf(page.body, '.card-body a[href^="/managers"]').map(textOf), ['Add another', 'To the list'], 'and leads on')
  t.equal(shownLink(await root.get(String(location))), undefined, 'not a second time')
  t.match(textOf((await root.get(`/managers/edit/${nina?.id}`)).body), /Invited on \d\d\.\d\d\.\d{4}/, 'who has no password yet is no user')
  const { pathname } = new URL(link as string)
  const browser = cabinet.newBrowser()
  t.equal((await browser.get(pathname)).statusCode, 200)
  t.equal((await browser.post(pathname, { password: 'a-long-password-1' })).statusCode, 303)
  const [told] = elementsOf((await root.get('/')).body, '.activity li').map(textOf)
  t.match(told, /^Invitation accepted · [^·]+$/, 'which is told as that, and names them once')
  t.notMatch(textOf((await root.get(`/managers/edit/${nina?.id}`)).body), 'Invited on')
  const edit = { ...newManager, password: 'a-long-password-2' }
  await root.post(`/managers/edit/${nina?.id}`, edit)
  t.notMatch(elementsOf((await root.get('/')).body, '.activity li').map(textOf)[0], 'accepted', 'another password is not')
})

t.test('a link that was revoked before its page was opened is not shown', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const card = `/managers/edit/${cast.plain}`
  await root.post(`${card}/invitation`)
  t.equal((await root.post(`${card}/invitation/revoke`)).statusCode, 303)
  t.equal(shownLink(await root.get(`${card}?tab=invitation`)), undefined)
})

t.test('an invitation is void after seven days, a change of email, deactivation, another password, revocation and renewal', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const root = await cabinet.as('root')
  const card = `/dealers/edit/${cast.denis}`
  const denis = () => db.select().from(users).where(eq(users.id, cast.denis)).get() as typeof users.$inferSelect
  const fields = () => ({
    company_id: String(denis().company_id),
    lastname: 'Denisov',
    name: 'Denis',
    email: denis().email,
    phone: denis().phone ?? '',
  })
  const endings: Record<string, () => Promise<unknown> | unknown> = {
    'seven days': () =>
      db
        .update(invitations)
        .set({ at: Date.now() - 7 * day - 1000 })
        .run(),
    'another email': () => root.post(card, { ...fields(), email: `other${Date.now()}@example.com` }),
    'another email by another tool': () =>
      db
        .update(users)
        .set({ email: `by-hand${Date.now()}@example.com` })
        .where(eq(users.id, cast.denis))
        .run(),
    deactivation: async () => {
      await root.post(`/dealers/${cast.denis}/active`, { value: '0' })
      await root.post(`/dealers/${cast.denis}/active`, { value: '1' })
    },
    'another password': () => root.post(card, { ...fields(), password: 'quite another one' }),
    revocation: () => root.post(`${card}/invitation/revoke`),
    renewal: () => root.post(`${card}/invitation`),
  }
  for (const [ending, end] of Object.entries(endings)) {
    const path = await invite(cabinet, card)
    t.equal((await cabinet.newBrowser().get(path)).statusCode, 200, `${ending}: it worked before`)
    await end()
    t.equal((await cabinet.newBrowser().get(path)).statusCode, 404, ending)
    const before = denis().password
    t.equal((await cabinet.newBrowser().post(path, { password: fresh })).statusCode, 404, `${ending}: sets nothing`)
    t.equal(denis().password, before)
    if (ending === 'another email') t.match(textOf((await root.get(`${card}?tab=invitation`)).body), 'No invitation yet')
  }
  t.match((await invite(cabinet, card)).length, /\d+/)
  db.update(invitations)
    .set({ at: Date.now() - 8 * day })
    .run()
  t.match((await root.get(`${card}?tab=invitation`)).body, /Invitation expired/)
  t.match((await root.get('/dealers?cols=invitation')).body + (await root.get('/managers')).body, /Invitation expired/, 'and the list')
})

t.test('a user cannot invite somebody with more permissions than they have (403)', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const admin = await as('admin')
  grant(db, cast.admin, 'manager_can_view', 'manager_can_edit')
  const refused = await admin.post(`/managers/edit/${cast.maria}/invitation`)
  t.equal(refused.statusCode, 403)
  t.match(textsByRole(refused, 'alert').join(), 'You cannot invite someone with more permissions than you have')
  t.equal((await admin.post(`/admins/edit/${cast.root}/invitation`)).statusCode, 403)
  t.equal((await admin.post(`/managers/edit/${cast.plain}/invitation`)).statusCode, 303, 'but somebody with fewer')
  const root = await as('root')
  await root.get(`/impersonate/${cast.admin}`)
  t.equal((await root.post(`/dealers/edit/${cast.denis}/invitation`)).statusCode, 403, 'nor in the name of another')
  const invited = db.select({ user: invitations.user_id }).from(invitations).all()
  t.same(invited, [{ user: cast.plain }])
})

t.test('inviting asks for the password when it was last entered long ago', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  cabinet.db.$client.exec(`update sessions set proved_at = ${Date.now() - 2 * 3600_000}`)
  const answer = await root.post(`/dealers/edit/${cabinet.cast.denis}/invitation`)
  t.match(String(answer.headers.location), /confirm-identity/)
  t.same(cabinet.db.select().from(invitations).all(), [])
})

t.test('the invitations of two users are kept apart', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const root = await as('root')
  const [denis, daria] = [`/dealers/edit/${cast.denis}`, `/dealers/edit/${cast.daria}`]
  const stateOf = async (card: string) =>
    /(Invited|Invitation [a-z]+)(?=, \d)|No invitation yet/.exec(textOf((await root.get(`${card}?tab=invitation`)).body))?.[0]
  const states = async () => [await stateOf(denis), await stateOf(daria)]
  const works = async (path: string) => (await newBrowser().get(path)).statusCode === 200
  t.same(await states(), ['No invitation yet', 'No invitation yet'])
  const first = await invite(cabinet, denis)
  const other = await invite(cabinet, daria)
  t.same(await states(), ['Invited', 'Invited'])

  t.test('accepting one leaves the other open, and the states are told on cards and in the list', async (t) => {
    const sent = Date.now() - 2 * day
    db.update(invitations).set({ at: sent }).run()
    t.equal((await newBrowser().post(first, { password: fresh })).statusCode, 303)
    t.same(await states(), ['Invitation accepted', 'Invited'])
    const dated = async (card: string) => textOf((await root.get(`${card}?tab=invitation`)).body)
    const on = (moment: number) => new Date(moment).toLocaleDateString('ru')
    t.match(await dated(denis), `Invitation accepted, ${on(Date.now())}`, 'with the day on which it was')
    t.match(await dated(daria), `Invited, ${on(sent)}`)
    t.ok(await works(other))
    const cells = Object.fromEntries(
      rowsOf(await root.get('/dealers?cols=invitation'), 'dealers').map(({ id, cells }) => [id, cells.invitation]),
    )
    t.match(cells, { [cast.denis]: 'Invitation accepted', [cast.daria]: 'Invited', [cast.vera]: '—' })
  })

  t.test('renewing an accepted invitation makes a link that works, and the earlier one stays void', async (t) => {
    const renewed = await invite(cabinet, denis)
    t.same(await states(), ['Invited', 'Invited'])
    t.ok(await works(renewed))
    t.notOk(await works(first))
    const browser = newBrowser()
    t.equal((await browser.post(renewed, { password: 'yet another password' })).headers.location, '/')
    t.match((await browser.get('/')).body, 'Denisov')
    t.notOk(await works(renewed), 'once')
    const used = await newBrowser().get(renewed)
    t.match(textOf(used.body), /This invitation has been accepted Your account is ready: sign in to it\. Sign in/, 'and says why')
    t.equal(parseHtml(used.body)('a.btn-primary').attr('href'), '/login')
    t.match(await browser.get(renewed), { statusCode: 303, headers: { location: '/' } }, 'whoever accepted it and is signed in goes on')
    t.equal((await root.get(renewed)).statusCode, 404, 'somebody else does not')
    t.match(textOf((await newBrowser().get(first)).body), 'This link has expired', 'of an earlier one nothing is known')
  })

  t.test('revoking ends an open invitation, of nobody else, and forgets no accepted one', async (t) => {
    await root.post(`${denis}/invitation/revoke`)
    t.same(await states(), ['Invitation accepted', 'Invited'])
    const answer = await root.post(`${daria}/invitation/revoke`)
    t.equal(answer.headers.location, `${daria}?tab=invitation`)
    t.same(textsByRole(await root.get(`${daria}?tab=invitation`), 'status').slice(0, 1), ['Invitation for Королёва Дарья revoked'])
    t.same(await states(), ['Invitation accepted', 'No invitation yet'])
    t.notOk(await works(other))
  })
})

t.test('the tab offers what can be done with an invitation', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const card = `/dealers/edit/${cast.denis}`
  const buttons = async (path = card) => {
    const page = parseHtml((await root.get(`${path}?tab=invitation`)).body)
    return page('form[action*="/invitation"]')
      .toArray()
      .map((form) => page(form).text().trim())
  }
  const main = (answer: { body: string }) => textOf(parseHtml(answer.body)('main .btn-primary').text())
  t.same(await buttons(), ['Invite by link'])
  t.equal(main(await root.get(`${card}?tab=invitation`)), 'Invite by link')
  await root.post(`${card}/invitation`)
  const page = await root.get(`${card}?tab=invitation`)
  t.same(textsByRole(page, 'status').slice(0, 1), ['Invitation for Denisov Denis created'])
  t.match(textOf(page.body), 'Email is not set up. Copy this link and send it yourself.')
  t.equal(main(page), 'Copy link', 'which alone stands out while it is shown')
  t.notMatch(textOf(page.body), 'cannot be shown again')
  const later = parseHtml((await root.get(`${card}?tab=invitation`)).body)
  t.match(textOf(later('main').html() ?? ''), 'The link cannot be shown again. Create a new one: the previous one will stop working.')
  t.same(await buttons(), ['Renew invitation', 'Revoke invitation'])
  t.equal(main(await root.get(`${card}?tab=invitation`)), 'Renew invitation', 'as there is no other way to a link')
  const moment = textOf((await root.get(`${card}?tab=invitation`)).body)
  t.match(moment, `Invited, ${formatDateTime(db.select().from(invitations).get()?.at ?? 0)}`)
  db.update(invitations)
    .set({ at: Date.now() - 7 * day - 1000 })
    .run()
  t.same(await buttons(), ['Renew invitation'], 'an expired one')
  t.equal(main(await root.get(`${card}?tab=invitation`)), 'Renew invitation')
  db.update(invitations).set({ accepted_at: Date.now() }).run()
  t.equal(main(await root.get(`${card}?tab=invitation`)), '', 'once it is accepted nothing is to be done')
  db.update(invitations).set({ accepted_at: null }).run()
  await root.post(`/dealers/${cast.denis}/active`, { value: 0 })
  t.same(await buttons(), [], 'a deactivated account')
  const refused = await root.post(`${card}/invitation`)
  t.equal(refused.statusCode, 422)
  t.match(textOf(refused.body), /Activate the user first .* Error 422/)
  t.equal((await root.post(`/admins/edit/${cast.root}/invitation`)).statusCode, 403, 'nobody invites themselves')
  t.notMatch((await root.get(`/admins/edit/${cast.root}`)).body, 'tab=invitation')
  const clerk = await as('clerk')
  t.equal((await clerk.post(`${card}/invitation`)).statusCode, 403)
})

t.test('an invitation link works until seven days have gone, and is shown to nobody but who made it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, newBrowser } = cabinet
  const [root, admin] = [await as('root'), await as('admin')]
  const [card, other] = [`/dealers/edit/${cast.denis}`, `/dealers/edit/${cast.daria}`]
  await root.post(`${card}/invitation`)
  t.equal(shownLink(await admin.get(`${card}?tab=invitation`)), undefined, 'another administrator')
  t.equal(shownLink(await root.get(`${other}?tab=invitation`)), undefined, 'the card of another')
  const path = new URL(shownLink(await root.get(`${card}?tab=invitation`)) as string).pathname
  const page = await newBrowser().get(path)
  t.match(textOf(page.body), /Welcome, Denis .*Set a password for denis@example\.com\. You will be signed in right away\./)
  t.equal(page.headers['referrer-policy'], 'strict-origin')
  await later(7 * day - 60_000, async () => t.equal((await newBrowser().get(path)).statusCode, 200))
  await later(7 * day + 60_000, async () => {
    const late = await newBrowser().get(path)
    t.equal(late.statusCode, 404)
    t.match(textOf(late.body), /This link has expired .*Ask the person who invited you for a new one\./)
    t.equal((await newBrowser().post(path, { password: fresh })).statusCode, 404)
  })
})

t.test('an invited user with a second factor sets a password, and signs in with the code', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, newBrowser } = cabinet
  const denis = await as('denis')
  const secret = parseHtml((await denis.get('/profile?tab=security')).body)('[data-secret]').attr('data-secret') as string
  await denis.post('/profile/factor', { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() })
  const path = await invite(cabinet, `/dealers/edit/${cast.denis}`)
  const browser = newBrowser()
  const answer = await browser.post(path, { password: fresh })
  t.equal(answer.headers.location, '/login?reset=1')
  t.same(textsByRole(await browser.get('/login?reset=1'), 'status'), ['Password changed. Sign in with the new one.'])
  t.match((await browser.get('/')).headers.location, /^\/login/, 'the link alone opens nothing')
  t.equal((await browser.post('/login', { email: emailOf('denis'), password: fresh })).headers.location, '/login/factor')
})

t.test('the mail of an invitation is in the language of whoever is invited, and names the organization', async (t) => {
  const office = await startMailServer(t)
  const { as, cast, db } = await startCabinet(t, { environment: { SMTP_URL: office.url, PUBLIC_URL: origin } })
  db.update(users).set({ language: 'ru' }).where(eq(users.id, cast.vera)).run()
  const root = await as('root')
  for (const id of [cast.denis, cast.vera]) await root.post(`/dealers/edit/${id}/invitation`)
  t.same(textsByRole(await root.get(`/dealers/edit/${cast.vera}?tab=invitation`), 'status').slice(0, 1), [
    'Invitation for Vernaya Vera sent',
  ])
  const english = await mailTo(office, emailOf('denis'))
  t.match(
    english,
    /^Root Olga invites you to the dealer cabinet\.\s+Your company: Alpha Windows\.\s+Open this link within 7 days to set your password\. It works once:\s+https:\/\/cabinet\.example\/invitation\/[\w-]{43}\s*$/,
  )
  t.match(await mailTo(office, emailOf('vera')), /в\u00a0дилерский кабинет/)
  const subjects = Object.fromEntries(office.letters.map(({ to, subject }) => [to, subject]))
  t.match(subjects, { [emailOf('denis')]: 'Invitation to Dealer cabinet', [emailOf('vera')]: /Дилерский кабинет/ })
})

t.test('the page of an invitation says who invites, where to and for which company, and asks for one password', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, newBrowser } = cabinet
  const said = async (path: string, language = 'en') => {
    const { body } = await newBrowser().get(path, { 'accept-language': language })
    t.same(textsIn(body, '.sign-in legend'), [], 'what the field says is not said above it')
    t.equal(elementsOf(body, '.sign-in form label').length, 1)
    return textsIn(body, '.sign-in h1 ~ p').slice(0, -1)
  }
  const dealer = await invite(cabinet, `/dealers/edit/${cast.denis}`)
  t.same(await said(dealer), ['Root Olga invites you to the dealer cabinet.', 'Your company: Alpha Windows.'])
  t.same(await said(dealer, 'ru'), ['Root Olga приглашает вас в дилерский кабинет.', 'Ваша компания: Alpha Windows.'])
  t.same(await said(await invite(cabinet, `/managers/edit/${cast.plain}`)), ['Root Olga invites you to the dealer cabinet.'])
  db.update(settings).set({ name: 'Windows and Gates' }).run()
  t.same((await said(dealer))[0], 'Root Olga invites you to Windows and Gates.')
  t.same((await said(dealer, 'ru'))[0], 'Root Olga приглашает вас. Организация: Windows and Gates.')
  db.update(settings).set({ name: null }).run()
  db.update(invitations).set({ inviter_name: null }).run()
  t.same(await said(dealer), ['You have been invited to the dealer cabinet.', 'Your company: Alpha Windows.'], 'an older one names nobody')
})

t.test('a deleted and restored user is left with nothing that opened the account: no session, invitation or reset link', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const [root, denis] = [await as('root'), await as('denis')]
  const invitation = await invite(cabinet, `/dealers/edit/${cast.denis}`)
  const other = await invite(cabinet, `/dealers/edit/${cast.daria}`)
  const linkOf = (email: string) => `/password/reset/${createResetLinks(db, email, { id: null, name: '' })[0]?.token}`
  const [reset, otherReset] = [linkOf(emailOf('denis')), linkOf(emailOf('daria'))]
  const links = [invitation, reset]
  for (const path of links) t.equal((await newBrowser().get(path)).statusCode, 200)
  await root.post('/dealers/delete', { id: cast.denis })
  for (const path of links) t.equal((await newBrowser().get(path)).statusCode, 404)
  await root.post(`/bin/${db.select().from(trash).all().at(-1)?.id}/restore`)
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.active, true)
  for (const path of links) {
    t.equal((await newBrowser().get(path)).statusCode, 404)
    t.equal((await newBrowser().post(path, { password: fresh })).statusCode, 404)
  }
  t.equal((await denis.get('/')).statusCode, 303, 'signed out')
  t.same(db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all(), [])
  for (const path of [other, otherReset]) t.equal((await newBrowser().get(path)).statusCode, 200, 'the links of others work')
})

t.test('a mailbox gets five invitations an hour, however they come about; then the answer says when to try again', async (t) => {
  const office = await startMailServer(t)
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: office.url, PUBLIC_URL: origin } })
  const { as, cast } = cabinet
  const root = await as('root')
  const send = (id: number) => root.post(`/dealers/edit/${id}/invitation`)
  for (let sent = 0; sent < 5; sent++) t.equal((await send(cast.denis)).statusCode, 303)
  const refused = await send(cast.denis)
  t.equal(refused.statusCode, 429)
  t.ok(Number(refused.headers['retry-after']) > 3500)
  t.match(textOf(refused.body), /You can invite somebody up to 5 times an hour Try again after/)
  await root.post('/dealers/delete', { id: cast.denis })
  const again = { company_id: cast.companies.alpha, lastname: 'Denisov', name: 'Denis', email: 'DENIS@example.com', invite: '1' }
  t.equal((await root.post('/dealers/add', again)).statusCode, 429, 'the mailbox of somebody new')
  t.equal((await send(cast.daria)).statusCode, 303, 'another mailbox')
  await later(3600_000, async () => t.equal((await root.post('/dealers/add', again)).statusCode, 303, 'an hour later'))
  await until(() => office.letters.length === 7)
})

t.test('an inviter whose name looks like an address is not named to whom they invite', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db } = cabinet
  await invite(cabinet, `/managers/edit/${cast.plain}`)
  const plain = db.select().from(users).where(eq(users.id, cast.plain)).get() as typeof users.$inferSelect
  const said = (inviter_name: string) => {
    db.update(invitations).set({ inviter_name }).run()
    return introduce(app, translator('en'), plain).join()
  }
  for (const name of [
    'Pay at evil.example',
    'https://evil',
    'www.evil.example Olga',
    'mail@evil Olga',
    'evil.example/a Olga',
    'оплата.рф Ольга',
    'evil。example O',
  ])
    t.equal(said(name), 'You have been invited to the dealer cabinet.', name)
  for (const name of ['Root Olga', 'Иванов И.И.', 'О. Б. Петрова', "O'Neil-Smith Jr. Ann"])
    t.equal(said(name), `${name} invites you to the dealer cabinet.`)
})

async function invite({ as }: Cabinet, card: string): Promise<string> {
  const root = await as('root')
  await root.post(`${card}/invitation`)
  return new URL(shownLink(await root.get(`${card}?tab=invitation`)) as string).pathname
}

function shownLink(answer: Answer): string | undefined {
  return parseHtml(answer.body)('[data-invitation]').attr('data-invitation')
}

async function mailTo({ letters }: Awaited<ReturnType<typeof startMailServer>>, to: string): Promise<string> {
  for (const end = Date.now() + 15_000; Date.now() < end; await pause(20)) {
    const letter = letters.find((one) => one.to.includes(to))
    if (letter) return letter.text
  }
  throw new Error(`no mail for ${to} within 15 s`)
}

function linkIn(text: string): string {
  return /https?:\/\/\S+/.exec(text)?.[0] ?? ''
}
