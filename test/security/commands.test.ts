import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import t from 'tap'
import { passkeys, pendingSubmissions, secondFactors, securityEvents, sessions } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { rowsOf } from '../support/html.ts'
import { runCommand, temporaryFolder } from '../support/service.ts'

t.test('the operator revokes a leaked key at once', async (t) => {
  const { app, as, cast, db } = await startCabinet(t)
  const { dataDir } = app.config
  const rotate = async (...args: string[]) => {
    const { code, text } = await runCommand('rotate-key', args, { DATA_DIR: dataDir })
    t.equal(code, 0, text)
    return text
  }
  const root = await as('root')
  const keys = () => JSON.parse(readFileSync(join(dataDir, 'session.key'), 'utf8')).map(({ key }: { key: string }) => key) as string[]
  const [leaked] = keys()
  t.match(await rotate(), /Restart the service to use it; everybody stays signed in\./)
  t.equal(keys().length, 2)
  t.equal(keys()[1], leaked, 'renewed, the old key still opens cookies')
  t.equal((await root.get('/orders')).statusCode, 200, 'nobody is signed out')
  db.insert(pendingSubmissions)
    .values({ user_id: cast.root, browser_hash: 'a', sealed: Buffer.from('a'), at: Date.now() })
    .run()
  t.match(await rotate('--now'), /are revoked, and everybody is signed out\. Restart the service now\./)
  t.equal(keys().length, 1)
  t.notOk(keys().includes(leaked as string))
  t.equal(db.select().from(sessions).all().length, 0)
  t.equal(db.select().from(pendingSubmissions).all().length, 0, 'what was sent under the old key is gone too')
  t.match((await root.get('/orders')).headers.location, /^\/login/, 'signed out before the restart')
})

t.test('the operator resets a lost second factor with its passkeys, and nobody else loses theirs', async (t) => {
  const { app, cast, db } = await startCabinet(t)
  for (const user_id of [cast.root, cast.admin])
    db.insert(secondFactors).values({ user_id, secret: 'JBSWY3DPEHPK3PXP', last_step: 0, created_at: 1 }).run()
  const key = { name: 'Phone', public_key: 'a', counter: 0, transports: [], user_handle: 'a', created_at: 1 }
  for (const user_id of [cast.root, cast.maria, cast.admin])
    db.insert(passkeys)
      .values({ ...key, user_id, credential_id: `of ${user_id}` })
      .run()
  const reset = (...args: string[]) => runCommand('reset-second-factor', args, { DATA_DIR: app.config.dataDir })

  const [ofRoot, ofMaria] = await Promise.all([reset('root@example.com'), reset('maria@example.com')])
  for (const answer of [ofRoot, ofMaria]) t.match(answer, { code: 0, text: /^The second factor is off and passkeys are removed\./ })
  t.same(
    db
      .select()
      .from(secondFactors)
      .all()
      .map(({ user_id }) => user_id),
    [cast.admin],
  )
  t.same(
    db
      .select()
      .from(passkeys)
      .all()
      .map(({ user_id }) => user_id),
    [cast.admin],
  )
  const noted = (user_id: number) =>
    db
      .select()
      .from(securityEvents)
      .where(eq(securityEvents.user_id, user_id))
      .all()
      .map(({ event, detail, actor_name }) => [event, detail, actor_name])
  const by = 'npm run reset-second-factor'
  t.same(noted(cast.root), [
    ['factor-changed', 'off', by],
    ['passkey-removed', 'Phone', by],
  ])
  t.same(noted(cast.maria), [['passkey-removed', 'Phone', by]])

  const [again, nobody, two] = await Promise.all([reset('root@example.com'), reset(), reset('admin@example.com', 'more')])
  t.match(again, { code: 1, text: /^No account with the email root@example\.com has a second factor or a passkey\.\n$/ })
  for (const answer of [nobody, two]) t.match(answer, { code: 1, text: /^Usage: npm run reset-second-factor -- <email>/ })
  t.equal(db.select().from(secondFactors).all().length, 1, 'a mistyped command changes nothing')
})

t.test('the security log is printed from a day on, by the clock of the service', async (t) => {
  const { app, db } = await startCabinet(t)
  db.delete(securityEvents).run()
  const moments = ['2026-01-30T13:59:59.999Z', '2026-01-30T14:00:00.000Z', '2026-02-01T00:00:00.000Z']
  for (const at of moments)
    db.insert(securityEvents)
      .values({ at: Date.parse(at), event: 'sign-in', user_name: at, actor_name: '' } as never)
      .run()
  const print = (...args: string[]) => runCommand('security-log', args, { DATA_DIR: app.config.dataDir, TZ: 'Asia/Vladivostok' })
  const [all, since, wrong, short] = await Promise.all([
    print(),
    print('--since', '2026-01-31'),
    print('--since', 'yesterday'),
    print('--since', '2026'),
  ])
  const printed = ({ text }: { text: string }) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).at)
  t.same(printed(all as never), moments, 'the oldest first')
  t.same(printed(since as never), moments.slice(1))
  for (const answer of [wrong, short]) t.match(answer, { code: 1, text: /^Usage: npm run security-log/ })
})

t.test('the operator rebuilds what is searched, and is told what is wrong before anything happens', async (t) => {
  const { app, as, cast, db } = await startCabinet(t)
  const { dataDir } = app.config
  db.run(sql`delete from company_texts`)
  const run = (command: string, args: string[] = [], environment = {}) => runCommand(command, args, { DATA_DIR: dataDir, ...environment })
  const [broken, setting, nowhere] = await Promise.all([
    run('doctor'),
    run('reindex', [], { PORT: 'many' }),
    run('backup', [temporaryFolder(t)], { DATA_DIR: join(temporaryFolder(t), 'nothing') }),
  ])
  t.match(broken, { code: 1, text: /^PROBLEM {2}search indexes: 3 records .*npm run reindex$/m })
  t.match(broken?.text, /\n1 of 10 checks found a problem\.\n$/)
  t.match(setting, { code: 1, text: /^PORT: .*\n$/ })
  t.match(nowhere, { code: 1, text: /^[^\n]*no database[^\n]*\n$/ })
  t.match(await run('reindex'), { code: 0, text: /^The search indexes have been rebuilt\.\n$/ })
  t.same(
    rowsOf(await (await as('root')).get('/companies?q=windows'), 'companies').map(({ id }) => id),
    [cast.companies.alpha],
  )
  t.match(await run('doctor'), { code: 0, text: /^ok {7}search indexes: complete\n[\s\S]*\nEverything is fine\.\n$/m })
})
