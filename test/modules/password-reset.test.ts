import { setTimeout as pause } from 'node:timers/promises'
import argon2 from 'argon2'
import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, passwordResets, sessions, signInFailures, users } from '../../src/database/schema/index.ts'
import { createResetLinks } from '../../src/modules/session/password-reset.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { type Mail, startMailServer } from '../support/channel-servers.ts'
import { errorsOf, fieldOf, textOf, textsByRole } from '../support/html.ts'

const minute = 60_000
const fresh = 'a brand new password'
const origin = 'https://cabinet.example'

async function open() {
  const office = await startMailServer(t)
  const cabinet = await startCabinet(t, {
    environment: { SMTP_URL: office.url, MAIL_FROM: 'cabinet@example.com', PUBLIC_URL: origin, TRUST_PROXY: 'on' },
  })
  const ask = (email: string, headers: Record<string, string> = {}) => cabinet.newBrowser().post('/password/forgot', { email }, headers)
  /** Waits until so many letters have come. */
  const received = async (count: number) => {
    // Notices of changed passwords are mailed too.
    const links = () => office.letters.filter(({ text }) => text.includes('/password/reset/'))
    for (const end = Date.now() + 15_000; links().length < count && Date.now() < end; ) await pause(10)
    return links()
  }
  /** The links of the last of so many letters. */
  const linksOf = async (count: number) => pathsIn((await received(count)).at(-1) as Mail)
  /** A minute has gone by since the last mail. */
  const later = () =>
    cabinet.db
      .update(passwordResets)
      .set({ at: Date.now() - minute })
      .run()
  return { ...cabinet, office, ask, received, linksOf, later }
}

const pathsIn = (letter: Mail) => [...letter.text.matchAll(/https?:\/\/\S+/g)].map(([link]) => new URL(link).pathname)

const stranger = { id: null, name: '' }

const signIn = ({ newBrowser }: Pick<Cabinet, 'newBrowser'>, email: string, word: string) =>
  newBrowser().post('/login', { email, password: word })

t.test('a user resets a forgotten password with the mailed link', async (t) => {
  const cabinet = await open()
  const { ask, as, cast, db, linksOf, office, newBrowser } = cabinet
  const maria = await as('maria')
  const outsider = newBrowser()
  t.match((await outsider.get('/login')).body, 'href="/password/forgot"')
  t.equal(fieldOf(await outsider.get('/password/forgot'), 'email')?.type, 'email')
  const answer = await ask(` ${emailOf('maria').toUpperCase()} `)
  t.equal(answer.statusCode, 303)
  t.same(answer.cookies, [])
  t.equal(textsByRole(await outsider.get(String(answer.headers.location)), 'status').length, 1)

  const [link = ''] = await linksOf(1)
  const [letter] = office.letters as [Mail]
  t.match(letter, { to: emailOf('maria'), subject: 'Reset your Dealer cabinet password' }, 'it goes to the address of the account')
  t.same(
    letter.text.trim().split('\n\n'),
    [
      'Someone, most likely you, asked to reset your Dealer cabinet password.',
      'Open this link within an hour to set a new password:',
      origin + link,
      'If this was not you, ignore this email. Your password stays the same.',
    ],
    'the letter',
  )
  const stored = JSON.stringify(db.select().from(passwordResets).all())
  t.notOk(stored.includes(link.split('/').at(-1) as string), 'the database holds only a hash')

  const page = await outsider.get(link)
  t.equal(page.statusCode, 200)
  t.match(textOf(page.body), 'Changing your password signs you out in every browser.')
  t.equal(page.headers['referrer-policy'], 'strict-origin', 'no request that the page makes tells its address')
  t.equal(page.headers['cache-control'], 'no-store')
  const short = await outsider.post(link, { password: 'short' })
  t.equal(short.statusCode, 422)
  t.ok(errorsOf(short).password)
  t.equal((await outsider.post(link, {})).statusCode, 422)
  t.equal((await maria.get('/')).statusCode, 200, 'a mistake uses nothing up and ends nothing')

  db.insert(signInFailures)
    .values({ email: emailOf('maria'), address: '127.0.0.1', at: Date.now() })
    .run()
  const done = await outsider.post(link, { password: fresh })
  t.equal(done.statusCode, 303)
  t.match(done.headers.location, /^\/login/)
  t.equal(textsByRole(await outsider.get(String(done.headers.location)), 'status').length, 1)
  t.equal((await maria.get('/')).statusCode, 303, 'her sessions have ended')
  t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.maria)).all().length, 0)
  t.equal(db.select().from(signInFailures).all().length, 0, 'her failed attempts are forgotten')
  t.equal((await signIn(cabinet, emailOf('maria'), password)).statusCode, 422)
  t.equal((await signIn(cabinet, emailOf('maria'), fresh)).statusCode, 303)
  const change = db.select().from(changes).orderBy(desc(changes.id)).get()
  t.match(change, { actor_id: cast.maria, record_id: cast.maria, address: '127.0.0.1', fields: { password: [null, null] } })

  for (const method of ['get', 'post'] as const) {
    const again = await outsider[method](link, { password: 'yet another one' })
    t.equal(again.statusCode, 404, 'it works once')
    t.match(textOf(again.body), 'This link has expired')
  }
})

