import { and, eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { passkeys, secondFactors, securityEvents, sessions, trash, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { Authenticator } from '../support/authenticator.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, type Name, password } from '../support/cast.ts'
import { elementsOf, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'
import { register, registrationOptions, sendJson, signInOptions, signInWith } from '../support/passkeys.ts'

const events = ({ db }: Cabinet, event: string, userId: number) =>
  db
    .select()
    .from(securityEvents)
    .where(and(eq(securityEvents.event, event as never), eq(securityEvents.user_id, userId)))
    .all()

const isSignedIn = async (browser: Browser) => (await browser.get('/notifications')).statusCode === 200

const turnOnFactor = ({ db }: Cabinet, user_id: number) => {
  const secret = new Secret({ size: 20 })
  db.insert(secondFactors).values({ user_id, secret: secret.base32, last_step: 0, created_at: 1 }).run()
  return () => new TOTP({ secret }).generate()
}

const beginWithPassword = async ({ newBrowser }: Cabinet, name: Name, next = '') => {
  const browser = newBrowser()
  return { browser, answer: await browser.post('/login', { email: emailOf(name), password, next }) }
}

t.test('a user adds a passkey after confirming the password, signs in with it alone, and removes it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const denis = await as('denis')
  const device = new Authenticator()
  for (const fields of [{}, { current_password: 'wrong' }])
    t.equal((await denis.post('/profile/passkeys/options', fields as Record<string, string>)).statusCode, 422)
  const refused = await denis.post('/profile/passkeys/options', { current_password: 'wrong' })
  t.same(refused.json().errors, { current_password: 'Wrong current password.' })
  const options = await registrationOptions(denis)
  t.match(options, {
    rp: { id: 'localhost' },
    user: { name: emailOf('denis') },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const added = await sendJson(denis, '/profile/passkeys', { ...device.register(options), name: ' Denis’ phone ' })
  t.same(added.json(), { location: '/profile?tab=security' })
  const page = parseHtml((await denis.get('/profile?tab=security')).body)
  t.same(elementsOf(page.html(), 'tr[id^=passkeys-] td').map(textOf).slice(0, 1), ['Denis’ phone'])
  t.match(page('tr[id^=passkeys-] [data-col=last_used_at]').text(), '—')
  t.equal(events(cabinet, 'passkey-added', cast.denis)[0]?.detail, 'Denis’ phone')
  t.match((await denis.get('/notifications')).body, 'A passkey was added to your account')

  const browser = newBrowser()
  const asked = await signInOptions(browser)
  t.match(asked, { rpId: 'localhost', userVerification: 'required' })
  t.notOk(asked.allowCredentials?.length, 'nothing tells a stranger who has passkeys')
  const done = await sendJson(browser, '/login/passkey', { ...device.answer(asked), next: '/orders' })
  t.same(done.json(), { location: '/orders' })
  t.ok(await isSignedIn(browser))
  t.equal(events(cabinet, 'signed-in', cast.denis).at(-1)?.detail, 'passkey Denis’ phone')
  t.notMatch(parseHtml((await browser.get('/profile?tab=security')).body)('[data-col=last_used_at]').text(), '—')
  t.equal((await signInWith(newBrowser(), device)).statusCode, 200, 'and again')
  const elsewhere = await sendJson(newBrowser(), '/login/passkey', device.answer(asked))
  t.equal(elsewhere.statusCode, 422, 'the answer works only in the browser that was asked')

  const id = db.select().from(passkeys).get()?.id
  t.equal((await denis.post(`/profile/passkeys/${id}/delete`, { remove: 1 })).statusCode, 303)
  t.equal(events(cabinet, 'passkey-removed', cast.denis)[0]?.detail, 'Denis’ phone')
  t.match((await denis.get('/notifications')).body, 'A passkey was removed from your account')
  t.equal((await signInWith(newBrowser(), device)).statusCode, 422, 'a removed passkey opens nothing')
  t.equal((await beginWithPassword(cabinet, 'denis')).answer.headers.location, '/', 'the password works as before')
})

t.test('a forged or borrowed answer signs nobody in, and all of them are answered alike', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, newBrowser } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device)
  const attempt = async (
    deviation: Parameters<Authenticator['answer']>[1],
    change: (answer: ReturnType<typeof device.answer>) => object,
  ) => {
    const browser = newBrowser()
    const answer = await sendJson(browser, '/login/passkey', change(device.answer(await signInOptions(browser), deviation)))
    t.notOk(await isSignedIn(browser))
    return { status: answer.statusCode, body: answer.json() }
  }
  const expected = {
    status: 422,
    body: { message: 'This passkey was not accepted. Use your password or another passkey.', errors: {} },
  }
  const unchanged = (answer: object) => answer
  const changed = (response: object) => (answer: ReturnType<typeof device.answer>) => ({
    ...answer,
    response: { ...answer.response, ...response },
  })
  t.same(await attempt({ origin: 'http://localhost:4000' }, unchanged), expected, 'another port')
  t.same(await attempt({ origin: 'https://evil.example' }, unchanged), expected, 'another origin')
  t.same(await attempt({ rpId: 'evil.example' }, unchanged), expected, 'another relying party')
  t.same(await attempt({ userVerified: false }, unchanged), expected, 'without user verification')
  t.same(await attempt({ challenge: Buffer.alloc(32).toString('base64url') }, unchanged), expected, 'another challenge')
  t.same(await attempt({ type: 'webauthn.create' }, unchanged), expected, 'made for a registration')
  const signature = new Authenticator().register(await registrationOptions(await as('maria'))).rawId
  t.same(await attempt({}, changed({ signature })), expected, 'a wrong signature')
  t.same(await attempt({}, changed({ userHandle: signature })), expected, 'the handle of somebody else')
  t.same(await attempt({}, (answer) => ({ ...answer, id: signature, rawId: signature })), expected, 'an unknown passkey')
  t.equal((await signInWith(newBrowser(), device)).statusCode, 200, 'the real one')
})

t.test('a challenge is answered once, in time, and for what it was made', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, newBrowser } = cabinet
  const device = new Authenticator()
  const denis = await as('denis')
  await register(denis, device)

  const browser = newBrowser()
  const options = await signInOptions(browser)
  const cookies = [...browser.cookies]
  t.equal((await sendJson(browser, '/login/passkey', device.answer(options))).statusCode, 200)
  const replay = newBrowser()
  for (const [name, value] of cookies) replay.cookies.set(name, value)
  t.equal((await sendJson(replay, '/login/passkey', device.answer(options))).statusCode, 422, 'an earlier cookie does not bring it back')
  t.notOk(await isSignedIn(replay))

  const parallel = newBrowser()
  const twice = device.answer(await signInOptions(parallel))
  const answers = await Promise.all([1, 2, 3].map(() => sendJson(parallel, '/login/passkey', twice)))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 422, 422])

  const failed = newBrowser()
  const once = await signInOptions(failed)
  t.equal((await sendJson(failed, '/login/passkey', device.answer(once, { origin: 'https://evil.example' }))).statusCode, 422)
  t.equal((await sendJson(failed, '/login/passkey', device.answer(once))).statusCode, 422, 'a wrong answer uses it up as well')

  const late = newBrowser()
  const early = await signInOptions(late)
  const now = Date.now
  t.teardown(() => {
    Date.now = now
  })
  Date.now = () => now() + 5 * 60_000 + 1000
  t.equal((await sendJson(late, '/login/passkey', device.answer(early))).statusCode, 422, 'five minutes later')
  Date.now = now

  const forRegistration = await registrationOptions(denis)
  t.equal((await sendJson(denis, '/login/passkey', device.answer({ ...forRegistration, rpId: 'localhost' } as never))).statusCode, 422)
  const forSignIn = await signInOptions(denis)
  const made = device.register({ ...forRegistration, challenge: forSignIn.challenge })
  t.equal((await sendJson(denis, '/profile/passkeys', made)).statusCode, 422)
  t.equal((await sendJson(newBrowser(), '/login/passkey', device.answer(forSignIn))).statusCode, 422, 'nor without having been asked')
})

