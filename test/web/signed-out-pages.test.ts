import { eq } from 'drizzle-orm'
import t from 'tap'
import { changes, settings, users } from '../../src/database/schema/index.ts'
import { findSettings } from '../../src/database/settings.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { elementsOf, errorsOf, parseHtml, textsByRole } from '../support/html.ts'

/** What a page in front of the sign-in says, element by element. */
function textsOf({ body }: Answer, selector = 'h1, p, label, button, [role], .sign-in-more a, a.btn'): string[] {
  const $ = parseHtml(body)
  const inside = $('.sign-in').find(selector).toArray()
  return inside.map((one) => $(one).text().replace(/\s+/g, ' ').trim()).filter(Boolean)
}

t.test('the pages in front of the sign-in say what can be done there', async (t) => {
  const { newBrowser, db } = await startCabinet(t, { environment: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' } })
  const visitor = newBrowser()
  const form = [
    'Dealer cabinet',
    'Email',
    'Password',
    'Sign in',
    'Sign in with a passkey',
    'Forgot your password?',
    'Forgot your password?',
  ]
  t.same(textsOf(await visitor.get('/login')), form, 'and no demo accounts')
  db.update(settings).set({ name: 'Windows & Co', sign_in_note: 'Questions?\nCall <b>8 800</b>' }).run()
  const noted = await visitor.get('/login?reset=1')
  t.same(textsOf(noted), ['Windows & Co', 'Questions? Call <b>8 800</b>', 'Password changed. Sign in with the new one.', ...form.slice(1)])
  t.same(parseHtml(noted.body)('.sign-in-note').text(), 'Questions?\nCall <b>8 800</b>', 'its lines are kept')
  const wrong = await visitor.post('/login', { email: 'who@example.com', password: 'x', next: '/orders' })
  const $ = parseHtml(wrong.body)
  t.same(textsOf(wrong, '[role=alert]'), ['Wrong email or password, or the account is deactivated. Forgot your password?'])
  t.match($('#email').attr(), {
    value: 'who@example.com',
    'aria-invalid': 'true',
    'aria-describedby': 'sign-in-error',
    autofocus: undefined,
  })
  const marked = { 'aria-invalid': 'true', 'aria-describedby': 'sign-in-error' }
  t.match($('#password').attr(), { ...marked, value: undefined, autofocus: '' }, 'the password is typed again')
  t.equal($('input[name=next]').attr('value'), '/orders')
  t.equal(parseHtml((await visitor.get('/login')).body)('#email').attr('autofocus'), 'autofocus')

  t.same(textsOf(await visitor.get('/password/forgot')), [
    'Windows & Co',
    'Forgot your password?',
    'Enter your email and we will send you a link to set a new password.',
    'Email *',
    'Send link',
    'Back to sign-in',
    'Back to sign-in',
  ])
  const sent = await visitor.post('/password/forgot', { email: 'who@example.com' })
  t.same(textsOf(await visitor.get(String(sent.headers.location))), [
    'Windows & Co',
    'Forgot your password?',
    'If an account uses this email, we have sent it a link. The link works once and expires in an hour.',
    'No email? Check your spam folder, try again in a minute, or contact an administrator.',
    'Back to sign-in',
    'Back to sign-in',
  ])
  for (const [path, texts] of [
    [
      '/password/reset/nothing',
      ['This link has expired', 'Reset links work once and expire in an hour. You can request a new one.', 'Request new link'],
    ],
    [
      '/invitation/nothing',
      ['This link has expired', 'Invitation links work once and expire in 7 days. Ask the person who invited you for a new one.'],
    ],
  ] as const) {
    const page = await visitor.get(path)
    t.equal(page.statusCode, 404, path)
    t.same(textsOf(page), ['Windows & Co', ...texts, 'Back to sign-in', 'Back to sign-in'], path)
    t.equal(page.headers['referrer-policy'], 'strict-origin', 'the token is told to nobody')
    t.equal(parseHtml(page.body)('form').length, 0)
    const again = parseHtml(page.body)('a.btn:not([hidden])')
    t.equal(again.attr('href'), path.startsWith('/password') ? '/password/forgot' : undefined, 'only a reset link can be had anew')
    t.equal(parseHtml(page.body)('.sign-in-more a').attr('href'), '/login')
  }
})

t.test('a set-up link creates one superadministrator, who is signed in, and then leads nowhere', async (t) => {
  const { newBrowser, db } = await startCabinet(t, { empty: true, setupToken: 'right-token' })
  const browser = newBrowser()
  for (const token of ['wrong-token', 'right-toke', 'right-token1']) {
    t.equal((await browser.get(`/setup/${token}`)).statusCode, 404, token)
    t.equal(
      (await browser.post(`/setup/${token}`, { lastname: 'A', name: 'B', email: 'a@example.com', password: 'a good password' })).statusCode,
      404,
    )
  }
  t.equal(db.select().from(users).all().length, 0)
  const unset = await browser.get('/login')
  t.match(textsByRole(unset, 'status').join(), 'open the link that the server printed', 'sign-in says where the link is')
  t.notMatch(unset.body, 'right-token', 'and does not give it away')
  const page = await browser.get('/setup/right-token')
  t.same(textsOf(page).slice(0, 2), ['Dealer cabinet', 'Set up the cabinet'])
  const empty = await browser.post('/setup/right-token', { password: '' })
  t.match(
    parseHtml(empty.body)('.field:has([name=password])').text(),
    /Enter a password\.\s+8 to 256 characters/,
    'what is asked for stays in sight',
  )
  const refused = await browser.post('/setup/right-token', { lastname: '', name: '', email: 'nobody', password: 'short' })
  t.equal(refused.statusCode, 422)
  t.same(Object.keys(errorsOf(refused)).sort(), ['email', 'lastname', 'name', 'password'])
  t.equal(parseHtml(refused.body)('[autofocus]').length, 1, 'and the first has the focus')
  t.equal(db.select().from(users).all().length, 0)
  const fields = { lastname: 'First', name: 'Anna', email: 'anna@example.com', password: 'a good password', organization: 'Windows Ltd' }
  const created = await browser.post('/setup/right-token', fields)
  t.match(created, { statusCode: 303, headers: { location: '/' } })
  t.match(db.select().from(users).all(), [
    { lastname: 'First', name: 'Anna', email: 'anna@example.com', superadmin: true, active: true, group_id: 1 },
  ])
  t.equal((await browser.get('/settings')).statusCode, 200, 'signed in, with full access')
  t.equal(findSettings(db).name, 'Windows Ltd', 'the organization is named, too')
  t.match(db.select().from(changes).where(eq(changes.entity, 'settings')).get(), { actor_name: 'First start', actor_id: null })
  const other = newBrowser()
  t.notMatch((await other.get('/login')).body, 'the server printed', 'which is over then')
  for (const whoever of [browser, other]) {
    const used = await whoever.get('/setup/right-token')
    t.equal(used.statusCode, 404)
    const ways = parseHtml(used.body)('#main .btn-primary')
    t.same([ways.length, ways.attr('href')], [1, '/'], 'what was used is neither searched for')
    t.notMatch(elementsOf(used.body, '#main').join(), 'right-token', 'nor repeated')
  }
  t.equal((await other.post('/setup/right-token', { ...fields, email: 'other@example.com' })).statusCode, 404)
  t.equal(db.select().from(users).all().length, 1)
})