t.test('a reset link expires after an hour, after use and after any change of password, email or account', async (t) => {
  const cabinet = await open()
  const { as, cast, db, newBrowser, later } = cabinet
  const texts = new Set<string>()
  const link = () => {
    later()
    return `/password/reset/${createResetLinks(db, emailOf('denis'), stranger)[0]?.token}`
  }
  const dead = async (path: string, why: string) => {
    const answers = [await newBrowser().get(path), await newBrowser().post(path, { password: fresh })]
    for (const answer of answers) {
      t.equal(answer.statusCode, 404, why)
      texts.add(answer.body)
    }
  }
  const set = (values: object) => db.update(users).set(values).where(eq(users.id, cast.denis)).run()

  await dead('/password/reset/made-up', 'a token that never was')
  const old = link()
  db.update(passwordResets)
    .set({ at: Date.now() - 60 * minute - 1000 })
    .run()
  await dead(old, 'an hour')
  const off = link()
  set({ active: false })
  await dead(off, 'an account that was switched off')
  set({ active: true })
  const moved = link()
  set({ email: 'elsewhere@example.com' })
  await dead(moved, 'another address')
  set({ email: emailOf('denis') })
  const changed = link()
  await (await as('admin')).post(`/dealers/edit/${cast.denis}`, { password: 'set by somebody' })
  await dead(changed, 'a password set meanwhile')
  const [one, other] = [link(), link()]
  const both = await Promise.all([one, other].map((path) => newBrowser().post(path, { password: fresh })))
  t.same(both.map(({ statusCode }) => statusCode).sort(), [303, 303], 'of two at once one is led to its success')
  t.equal(both.filter(({ headers }) => String(headers.location).startsWith('/login')).length, 1)
  await dead(one, 'used')
  await dead(other, 'the other one used')
  t.equal(texts.size, 1, 'which of these it was is not told')
})

t.test('asking for a reset link does not reveal whether an account exists', async (t) => {
  const { ask, db, office, later, newBrowser, received } = await open()
  const answers = await Promise.all([ask('nobody@example.com'), ask(emailOf('ivan')), ask(emailOf('denis')), ask("x'--@example.com")])
  const told = answers.map(({ statusCode, headers, body }) => [statusCode, headers.location, body])
  for (const one of told) t.same(one, told[0])
  await received(1)
  t.same(
    office.letters.map(({ to }) => to),
    [emailOf('denis')],
    'only an active account is written to',
  )

  t.test('nobody who has not signed in has a form of their own: what is sent with the key of another is done, too', async (t) => {
    const browser = newBrowser()
    for (const email of ['one@example.com', 'two@example.com'])
      t.equal((await browser.post('/password/forgot', { email, once: 'k' })).statusCode, 303)
  })
  t.test('asking for a reset link with an invalid address shows the form again (422)', async (t) => {
    for (const email of ['', 'denis', 'a@b@c', 'x'.repeat(300)]) {
      const answer = await ask(email)
      t.equal(answer.statusCode, 422, email)
      t.equal(fieldOf(answer, 'email')?.value, email)
    }
    t.equal((await newBrowser().post('/password/forgot')).statusCode, 422)
  })

  t.test('a user gets at most one reset mail a minute and five an hour', async (t) => {
    for (let count = 0; count < 3; count++) await ask(emailOf('denis'))
    // Whose address it is is looked up a while after the answer.
    await pause(2000)
    for (let count = 2; count <= 4; count++) {
      later()
      t.equal(createResetLinks(db, emailOf('denis'), stranger).length, 1)
    }
    later()
    await ask(emailOf('denis'))
    await received(2)
    later()
    for (let count = 0; count < 3; count++) await ask(emailOf('denis'))
    await pause(2000)
    await ask(emailOf('maria'))
    await received(3)
    const written = office.letters.map(({ to }) => to)
    t.equal(
      written.filter((to) => to === emailOf('denis')).length,
      2,
      'with the three links between, a minute between two and five an hour',
    )
    t.equal(written.at(-1), emailOf('maria'), 'others are not held up')
    const links = office.letters.flatMap(pathsIn)
    t.equal(new Set(links).size, links.length)
    t.equal((await newBrowser().get(links[0] as string)).statusCode, 200, 'an earlier link still works')
    t.equal(db.select().from(passwordResets).all().length, 6)
  })
})

