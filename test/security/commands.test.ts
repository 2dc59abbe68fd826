import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { secondFactors, sessions } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { runCommand } from '../support/service.ts'

t.test('the operator revokes a leaked key at once and resets a lost second factor', async (t) => {
  const { app, as, cast, db } = await startCabinet(t)
  const { dataDir } = app.config
  const run = async (command: string, ...args: string[]) =>
    t.match(await runCommand(command, args, { DATA_DIR: dataDir }), { code: 0 }, command)
  const root = await as('root')
  db.insert(secondFactors).values({ user_id: cast.root, secret: 'JBSWY3DPEHPK3PXP', last_step: 0, created_at: 1 }).run()
  await run('reset-second-factor', 'root@example.com')
  t.equal(db.select().from(secondFactors).all().length, 0)

  const keys = () => JSON.parse(readFileSync(join(dataDir, 'session.key'), 'utf8')).map(({ key }: { key: string }) => key) as string[]
  const [leaked] = keys()
  await run('rotate-key')
  t.equal(keys()[1], leaked, 'renewed, the old key still opens cookies')
  await run('rotate-key', '--now')
  t.equal(keys().length, 1)
  t.notOk(keys().includes(leaked as string))
  t.equal(db.select().from(sessions).all().length, 0)
  t.match((await root.get('/orders')).headers.location, /^\/login/, 'signed out before the restart')
})