t.test('a registration takes only what this person was asked for, here, and verified', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const denis = await as('denis')
  const device = new Authenticator()
  const attempt = async (deviation: Parameters<Authenticator['register']>[1]) =>
    (await sendJson(denis, '/profile/passkeys', device.register(await registrationOptions(denis), deviation))).statusCode
  t.equal(await attempt({ origin: 'https://evil.example' }), 422)
  t.equal(await attempt({ rpId: 'evil.example' }), 422)
  t.equal(await attempt({ userVerified: false }), 422)
  t.equal(await attempt({ type: 'webauthn.get' }), 422)
  t.equal(await attempt({ challenge: 'AAAA' }), 422)
  t.equal(await attempt({ format: 'apple' }), 422, 'an attestation that would need certificates of others')

  const shared = newBrowser()
  await shared.post('/login', { email: emailOf('denis'), password })
  const forDenis = await registrationOptions(shared)
  await shared.post('/login', { email: emailOf('maria'), password })
  t.equal((await sendJson(shared, '/profile/passkeys', device.register(forDenis))).statusCode, 422, 'the challenge of another person')
  t.equal(db.select().from(passkeys).all().length, 0)

  const options = await registrationOptions(denis)
  const cookies = [...denis.cookies]
  const credential = device.register(options)
  t.equal((await sendJson(denis, '/profile/passkeys', credential)).statusCode, 200)
  for (const [name, value] of cookies) denis.cookies.set(name, value)
  t.equal((await sendJson(denis, '/profile/passkeys', credential)).statusCode, 422, 'not twice')
  const maria = await as('maria')
  const taken = new Authenticator().register(await registrationOptions(maria), { credentialId: device.keys.at(-1)?.id })
  t.equal((await sendJson(maria, '/profile/passkeys', taken)).statusCode, 422, 'nobody takes over the id of another passkey')
  t.same(
    db
      .select()
      .from(passkeys)
      .all()
      .map(({ user_id }) => user_id),
    [cast.denis],
  )
  t.equal((await registrationOptions(denis)).excludeCredentials?.length, 1)
  t.equal((await registrationOptions(denis)).user.id, options.user.id, 'one account for the password manager')
  t.not((await registrationOptions(maria)).user.id, options.user.id)
})