t.test('the account of a reset request is looked up only after the answer', async (t) => {
  const { ask, db, received } = await open()
  const asked = Date.now()
  await ask(emailOf('denis'))
  await received(1)
  const at = db.select().from(passwordResets).get()?.at ?? 0
  t.ok(at - asked >= 500, `${at - asked} ms later`)
})

t.test('a network may ask for at most 20 reset links an hour (429)', async (t) => {
  const { ask, db } = await open()
  const from = (address: string) => ({ 'x-forwarded-for': address })
  for (let count = 0; count < 20; count++)
    t.equal((await ask(`nobody${count}@example.com`, from(`2001:db8:1:2::${count}`))).statusCode, 303)
  const answer = await ask(emailOf('denis'), from('2001:db8:1:2::ffff'))
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 3500)
  t.equal((await ask('nobody@example.com', from('2001:db8:1:3::1'))).statusCode, 303, 'others may')
  t.equal(db.select().from(passwordResets).all().length, 0)
})

t.test('an address with several accounts gets one mail with a reset link for each', async (t) => {
  const cabinet = await open()
  const { ask, cast, db, linksOf, office, newBrowser } = cabinet
  const { id, ...row } = db.select().from(users).where(eq(users.id, cast.denis)).get() as typeof users.$inferSelect
  const hash = await argon2.hash('the twin password')
  const twin = { ...row, password: hash, lastname: 'Близнецов', language: 'ru' as const }
  db.insert(users).values(twin).run()
  db.insert(users)
    .values({ ...twin, active: false })
    .run()
  db.update(users).set({ language: 'ru' }).where(eq(users.id, cast.denis)).run()
  await ask(emailOf('denis'), { 'accept-language': 'en' })
  const links = await linksOf(1)
  t.equal(links.length, 2)
  t.equal(office.letters[0]?.subject, 'Смена пароля: Дилерский кабинет', "in the person's language")
  t.same(
    office.letters[0]?.text.trim().split('\n\n'),
    [
      'Поступил запрос на смену пароля. Кабинет: Дилерский кабинет.',
      'С этим адресом связано несколько учётных записей. Откройте ссылку нужной в течение часа:',
      `Denisov Denis\n${origin}${links[0]}`,
      `Близнецов Denis\n${origin}${links[1]}`,
      'Если это были не вы, ничего не делайте: пароль останется прежним.',
    ],
    'the letter',
  )
  t.equal((await newBrowser().post(links[1] as string, { password: fresh })).statusCode, 303)
  t.equal((await signIn(cabinet, emailOf('denis'), password)).statusCode, 303, 'the other account keeps its password')
  t.equal((await newBrowser().post(links[0] as string, { password: 'for the first' })).statusCode, 303, 'and its link')
  for (const word of [fresh, 'for the first']) t.equal((await signIn(cabinet, emailOf('denis'), word)).statusCode, 303)
})

t.test('a reset mail that the server rejects temporarily is sent again', async (t) => {
  const { ask, office, linksOf, newBrowser } = await open()
  office.replies = {
    get MAIL() {
      office.replies = {}
      return '451 Try later'
    },
  }
  t.equal((await ask(emailOf('denis'))).statusCode, 303)
  const [link = ''] = await linksOf(1)
  t.equal((await newBrowser().get(link)).statusCode, 200)
})

t.test('without a mail server the reset page says whom to ask', async (t) => {
  const { newBrowser, db } = await startCabinet(t)
  const browser = newBrowser()
  const page = await browser.get('/password/forgot')
  t.equal(page.statusCode, 200)
  t.match(textOf(page.body), 'Ask an administrator for a new password.')
  t.equal(fieldOf(page, 'email'), undefined)
  const answer = await browser.post('/password/forgot', { email: emailOf('denis') })
  t.equal(answer.headers.location, '/password/forgot')
  t.equal(db.select().from(passwordResets).all().length, 0)
})

t.test('a reset link never leads to a host named by the request', async (t) => {
  const { ask, received } = await open()
  await ask(emailOf('denis'), { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' })
  const [letter] = await received(1)
  t.match(letter?.text, `\n${origin}/password/reset/`)
  t.notMatch(letter?.text, 'evil')
})
