import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { changes, recoveryCodes, secondFactors, securityEvents, trash, trashedCredentials, users } from '../../src/database/schema/index.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, type Name } from '../support/cast.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'

/** What an app with this secret shows in half a minute: the present code has been used for setting up. */
const nextCode = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + 30_000 })

async function setUpFactor({ as }: Cabinet, name: Name) {
  const browser = await as(name)
  const secret = parseHtml((await browser.get('/profile?tab=security')).body)('[data-secret]').attr('data-secret') as string
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const codes = elementsOf((await browser.post('/profile/factor', { code })).body, '[data-recovery-code]').map(textOf)
  return { secret, codes }
}

const factorsOf = ({ db }: Cabinet, id: number) => ({
  factor: db.select().from(secondFactors).where(eq(secondFactors.user_id, id)).all(),
  codes: db.select().from(recoveryCodes).where(eq(recoveryCodes.user_id, id)).all(),
})

const trashedId = ({ db }: Cabinet) => db.select().from(trash).all().at(-1)?.id

t.test('whoever deletes and restores a person and sets a password still needs the second factor', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const { secret, codes } = await setUpFactor(cabinet, 'denis')
  await setUpFactor(cabinet, 'daria')
  const [before, others] = [factorsOf(cabinet, cast.denis), factorsOf(cabinet, cast.daria)]
  t.equal(before.codes.length, 10)
  const maria = await as('maria')
  t.equal((await maria.post(`/dealers/edit/${cast.denis}/factor/reset`)).statusCode, 403, 'she may not reset it')

  t.equal((await maria.post('/dealers/delete', { id: cast.denis })).statusCode, 303)
  t.same(factorsOf(cabinet, cast.denis), { factor: [], codes: [] })
  t.same(factorsOf(cabinet, cast.daria), others, 'nobody else loses theirs')
  t.equal((await maria.post(`/bin/${trashedId(cabinet)}/restore`)).statusCode, 303)
  t.same(factorsOf(cabinet, cast.denis), before, 'factor, used steps and recovery codes are back')
  t.same(factorsOf(cabinet, cast.daria), others)
  t.same(db.select().from(trashedCredentials).all(), [], 'and kept nowhere else')
  const told = db.select().from(securityEvents).where(eq(securityEvents.event, 'factor-changed')).all().slice(-2)
  t.match(told, [
    { user_id: cast.denis, actor_id: cast.maria, detail: 'kept with the deleted account' },
    { user_id: cast.denis, actor_id: cast.maria, detail: 'back with the restored account' },
  ])

  const password = 'a brand new password'
  await maria.post(`/dealers/edit/${cast.denis}`, { password })
  const stolen = newBrowser()
  t.equal((await stolen.post('/login', { email: emailOf('denis'), password })).headers.location, '/login/factor')
  t.match((await stolen.get('/orders')).headers.location, /^\/login/)
  t.equal((await stolen.post('/login/factor', { code: nextCode(secret) })).headers.location, '/', 'their own app still opens it')
  const again = newBrowser()
  await again.post('/login', { email: emailOf('denis'), password })
  t.equal((await again.post('/login/factor', { code: codes[0] as string })).headers.location, '/', 'and so do their recovery codes')
})

t.test('a second deletion and restore, by somebody else and among several people, keeps the factor too', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  await setUpFactor(cabinet, 'denis')
  await setUpFactor(cabinet, 'vera')
  const before = [factorsOf(cabinet, cast.denis), factorsOf(cabinet, cast.vera)]
  for (const name of ['maria', 'root'] as const) {
    await (await as(name)).post('/dealers/delete', { id: [cast.denis, cast.vera, cast.ivan] })
    await (await as('root')).post(`/bin/${(trashedId(cabinet) as number) - 2}/restore`)
    t.same([factorsOf(cabinet, cast.denis), factorsOf(cabinet, cast.vera)], before, name)
  }
})

t.test('nothing shows the second factor of a deleted person, and it is gone when they can no longer be restored', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, cast, db } = cabinet
  const { secret } = await setUpFactor(cabinet, 'denis')
  const secrets = [secret, ...factorsOf(cabinet, cast.denis).codes.map(({ code_hash }) => code_hash)]
  const root = await as('root')
  await root.post('/dealers/delete', { id: cast.denis })
  t.equal(db.select().from(trashedCredentials).all().length, 11)
  for (const table of [trash, changes, securityEvents])
    for (const one of secrets) t.notOk(JSON.stringify(db.select().from(table).all()).includes(one))
  const conflict = async () => {
    db.update(users)
      .set({ email: emailOf('denis') })
      .where(eq(users.id, cast.vera))
      .run()
    const answer = await root.post(`/bin/${trashedId(cabinet)}/restore`)
    t.equal(answer.statusCode, 409)
    return answer
  }
  const pages = [
    '/bin',
    '/bin/export?format=csv',
    '/activity',
    '/activity/export?format=csv',
    '/security-log',
    '/security-log/export?format=csv',
  ]
  for (const { body } of [...(await Promise.all(pages.map((path) => root.get(path)))), await conflict()])
    t.notOk(secrets.some((one) => body.includes(one)))
  t.equal(db.select().from(trashedCredentials).all().length, 11, 'a refused restore takes nothing')

  deleteExpiredRows(app)
  t.equal(db.select().from(trashedCredentials).all().length, 11, 'as long as a restore is possible')
  db.update(trash).set({ at: 0 }).run()
  deleteExpiredRows(app)
  t.same(db.select().from(trashedCredentials).all(), [])
})