t.test('a counter that does not rise is refused and logged, unless it is and stays zero', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device, 'Key')
  t.equal((await signInWith(newBrowser(), device, { counter: 7 })).statusCode, 200)
  for (const counter of [7, 6, 1, 0]) t.equal((await signInWith(newBrowser(), device, { counter })).statusCode, 422, String(counter))
  t.equal(events(cabinet, 'refused', cast.denis)[0]?.detail, 'passkey Key: counter 7 after 7')
  t.equal(db.select().from(passkeys).get()?.counter, 7)
  t.equal((await signInWith(newBrowser(), device, { counter: 8 })).statusCode, 200)

  const synced = new Authenticator({ synced: true })
  await register(await as('maria'), synced)
  for (const _ of [1, 2, 3]) t.equal((await signInWith(newBrowser(), synced)).statusCode, 200)
})

t.test('two people at one browser each sign in as themselves', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device, 'of Denis')
  await register(await as('maria'), device, 'of Maria')
  const [ofDenis, ofMaria] = device.keys
  const browser = newBrowser()
  const nameOf = async () => parseHtml((await browser.get('/profile')).body)('.account-name strong').text()
  await sendJson(browser, '/login/passkey', device.answer(await signInOptions(browser), {}, ofDenis))
  t.match(await nameOf(), 'Denisov')
  await browser.post('/logout')
  await sendJson(browser, '/login/passkey', device.answer(await signInOptions(browser), {}, ofMaria))
  t.match(await nameOf(), 'Petrova')
  const mixed = device.answer(await signInOptions(browser), {}, ofDenis)
  const { id, rawId } = device.answer(await signInOptions(browser), {}, ofMaria)
  t.equal((await sendJson(browser, '/login/passkey', { ...mixed, id, rawId })).statusCode, 422)
  const ofDenisRow = db.select().from(passkeys).where(eq(passkeys.user_id, cast.denis)).get()?.id
  t.equal((await browser.post(`/profile/passkeys/${ofDenisRow}/delete`)).statusCode, 403, 'nobody removes a passkey of another')
})

