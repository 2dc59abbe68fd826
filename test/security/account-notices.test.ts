import { setTimeout as pause } from 'node:timers/promises'
import { desc, eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { deliveries, notifications, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { emailOf } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { parseHtml } from '../support/html.ts'
import { listen } from '../support/stream.ts'

const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0' }

t.test('a change of password, email or second factor is mailed to the previous address, with network address and browser', async (t) => {
  const office = await startMailServer(t)
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: office.url, PUBLIC_URL: 'https://cabinet.example' } })
  const { as, cast, db } = cabinet
  const received = async (count: number) => {
    for (const end = Date.now() + 30_000; office.letters.length < count && Date.now() < end; ) await pause(20)
    return office.letters.at(-1)
  }
  const root = await as('root')
  const path = `/managers/edit/${cast.plain}`
  const details = /Time: \d\d\.\d\d\.\d{4} \d\d:\d\d\nIP address: 127\.0\.0\.1\nBrowser: Firefox/

  await root.post(path, { password: 'a brand new password' }, agent)
  t.match(await received(1), { to: emailOf('plain'), subject: 'Dealer cabinet: Your password was changed', text: details })
  const plain = cabinet.newBrowser()
  t.equal((await plain.post('/login', { email: emailOf('plain'), password: 'a brand new password' })).statusCode, 303)
  const { next } = await listen(t, cabinet, plain)
  t.equal(await next(), 'unread 1 1 unread notification')
  await root.post(path, { email: 'elsewhere@example.com' }, agent)
  t.equal(await next(), 'unread 2 2 unread notifications', 'an open page hears of it at once')
  t.match(await received(2), { to: emailOf('plain'), subject: 'Dealer cabinet: Your email was changed', text: details })

  const denis = await as('denis')
  const secret = parseHtml((await denis.get('/profile?tab=security')).body)('[data-secret]').attr('data-secret') as string
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  await denis.post('/profile/factor', { code }, agent)
  const letter = await received(3)
  t.match(letter, { to: emailOf('denis'), subject: 'Dealer cabinet: Your two-step verification was changed', text: details })
  t.match(letter?.text, 'If this was not you, contact an administrator immediately.')
  await root.post(`/dealers/edit/${cast.denis}/factor/reset`, {}, agent)
  t.match(await received(4), { to: emailOf('denis'), subject: 'Dealer cabinet: Your two-step verification was changed' })
  t.equal(office.letters.length, 4)

  const unknown = `Carrier pigeon ${'x'.repeat(240)}`
  t.equal(unknown.length, 255)
  await root.post(path, { password: 'one more new password' }, { 'user-agent': `${unknown}yyy` })
  const named = await received(5)
  t.match(named?.text, `\nBrowser: ${unknown}\n`, 'a browser we do not know as it calls itself, up to a limit')
  t.notMatch(named?.text, 'yyy')

  db.update(users).set({ active: false }).where(eq(users.id, cast.plain)).run()
  await root.post(path, { password: 'a password for later' }, agent)
  const [latest] = db.select().from(notifications).orderBy(desc(notifications.id)).all()
  t.match(latest, { user_id: cast.plain, event: 'password-changed' }, 'somebody deactivated finds it in their inbox later')
  t.same(
    db
      .select()
      .from(deliveries)
      .where(eq(deliveries.notification_id, latest?.id as number))
      .all(),
    [],
    'and gets no mail',
  )
  for (const { text } of office.letters) t.notMatch(text, /a brand new password|elsewhere/, 'what was set is not told')
})
