import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { fileReplica, goneFor } from '../src/backup/file-replica.ts'
import { temporaryFolder } from './support/service.ts'

const day = 86_400_000

function folders(test: Test) {
  const [dataDir, target] = [temporaryFolder(test), join(temporaryFolder(test), 'replica')]
  writeFileSync(join(dataDir, 'cabinet.sqlite'), '')
  writeFileSync(join(dataDir, 'session.key'), 'first')
  const pathIn = (folder: string, key: string) => join(folder, 'files', key.slice(0, 2), key)
  const store = (content: string) => {
    const key = createHash('sha256').update(content).digest('hex')
    mkdirSync(dirname(pathIn(dataDir, key)), { recursive: true })
    writeFileSync(pathIn(dataDir, key), content)
    return key
  }
  const copyOf = (key: string) => (existsSync(pathIn(target, key)) ? readFileSync(pathIn(target, key), 'utf8') : undefined)
  const copiedAt = () => readFileSync(join(target, 'copied-at'), 'utf8').trim()
  return { dataDir, target, pathIn, store, copyOf, copiedAt }
}

t.test('uploads and keys are copied, readable by nobody else, and the time of the pass is noted', async (t) => {
  const { dataDir, target, pathIn, store, copyOf, copiedAt } = folders(t)
  const first = store('first')
  const copyOnce = await fileReplica(dataDir, target)
  await copyOnce(new Date('2026-11-23T10:00:00.900Z'))
  t.equal(copiedAt(), '2026-11-23T10:00:00Z', 'never later than the pass began')
  const second = store('second')
  writeFileSync(join(dataDir, 'session.key'), 'second key')
  await copyOnce(new Date('2026-11-23T10:00:02Z'))
  t.same([first, second].map(copyOf), ['first', 'second'])
  t.equal(readFileSync(join(target, 'session.key'), 'utf8'), 'second key')
  t.notOk(existsSync(join(target, 'cabinet.sqlite')), 'the database is replicated by Litestream')
  rmSync(pathIn(dataDir, first))
  await copyOnce(new Date('2026-11-23T10:00:04Z'))
  const entries = readdirSync(target, { recursive: true, encoding: 'utf8' })
  t.ok(entries.includes(join('gone', first)))
  for (const entry of ['', ...entries]) t.equal(statSync(join(target, entry)).mode & 0o077, 0, `${entry} is its owner's only`)
})

t.test('a key that changes is copied again, whether its time or its size tells of it', async (t) => {
  const { dataDir, target } = folders(t)
  const [key, copy] = [dataDir, target].map((folder) => join(folder, 'session.key')) as [string, string]
  const copyOnce = await fileReplica(dataDir, target)
  const copied = async (content: string, at: number) => {
    writeFileSync(key, content)
    utimesSync(key, at, at)
    await copyOnce()
    return readFileSync(copy, 'utf8')
  }
  const now = Date.now() / 1000
  t.equal(await copied('first', now), 'first')
  t.equal(await copied('other', now + 3600), 'other', 'as long as before, and newer')
  t.equal(await copied('a longer one', now - 3600), 'a longer one', 'put back from elsewhere with its old time')
})

t.test('a copy that was interrupted is made anew, and the time is not noted before everything is there', async (t) => {
  const { dataDir, target, pathIn, store, copyOf, copiedAt } = folders(t)
  const key = store('whole')
  mkdirSync(dirname(pathIn(target, key)), { recursive: true })
  writeFileSync(`${pathIn(target, key)}.part`, 'wh')
  await (await fileReplica(dataDir, target))(new Date('2026-11-23T10:00:00Z'))
  t.equal(copyOf(key), 'whole')
  t.same(readdirSync(dirname(pathIn(target, key))), [key])

  const unlucky = store('cannot be copied')
  mkdirSync(pathIn(target, unlucky), { recursive: true })
  const again = await fileReplica(dataDir, target)
  await t.rejects(again(new Date('2026-11-23T11:00:00Z')))
  t.equal(copiedAt(), '2026-11-23T10:00:00Z')
  rmSync(join(dataDir, 'cabinet.sqlite'))
  await t.rejects(again(), { message: /no database/ }, 'a folder that is not mounted is no empty folder')
})

t.test('an upload that is gone leaves the copy only when no restored database can name it', async (t) => {
  const { dataDir, target, pathIn, store, copyOf } = folders(t)
  const [kept, gone, back] = [store('kept'), store('gone'), store('back')]
  const start = Date.now()
  await (await fileReplica(dataDir, target))(new Date(start))
  for (const key of [gone, back]) rmSync(pathIn(dataDir, key))
  await (await fileReplica(dataDir, target))(new Date(start))
  // A restart forgets nothing.
  const copyOnce = await fileReplica(dataDir, target)
  await copyOnce(new Date(start + goneFor - day))
  t.same([kept, gone, back].map(copyOf), ['kept', 'gone', 'back'])
  store('back')
  await copyOnce(new Date(start + goneFor - day))
  await copyOnce(new Date(start + goneFor + day))
  t.same([kept, gone, back].map(copyOf), ['kept', undefined, 'back'])
  t.same(readdirSync(join(target, 'gone')), [])
  store('gone')
  await copyOnce(new Date(start + goneFor + day))
  t.equal(copyOf(gone), 'gone', 'uploaded again, it is copied again')
  for (const key of [gone, back]) rmSync(pathIn(dataDir, key))
  await copyOnce(new Date(start + goneFor + 2 * day))
  t.same([gone, back].map(copyOf), ['gone', 'back'], 'their time begins anew')
  await copyOnce(new Date(start + 2 * goneFor + 2 * day))
  t.same([gone, back].map(copyOf), ['gone', 'back'], 'the last moment included')
  await copyOnce(new Date(start + 2 * goneFor + 2 * day + 1))
  t.same([gone, back].map(copyOf), [undefined, undefined])
})

t.test('uploads stay longer than Litestream can restore the database that names them', async (t) => {
  const file = readFileSync(fileURLToPath(new URL('../deploy/litestream.yml', import.meta.url)), 'utf8')
  const hours = (name: string) => Number(new RegExp(`^ +${name}: (\\d+)h$`, 'm').exec(file)?.[1])
  t.ok(hours('retention') > 0)
  t.ok(goneFor >= (hours('retention') + hours('snapshot-interval')) * 3_600_000)
})