t.test('passkeys end with the account and come back with it', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device)
  const root = await as('root')
  const tryIt = async () => (await signInWith(newBrowser(), device)).statusCode
  await root.post(`/dealers/${cast.denis}/active`, { value: 0 })
  t.equal(await tryIt(), 422, 'deactivated')
  await root.post(`/dealers/${cast.denis}/active`, { value: 1 })
  t.equal(await tryIt(), 200)
  const browser = newBrowser()
  const options = await signInOptions(browser)
  await root.post('/dealers/delete', { id: cast.denis })
  t.equal(db.select().from(passkeys).all().length, 0)
  t.equal((await sendJson(browser, '/login/passkey', device.answer(options))).statusCode, 422, 'deleted meanwhile')
  const deleted = db.select().from(trash).get()?.id
  t.equal((await root.post(`/bin/${deleted}/restore`)).statusCode, 303)
  t.equal(await tryIt(), 200, 'restored')
})

t.test('while impersonating, passkeys are neither added, removed nor used', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device)
  const id = db.select().from(passkeys).get()?.id
  const root = await as('root')
  await root.get(`/impersonate/${cast.denis}`)
  t.match((await root.get('/')).body, 'id="impersonation"')
  t.equal((await root.post('/profile/passkeys/options', { current_password: password })).statusCode, 403)
  t.equal((await sendJson(root, '/profile/passkeys', {})).statusCode, 403)
  t.equal((await root.post(`/profile/passkeys/${id}/delete`)).statusCode, 403)
  t.equal((await root.get('/profile?tab=security')).statusCode, 403)
  t.equal((await signInWith(root, device)).statusCode, 403)
  t.equal((await root.post('/confirm-identity/passkey/options')).statusCode, 403)
  t.match((await root.get('/')).body, 'id="impersonation"')
  t.equal(db.select().from(passkeys).all().length, 1)
})

t.test('a passkey satisfies a required second factor, and then the password alone does not', async (t) => {
  const cabinet = await startCabinet(t, { environment: { SECOND_FACTOR: 'staff' } })
  const { as, cast, db, newBrowser } = cabinet
  const maria = await as('maria')
  const device = new Authenticator()
  t.equal((await maria.get('/orders')).headers.location, '/profile?tab=security')
  t.equal((await register(maria, device)).statusCode, 200)
  t.equal((await maria.get('/orders')).statusCode, 200)
  const alone = newBrowser()
  await signInWith(alone, device)
  t.equal((await alone.get('/orders')).statusCode, 200, 'nobody is asked for a code')

  const { browser, answer } = await beginWithPassword(cabinet, 'maria', '/orders')
  t.equal(answer.headers.location, '/login/factor')
  t.notOk(await isSignedIn(browser), 'the password alone opens nothing')
  const page = parseHtml((await browser.get('/login/factor')).body)
  t.equal(page('[data-passkey]').length, 1)
  t.equal(page('input[name=code]').length, 0, 'there is no code to ask for')
  t.same(saidOn(page), [
    'Your account requires a second step. Confirm with your passkey.',
    'Passkeys need scripts. Turn them on in your browser.',
    ...afterTheStep,
  ])
  t.equal((await browser.post('/login/factor', { code: '000000' })).statusCode, 422)
  const others = new Authenticator()
  await register(await as('mikhail'), others)
  const asked = await signInOptions(browser, { second_step: '1' })
  t.same(
    asked.allowCredentials?.map(({ id }) => id),
    [device.keys[0]?.id.toString('base64url')],
  )
  t.equal((await sendJson(browser, '/login/passkey', others.answer({ ...asked, allowCredentials: [] }))).statusCode, 422)
  t.notOk(await isSignedIn(browser), 'the passkey of somebody else is no second step')
  const again = await signInOptions(browser, { second_step: '1' })
  t.equal((await sendJson(browser, '/login/passkey', device.answer(again))).statusCode, 200)
  t.ok(await isSignedIn(browser))
  t.equal((await browser.get('/login/factor')).statusCode, 303, 'nothing is awaited any more')

  const denis = await as('denis')
  await register(denis, new Authenticator())
  t.equal((await beginWithPassword(cabinet, 'denis')).answer.headers.location, '/', 'dealers are no staff')
  db.delete(passkeys).where(eq(passkeys.user_id, cast.maria)).run()
  t.equal((await browser.get('/orders')).headers.location, '/profile?tab=security', 'without it, one is set up again')
})

const afterTheStep = ['Lost access? Ask a superadministrator to reset your two-step verification and passkeys.', 'Back to sign-in']

/** The paragraphs of a page in front of the sign-in, but for the place of an error. */
const saidOn = (page: ReturnType<typeof parseHtml>) =>
  page('.sign-in p:not([role])')
    .toArray()
    .map((one) => page(one).text().trim())

