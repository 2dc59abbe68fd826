import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { invitations, users } from '../../src/database/schema/index.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { errorsOf, parseHtml } from '../support/html.ts'

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
  t.equal((await nina.get(path)).statusCode, 404, 'the link works once')
  t.match((await root.get(String(added.headers.location))).body, /Invitation accepted/)
  t.equal((await cabinet.newBrowser().post('/login', { email: 'nina@example.com', password: fresh })).statusCode, 303)
})

t.test('without a mail server the invitation link is shown once to the user who invites', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const { location } = (await root.post('/managers/add', newManager)).headers
  const link = shownLink(await root.get(String(location)))
  t.match(link, /\/invitation\/[\w-]{43}$/)
  t.equal(shownLink(await root.get(String(location))), undefined, 'not a second time')
  t.equal((await cabinet.newBrowser().get(new URL(link as string).pathname)).statusCode, 200)
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
  }
  t.match((await invite(cabinet, card)).length, /\d+/)
  db.update(invitations)
    .set({ at: Date.now() - 8 * day })
    .run()
  t.match((await root.get(`${card}?tab=invitation`)).body, /Invitation expired/)
  t.match((await root.get('/dealers?cols=invitation')).body + (await root.get('/managers')).body, /Invitation expired/, 'and the list')
})

t.test('a user cannot invite somebody with more permissions than they have (403)', async (t) => {
  const cabinet = await startCabinet(t)
  const admin = await cabinet.as('admin')
  for (const path of [`/managers/edit/${cabinet.cast.maria}`, `/admins/edit/${cabinet.cast.root}`])
    t.equal((await admin.post(`${path}/invitation`)).statusCode, 403, path)
  const root = await cabinet.as('root')
  await root.get(`/impersonate/${cabinet.cast.admin}`)
  t.equal((await root.post(`/dealers/edit/${cabinet.cast.denis}/invitation`)).statusCode, 403, 'nor in the name of another')
})

t.test('inviting asks for the password when it was last entered long ago', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  cabinet.db.$client.exec(`update sessions set proved_at = ${Date.now() - 2 * 3600_000}`)
  const answer = await root.post(`/dealers/edit/${cabinet.cast.denis}/invitation`)
  t.match(String(answer.headers.location), /confirm-identity/)
  t.same(cabinet.db.select().from(invitations).all(), [])
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
