import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { integrityErrors } from '../support/dump.ts'
import { makeRandom } from '../support/random.ts'
import { runCommand, startService, temporaryFolder } from '../support/service.ts'
import { admin, lostFiles, seedRecords, writeUntilKilled } from './crash-recovery.ts'
import { States } from './states.ts'
import { createClient, writers } from './writers.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Twice what docs/operations.md promises, since the machine may have other work. */
const interval = 10_000

/** The folder of the program itself: the wrapper of its package would not pass a kill on. */
function litestreamFolder(): string {
  const folder = join(root, `node_modules/@flydotio/litestream-${process.platform}-${process.arch}`)
  return existsSync(folder) ? folder : dirname(execFileSync('sh', ['-c', 'command -v litestream'], { encoding: 'utf8' }))
}

const withLitestream = { PATH: `${litestreamFolder()}${delimiter}${process.env.PATH}` }
const litestream = (...args: string[]) => execFileSync('litestream', args, { encoding: 'utf8', env: withLitestream })

t.equal(litestream('version').trim(), 'v0.3.13')

t.test('a standby made of the replica has everything but the last seconds, and every transaction whole', async (t) => {
  const [dataDir, replica, elsewhere] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]
  const service = await startService(t, { DATA_DIR: dataDir, ...admin })
  const cookie = await seedRecords(service)
  const replicators = startReplicators(t, dataDir, replica)
  while (!existsSync(join(replica, 'copied-at')) || generations(replica).length === 0) await pause(100)

  const states = new States()
  const random = makeRandom(Number(process.env.SEED) || Date.now() % 1_000_000)
  let numbers = 0
  const work = {
    visitor: createClient(service.address, cookie),
    dealer: createClient(service.address, cookie),
    ledger: states,
    random,
    next: () => ++numbers,
  }
  const busy = (['orders', 'files', 'companies'] as const).map((name) =>
    writeUntilKilled(async () => {
      await writers[name]?.(work)
      // A dealer can place up to 60 orders an hour.
      await pause(random.integer(200, 800))
    }, name),
  )
  await acceptsReplication(t, dataDir)
  await pause(8000)
  const [database, files] = replicators
  files?.kill('SIGKILL')
  // The database is ahead of its uploads when it is lost.
  await pause(3000)
  database?.kill('SIGKILL')
  await service.kill()
  const killedAt = Date.now()
  t.same((await Promise.all(busy)).filter(Boolean), [], 'nothing was refused')
  t.equal(generations(replica).length, 1, 'nobody else has checkpointed what had not been copied')

  const standby = join(elsewhere, 'data')
  execFileSync('sh', ['deploy/restore-replica.sh', replica, standby], { cwd: root, env: withLitestream })
  const db = new Sqlite(join(standby, 'cabinet.sqlite'))
  t.same(states.differences(db, killedAt - interval), [])
  t.same([...integrityErrors(db), ...lostFiles(db, standby)], [], 'whole, and every file is there')
  const lost = states.lost(db)
  db.close()
  t.ok(states.acknowledged > 30)
  const restarted = await startService(t, { DATA_DIR: standby })
  const seconds = (from: number) => ((Date.now() - from) / 1000).toFixed(1)
  const age = lost.length > 0 ? (killedAt - Math.min(...lost)) / 1000 : 0
  t.comment(`${states.acknowledged} writes; ${lost.length} of the last ${age.toFixed(1)} s lost; answered after ${seconds(killedAt)} s`)
  t.match(await createClient(restarted.address, cookie).get('/orders'), /data-total/, 'whoever was signed in still is')
  const more = { ...work, visitor: createClient(restarted.address, cookie), ledger: new States(), next: () => ++numbers + 1_000_000 }
  await t.resolves(writers.orders?.(more) as Promise<void>, 'and goes on working')
})

function startReplicators(test: Test, dataDir: string, replica: string): ChildProcess[] {
  const env = { ...withLitestream, DATA_DIR: dataDir, REPLICA: replica }
  const start = (command: string, args: string[]) => spawn(command, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const started = [
    start(join(litestreamFolder(), 'litestream'), ['replicate', '-config', 'deploy/litestream.yml']),
    start(process.execPath, ['dist/commands/replicate-files.js', replica]),
  ]
  for (const child of started) test.teardown(() => child.kill('SIGKILL'))
  return started
}

function generations(replica: string): string[] {
  const folder = join(replica, 'database/generations')
  return existsSync(folder) ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'snapshots'))) : []
}

/** Litestream keeps two tables in the database and a folder beside it. */
async function acceptsReplication(test: Test, dataDir: string): Promise<void> {
  const db = new Sqlite(join(dataDir, 'cabinet.sqlite'), { readonly: true })
  const tables = db.prepare(`select name from sqlite_master where name like '\\_litestream%' escape '\\' order by 1`).pluck().all()
  db.close()
  test.same(tables, ['_litestream_lock', '_litestream_seq'])
  test.ok(readdirSync(dataDir).includes('.cabinet.sqlite-litestream'))
  const checked = await runCommand('doctor', [], { DATA_DIR: dataDir })
  for (const name of ['database', 'schema', 'search indexes']) test.match(checked.text, new RegExp(`ok +${name}:`), checked.text)
  const [target, restored] = [temporaryFolder(test), join(temporaryFolder(test), 'data')]
  const backup = await runCommand('backup', [target], { DATA_DIR: dataDir })
  test.equal(backup.code, 0, backup.text)
  const restore = await runCommand('restore', [join(target, readdirSync(target)[0] as string), restored])
  test.equal(restore.code, 0, restore.text)
  test.notOk(readdirSync(restored).includes('.cabinet.sqlite-litestream'), 'Litestream begins anew there')
  await startService(test, { DATA_DIR: restored })
  test.ok(readFileSync(join(restored, 'session.key')).length > 0)
}