t.test('where passkeys cannot be used, the page of the second step says so instead of offering one', async (t) => {
  const cabinet = await startCabinet(t, { environment: { SECOND_FACTOR: 'staff' } })
  await register(await cabinet.as('maria'), new Authenticator())
  const { browser } = await beginWithPassword(cabinet, 'maria')
  const page = parseHtml((await browser.get('/login/factor', { host: '192.0.2.1' })).body)
  t.same(saidOn(page), [
    'Your account requires a second step. Confirm with your passkey.',
    'Passkeys cannot be used at this address. Open the cabinet at its public address.',
    ...afterTheStep,
  ])
  t.equal(page('[data-passkey]').length, 0)
})

t.test('with an app that shows codes, either the code or the passkey is the second step', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device)
  const codeNow = turnOnFactor(cabinet, cast.denis)
  const first = await beginWithPassword(cabinet, 'denis')
  t.equal(first.answer.headers.location, '/login/factor')
  const options = await signInOptions(first.browser, { second_step: '1' })
  t.equal((await sendJson(first.browser, '/login/passkey', device.answer(options))).statusCode, 200)
  t.ok(await isSignedIn(first.browser))
  const second = await beginWithPassword(cabinet, 'denis', '/orders')
  const page = parseHtml((await second.browser.get('/login/factor')).body)
  t.same(
    saidOn(page),
    ['Enter the six-digit code from your authenticator app, or one of your recovery codes.', ...afterTheStep],
    'neither told to use the passkey, nor about scripts, which a code does not need',
  )
  t.equal(page('[data-passkey]').length, 1)
  t.equal(page('form:has([data-passkey]) [name=next]').attr('value'), '/orders', 'it leads where the code would')
  t.equal((await second.browser.post('/login/factor', { code: codeNow() })).statusCode, 303)
})

t.test('failed passkeys count toward the limits of signing in, with a time to wait', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, newBrowser } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device)
  for (let attempt = 0; attempt < 10; attempt++)
    t.equal((await signInWith(newBrowser(), device, { origin: 'https://evil.example' })).statusCode, 422)
  const refused = await signInWith(newBrowser(), device)
  t.equal(refused.statusCode, 429)
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.equal(events(cabinet, 'locked-out', cast.denis).length, 1)
})

t.test('an invitation stands for the password: with a passkey alone, or a password as well', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, newBrowser } = cabinet
  const root = await as('root')
  const invite = async (name: string) => {
    const fields = { lastname: 'New', name, email: `${name}@example.com`, active: '1', invite: '1' }
    const { location } = (await root.post('/managers/add', fields)).headers
    return new URL(parseHtml((await root.get(String(location))).body)('[data-invitation]').attr('data-invitation') as string).pathname
  }
  const accept = async (path: string, fields: Record<string, string>) => {
    const browser = newBrowser()
    const device = new Authenticator()
    const asked = await browser.post(`${path}/passkey/options`, fields)
    if (asked.statusCode !== 200) return { browser, device, answer: asked }
    return { browser, device, answer: await sendJson(browser, `${path}/passkey`, { ...device.register(asked.json()), ...fields }) }
  }
  const nina = await invite('nina')
  t.equal(parseHtml((await newBrowser().get(nina)).body)('[data-passkey=create]').length, 1)
  const weak = await accept(nina, { password: 'short' })
  t.equal(weak.answer.statusCode, 422)
  t.match(weak.answer.json(), { errors: { password: /8 to 256/ } })
  const { browser, device, answer } = await accept(nina, { password: '' })
  t.same(answer.json(), { location: '/' })
  t.ok(await isSignedIn(browser))
  t.equal((await newBrowser().get(nina)).statusCode, 404, 'the link works once')
  t.equal((await signInWith(newBrowser(), device)).statusCode, 200)
  t.equal((await newBrowser().post('/login', { email: 'nina@example.com', password: '' })).statusCode, 422, 'no password opens the account')

  const fresh = 'a brand new password'
  const both = await accept(await invite('nora'), { password: fresh })
  t.equal(both.answer.statusCode, 200)
  t.equal((await newBrowser().post('/login', { email: 'nora@example.com', password: fresh })).statusCode, 303)
  t.equal((await signInWith(newBrowser(), both.device)).statusCode, 200)

  const user = db.select().from(users).where(eq(users.email, 'nina@example.com')).get() as typeof users.$inferSelect
  const only = db.select().from(passkeys).where(eq(passkeys.user_id, user.id)).get()?.id
  t.equal((await browser.post(`/profile/passkeys/${only}/delete`, { remove: 1 })).statusCode, 422, 'the only way in is not removed')
  db.update(sessions).set({ proved_at: 0 }).where(eq(sessions.user_id, user.id)).run()
  const confirm = await browser.post('/profile', { password: fresh })
  t.match(confirm.headers.location, /^\/confirm-identity/, 'without a password one proves who one is by the passkey')
  t.equal(parseHtml((await browser.get(String(confirm.headers.location))).body)('[data-passkey]').length, 1)
  const next = new URLSearchParams(String(confirm.headers.location).split('?')[1]).get('next') as string
  const asked = (await browser.post('/confirm-identity/passkey/options')).json()
  const proved = await sendJson(browser, '/confirm-identity/passkey', { ...device.answer(asked), next })
  t.same(proved.json(), { location: next })
  await browser.get(next)
  t.equal((await newBrowser().post('/login', { email: 'nina@example.com', password: fresh })).statusCode, 303, 'and sets a password')
})

t.test('an invitation does not stand for a second factor', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, newBrowser } = cabinet
  turnOnFactor(cabinet, cast.denis)
  const root = await as('root')
  await root.post(`/dealers/edit/${cast.denis}/invitation`)
  const link = parseHtml((await root.get(`/dealers/edit/${cast.denis}?tab=invitation`)).body)('[data-invitation]').attr(
    'data-invitation',
  ) as string
  const { pathname } = new URL(link)
  t.equal(parseHtml((await newBrowser().get(pathname)).body)('[data-passkey]').length, 0)
  t.equal((await newBrowser().post(`${pathname}/passkey/options`)).statusCode, 404)
})

t.test('identity is confirmed only by a passkey of the person who is signed in', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device)
  const shared = newBrowser()
  await shared.post('/login', { email: emailOf('denis'), password })
  const options = (await shared.post('/confirm-identity/passkey/options')).json()
  await shared.post('/login', { email: emailOf('maria'), password })
  db.update(sessions).set({ proved_at: 0 }).where(eq(sessions.user_id, cast.maria)).run()
  t.equal((await sendJson(shared, '/confirm-identity/passkey', device.answer(options))).statusCode, 422)
  t.same(
    db
      .select()
      .from(sessions)
      .where(eq(sessions.user_id, cast.maria))
      .all()
      .map(({ proved_at }) => proved_at),
    [0],
  )
})

t.test('resetting the second factor removes passkeys as well', async (t) => {
  const cabinet = await startCabinet(t, { environment: { SECOND_FACTOR: 'everyone' } })
  const { as, cast, newBrowser } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device)
  await register(await as('root'), new Authenticator())
  const root = await as('root')
  const path = `/dealers/edit/${cast.denis}/factor/reset`
  t.match((await root.get(`/dealers/edit/${cast.denis}?tab=sessions`)).body, path)
  t.equal((await root.post(path)).statusCode, 303)
  t.equal((await signInWith(newBrowser(), device)).statusCode, 422, 'whoever found the device cannot use it')
  t.equal((await beginWithPassword(cabinet, 'denis')).answer.headers.location, '/', 'the person sets it up anew')
  t.equal(events(cabinet, 'passkey-removed', cast.denis).length, 1)
})

t.test('removing a passkey asks for the password again, as turning off the second factor does', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const denis = await as('denis')
  await register(denis, new Authenticator())
  db.update(sessions).set({ proved_at: 0 }).where(eq(sessions.user_id, cast.denis)).run()
  const id = db.select().from(passkeys).get()?.id
  t.match((await denis.post(`/profile/passkeys/${id}/delete`, { remove: 1 })).headers.location, /^\/confirm-identity/)
  t.equal(db.select().from(passkeys).all().length, 1)
})

t.test('the relying party comes from PUBLIC_URL, and a bare IP address has none', async (t) => {
  const origin = 'https://cabinet.example.com'
  const cabinet = await startCabinet(t, { environment: { PUBLIC_URL: origin } })
  const denis = await cabinet.as('denis')
  t.equal((await registrationOptions(denis)).rp.id, 'cabinet.example.com')
  t.equal((await register(denis, new Authenticator())).statusCode, 422, 'localhost is another origin')
  t.equal((await register(denis, new Authenticator({ origin }))).statusCode, 200)
  for (const address of ['http://192.168.0.7:3000', 'http://[fd00::7]:3000']) {
    const { as, newBrowser } = await startCabinet(t, { environment: { PUBLIC_URL: address } })
    t.equal((await newBrowser().post('/login/passkey/options')).statusCode, 404)
    t.equal(parseHtml((await newBrowser().get('/login')).body)('[data-passkey]').length, 0)
    t.equal(parseHtml((await (await as('denis')).get('/profile?tab=security')).body)('[data-passkey]').length, 0)
  }
  const local = await startCabinet(t)
  const shown = async (host: string) => parseHtml((await local.newBrowser().get('/login', { host })).body)('[data-passkey]').length
  t.equal(await shown('localhost:3000'), 1)
  t.equal(await shown('127.0.0.1:3000'), 0)
  t.equal(await shown('[::1]:3000'), 0)
})

t.test('whatever else is sent is refused, and nothing fails', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, newBrowser } = cabinet
  const denis = await as('denis')
  const device = new Authenticator()
  await register(denis, device)
  const good = device.answer(await signInOptions(denis))
  const bodies = [
    'null',
    '[]',
    '"text"',
    '{}',
    '{"__proto__":{"id":"a"}}',
    '{',
    '',
    JSON.stringify({ ...good, id: 7 }),
    JSON.stringify({ ...good, response: null }),
    JSON.stringify({ ...good, response: { ...good.response, clientDataJSON: 'e30' } }),
    JSON.stringify({ ...good, response: { ...good.response, authenticatorData: 'AA' } }),
    JSON.stringify({ ...good, response: { clientDataJSON: 'bnVsbA', attestationObject: 'AA' } }),
    JSON.stringify({ ...good, response: { clientDataJSON: 'bnVsbA', attestationObject: 'oA' } }),
    JSON.stringify({ ...good, next: [] }),
    'x'.repeat(70_000),
  ]
  const paths = ['/login/passkey/options', '/login/passkey', '/profile/passkeys/options', '/profile/passkeys', '/confirm-identity/passkey']
  for (const path of paths)
    for (const body of bodies)
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
        const browser = path.startsWith('/login') ? newBrowser() : denis
        const { statusCode } = await browser.send('POST', path, { 'content-type': type }, body)
        t.ok(statusCode < 500, `${path} ${type} ${body.slice(0, 80)}: ${statusCode}`)
      }
  t.equal((await denis.send('POST', '/login', { 'content-type': 'application/json' }, '{}')).statusCode, 415, 'other routes take no JSON')
})

t.test('without a session the routes of the profile lead to sign-in, and keep nothing', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  t.match((await sendJson(newBrowser(), '/profile/passkeys', {})).headers.location, /^\/login/)
  const denis = await as('denis')
  db.update(sessions).set({ seen_at: 0 }).where(eq(sessions.user_id, cast.denis)).run()
  t.match((await sendJson(denis, '/profile/passkeys', { a: 1 })).headers.location, /^\/login$/)
  t.equal(db.$client.prepare('select count(*) from pending_submissions').pluck().get(), 0)
})

t.test('a changed password ends sessions and leaves passkeys', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, newBrowser } = cabinet
  const device = new Authenticator()
  await register(await as('denis'), device)
  const browser = newBrowser()
  await signInWith(browser, device)
  const root = await as('root')
  await root.post(`/dealers/edit/${cast.denis}`, { password: 'another good password' })
  t.notOk(await isSignedIn(browser))
  t.equal((await signInWith(newBrowser(), device)).statusCode, 200)
  t.equal(events(cabinet, 'password-changed', cast.denis).length, 1)
})

t.test('of several passkeys of two users each is listed for its own user, used and removed by itself', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const [denis, daria] = [await as('denis'), await as('daria')]
  const [phone, laptop, other] = [new Authenticator(), new Authenticator(), new Authenticator()]
  await register(denis, phone, 'Phone')
  await register(denis, laptop, 'Laptop')
  await register(daria, other, 'Phone')
  const idOf = (user: number, name: string) =>
    db
      .select()
      .from(passkeys)
      .where(and(eq(passkeys.user_id, user), eq(passkeys.name, name)))
      .get()?.id as number
  const listed = async (browser: Browser) =>
    rowsOf(await browser.get('/profile?tab=security'), 'passkeys').map(({ cells }) => [cells.name, cells.last_used_at])
  t.equal((await signInWith(newBrowser(), laptop)).statusCode, 200)
  t.match(await listed(denis), [
    ['Phone', '—'],
    ['Laptop', 'now'],
  ])
  t.same(await listed(daria), [['Phone', '—']])
  const [added, used] = [Date.now() - 3 * 86_400_000, Date.now() - 2 * 86_400_000]
  const changed = db.update(passkeys).set({ created_at: added, last_used_at: used })
  changed.where(eq(passkeys.id, idOf(cast.denis, 'Laptop'))).run()
  const tab = parseHtml((await denis.get('/profile?tab=security')).body)
  const moments = ['created_at', 'last_used_at'].map((name) => tab(`#passkeys-${idOf(cast.denis, 'Laptop')} [data-col=${name}]`))
  t.same(
    moments.map((moment) => [moment.text().replace(/\s+/g, ' ').trim(), moment.attr('title')]),
    [
      ['3 days ago', formatDateTime(added)],
      ['2 days ago', formatDateTime(used)],
    ],
    'added earlier than last used',
  )
  const unused = tab(`#passkeys-${idOf(cast.denis, 'Phone')} [data-col=last_used_at]`)
  t.equal(unused.attr('title'), undefined, 'what was never used has no moment to point at')
  t.equal((await denis.post(`/profile/passkeys/${idOf(cast.daria, 'Phone')}/delete`, { remove: 1 })).statusCode, 403, "another user's")
  t.equal((await denis.post('/profile/passkeys/987654/delete', { remove: 1 })).statusCode, 404)
  const removed = await denis.post(`/profile/passkeys/${idOf(cast.denis, 'Phone')}/delete`, { remove: 1 })
  t.equal(removed.headers.location, '/profile?tab=security')
  t.match(textsByRole(await denis.get('/profile?tab=security'), 'status').join(), /Phone/)
  t.same(
    [await signInWith(newBrowser(), phone), await signInWith(newBrowser(), laptop), await signInWith(newBrowser(), other)].map(
      ({ statusCode }) => statusCode,
    ),
    [422, 200, 200],
  )
  await (await as('root')).post(`/dealers/edit/${cast.denis}/factor/reset`)
  t.same([await listed(denis), (await listed(daria)).length], [[], 1], 'a reset takes the passkeys of one user')
  t.equal((await signInWith(newBrowser(), other)).statusCode, 200)
  t.same(
    events(cabinet, 'passkey-removed', cast.denis).map(({ detail }) => detail),
    ['Phone', 'Laptop'],
  )
  t.same(events(cabinet, 'passkey-removed', cast.daria), [])
})

t.test('a user has at most 20 passkeys, and no passkey is added twice (422)', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [denis, daria] = [await as('denis'), await as('daria')]
  const device = new Authenticator()
  await register(denis, device, 'First')
  const first = db.select().from(passkeys).get() as typeof passkeys.$inferSelect
  const twice = device.register(await registrationOptions(daria), { credentialId: Buffer.from(first.credential_id, 'base64url') })
  const refused = await sendJson(daria, '/profile/passkeys', { ...twice, name: 'The same' })
  t.same([refused.statusCode, refused.json().errors], [422, { name: 'This passkey has already been added.' }])
  for (let number = 2; number <= 19; number++)
    db.insert(passkeys)
      .values({ ...first, id: undefined, name: `No. ${number}`, credential_id: `credential-${number}` })
      .run()
  t.equal((await register(denis, new Authenticator(), 'Twentieth')).statusCode, 200)
  const one = await register(denis, new Authenticator(), 'One more')
  t.same([one.statusCode, one.json().errors], [422, { name: 'You have too many passkeys. Remove one first.' }])
  t.equal((await register(daria, new Authenticator(), 'Hers')).statusCode, 200, 'others are counted by themselves')
  const count = (id: number) => db.select().from(passkeys).where(eq(passkeys.user_id, id)).all().length
  t.same([count(cast.denis), count(cast.daria)], [20, 1])
})
