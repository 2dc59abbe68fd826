import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { buildApp } from '../src/app.ts'
import { makeBackup } from '../src/backup/make-backup.ts'
import { restoreBackup } from '../src/backup/restore-backup.ts'
import { readConfig } from '../src/config.ts'
import { hashToken } from '../src/core/tokens.ts'
import { openDatabase, write } from '../src/database/open.ts'
import { companies, news, passwordResets, users } from '../src/database/schema/index.ts'
import { type Cabinet, startCabinet } from './support/cabinet.ts'
import { emailOf } from './support/cast.ts'
import { dumpDatabase } from './support/dump.ts'
import { runCommand, temporaryFolder } from './support/service.ts'
import { storeUpload } from './support/uploads.ts'

/** A cabinet with three files: one that a company names, a photo and a picture of news, both with their smaller copies. */
async function cabinetWithFiles(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const keys = [await upload(cabinet, 'one'), await upload(cabinet, 'two'), await upload(cabinet, 'three')]
  cabinet.db
    .update(companies)
    .set({ files: [{ name: 'Contract', file: keys[0] as string }] })
    .where(eq(companies.id, cabinet.cast.companies.alpha))
    .run()
  const dataDir = cabinet.app.config.dataDir
  const [photo, picture] = [`${keys[1]}-96`, `${keys[2]}-480`]
  for (const copy of [photo, picture]) writeFileSync(pathIn(dataDir, copy), `small ${copy}`)
  cabinet.db
    .update(users)
    .set({ image: keys[1] as string })
    .where(eq(users.id, cabinet.cast.maria))
    .run()
  cabinet.db
    .insert(news)
    .values({ name: 'News', images: [keys[2] as string] })
    .run()
  return { ...cabinet, keys, copies: [photo, picture] as [string, string], dataDir }
}

/** Where a stored file lies in a data folder or a backup. */
const pathIn = (folder: string, name: string) => join(folder, 'files', name.slice(0, 2), name)

async function upload({ db, app, cast }: Cabinet, content: string): Promise<string> {
  const sent = { name: 'a.txt', userId: cast.maria }
  return (await storeUpload({ db, dataDir: app.config.dataDir }, Readable.from([Buffer.from(content)]), sent)).key
}

function dumpOfFile(file: string): Record<string, string[]> {
  const client = new Sqlite(file, { readonly: true })
  const dump = dumpDatabase(client)
  client.close()
  return dump
}

/** Names, content and modes of everything in a folder. */
function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const content = entry.isFile() ? readFileSync(path).toString('base64').slice(-2000) : 'folder'
      return `${path} ${(statSync(path).mode & 0o777).toString(8)} ${content}`
    })
    .sort()
}

t.test('a restored backup has exactly the data and files of the original, and the service runs on it', async (t) => {
  const cabinet = await cabinetWithFiles(t)
  const maria = await cabinet.as('maria')
  const target = join(temporaryFolder(t), 'backups')
  const made = await makeBackup(cabinet.dataDir, target)
  t.match(basename(made.folder), /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/)
  t.equal(made.files, 5)
  t.same(made.missing, [])
  t.same(readdirSync(target), [basename(made.folder)], 'nothing half-made is left')
  const stored = [...cabinet.keys, ...cabinet.copies].map((name) => pathIn(made.folder, name))
  const sizes = [join(made.folder, 'cabinet.sqlite'), ...stored].map((file) => statSync(file).size)
  t.equal(
    made.bytes,
    sizes.reduce((sum, size) => sum + size, 0),
    'the database counts, too',
  )

  const dataDir = join(temporaryFolder(t), 'data')
  const before = listing(made.folder)
  t.same(await restoreBackup(made.folder, dataDir), { aside: undefined, missing: [] })
  t.same(listing(made.folder), before, 'the backup stays as it is')
  t.same(dumpOfFile(join(dataDir, 'cabinet.sqlite')), dumpOfFile(join(cabinet.dataDir, 'cabinet.sqlite')))
  for (const name of [...cabinet.keys, ...cabinet.copies])
    t.same(readFileSync(pathIn(dataDir, name)), readFileSync(pathIn(cabinet.dataDir, name)))
  for (const folder of [target, dataDir])
    for (const entry of [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))])
      t.equal(statSync(entry).mode & 0o077, 0, `${entry} is its owner's only`)

  const db = openDatabase(join(dataDir, 'cabinet.sqlite'))
  const app = await buildApp({ config: readConfig({ DATA_DIR: dataDir }), db })
  t.teardown(() => app.close().then(() => db.$client.close()))
  const cookie = [...maria.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  const answer = await app.inject({ url: `/company/edit/${cabinet.cast.companies.alpha}`, headers: { cookie } })
  t.equal(answer.statusCode, 200, 'whoever was signed in still is')
  const file = await app.inject({ url: `/files/${cabinet.keys[0]}`, headers: { cookie } })
  t.equal(file.body, 'one')

  rmSync(join(dataDir, 'session.key'))
  const keyless = await buildApp({ config: readConfig({ DATA_DIR: dataDir }), db })
  t.teardown(() => keyless.close())
  t.equal((await keyless.inject({ url: '/', headers: { cookie } })).statusCode, 303, 'without the key nobody is')
})

t.test('a backup made while users write is complete', async (t) => {
  const cabinet = await cabinetWithFiles(t)
  const target = temporaryFolder(t)
  let done = false
  const backup = runCommand('backup', [target], { DATA_DIR: cabinet.dataDir }).finally(() => (done = true))
  let written = 0
  while (!done) {
    const key = await upload(cabinet, `file ${written}`)
    const files = [{ name: 'Contract', file: key }]
    write(cabinet.db, () =>
      cabinet.db
        .insert(companies)
        .values({ org: `Org ${written}`, files })
        .run(),
    )
    written += 1
  }
  const { code, text: output } = await backup
  t.equal(code, 0, output)
  t.match(output, /the database and \d+ files, [\d.]+ MB, checked/)
  const [name] = readdirSync(target) as [string]
  const copy = new Sqlite(join(target, name, 'cabinet.sqlite'), { readonly: true })
  const named = copy.prepare("select json_extract(files, '$[0].file') from companies where files <> '[]'").pluck().all() as string[]
  copy.close()
  t.ok(written > 5, `${written} were written meanwhile`)
  t.ok(named.length > 0)
  for (const key of named) t.ok(existsSync(pathIn(join(target, name), key)), `${key} is there`)
  const restored = await runCommand('restore', [join(target, name), join(target, '../restored')], {})
  t.teardown(() => rmSync(join(target, '../restored'), { recursive: true }))
  t.equal(restored.code, 0, restored.text)
})

t.test('a second backup hard-links the files of the first, except damaged ones', async (t) => {
  const { dataDir, keys, copies, ...cabinet } = await cabinetWithFiles(t)
  const target = temporaryFolder(t)
  const earlier = join(target, '2020-01-01T00-00-00Z')
  renameSync((await makeBackup(dataDir, target)).folder, earlier)
  const [good, decayed] = keys as [string, string]
  const [photo, picture] = copies
  writeFileSync(pathIn(earlier, decayed), 'tWo')
  writeFileSync(pathIn(earlier, photo), 'decayed')
  rmSync(pathIn(earlier, picture))
  // An older backup, one that was killed, and what a disk of its own has.
  for (const name of ['2019-01-01T00-00-00Z', '2021-01-01T00-00-00Z.part', 'lost+found']) mkdirSync(join(target, name))
  await upload(cabinet, 'four')
  const { folder, files, missing } = await makeBackup(dataDir, target)
  t.equal(files, 6)
  t.same(missing, [])
  t.equal(statSync(pathIn(folder, good)).ino, statSync(pathIn(earlier, good)).ino)
  t.equal(readFileSync(pathIn(folder, decayed), 'utf8'), 'two')
  for (const copy of copies) t.equal(readFileSync(pathIn(folder, copy), 'utf8'), `small ${copy}`)
  await t.resolves(restoreBackup(folder, join(temporaryFolder(t), 'data')))
})

t.test('a file lost before the backup does not stop it and is named', async (t) => {
  const { dataDir, keys } = await cabinetWithFiles(t)
  const [, lost] = keys as [string, string]
  rmSync(pathIn(dataDir, lost))
  const { folder, missing } = await makeBackup(dataDir, temporaryFolder(t))
  t.same(missing, [lost])
  t.same((await restoreBackup(folder, join(temporaryFolder(t), 'data'))).missing, [lost])
  const { code, text } = await runCommand('backup', [temporaryFolder(t)], { DATA_DIR: dataDir })
  t.equal(code, 1)
  t.match(text, new RegExp(`1 files were lost.*${lost}`))
})

t.test('a lost copy of a picture does not stop the backup and is named', async (t) => {
  const { dataDir, copies } = await cabinetWithFiles(t)
  for (const copy of copies) rmSync(pathIn(dataDir, copy))
  const { folder, missing } = await makeBackup(dataDir, temporaryFolder(t))
  t.same(missing.sort(), [...copies].sort())
  t.same((await restoreBackup(folder, join(temporaryFolder(t), 'data'))).missing.sort(), [...copies].sort())
})

t.test('a backup from before picture copies were verified is restored, and missing copies are named', async (t) => {
  const { dataDir, copies } = await cabinetWithFiles(t)
  const [photo, picture] = copies
  const { folder } = await makeBackup(dataDir, temporaryFolder(t))
  const { database } = JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8'))
  writeFileSync(join(folder, 'backup.json'), JSON.stringify({ database, missing: [] }))
  rmSync(pathIn(folder, photo))
  const restored = join(temporaryFolder(t), 'data')
  t.same((await restoreBackup(folder, restored)).missing, [photo])
  t.equal(readFileSync(pathIn(restored, picture), 'utf8'), `small ${picture}`)
})

t.test('a symbolic link in the files folder is not followed and counts as missing', async (t) => {
  const { dataDir, keys } = await cabinetWithFiles(t)
  const [key, linked] = keys as [string, string]
  const outside = join(temporaryFolder(t), 'outside')
  writeFileSync(outside, 'two')
  const replaced = pathIn(dataDir, linked)
  rmSync(replaced)
  symlinkSync(outside, replaced)
  symlinkSync(outside, pathIn(dataDir, `${key}-320`))
  const { folder, files, missing } = await makeBackup(dataDir, temporaryFolder(t))
  t.same(missing, [linked])
  t.equal(files, 4)
  t.notOk(readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('-320') || name.endsWith(linked)))
})

t.test('a symbolic link in an earlier backup is not reused', async (t) => {
  const { dataDir, keys } = await cabinetWithFiles(t)
  const [key] = keys as [string]
  const target = temporaryFolder(t)
  const earlier = join(target, '2020-01-01T00-00-00Z')
  renameSync((await makeBackup(dataDir, target)).folder, earlier)
  rmSync(pathIn(earlier, key))
  symlinkSync(pathIn(dataDir, key), pathIn(earlier, key))
  const { folder, missing } = await makeBackup(dataDir, target)
  t.same(missing, [])
  t.ok(lstatSync(pathIn(folder, key)).isFile())
})

t.test('a backup refuses a folder with other contents or without a database', async (t) => {
  const { dataDir } = await cabinetWithFiles(t)
  const target = temporaryFolder(t)
  writeFileSync(join(target, 'thesis.doc'), '')
  await t.rejects(makeBackup(dataDir, target), { message: /thesis\.doc/ })
  t.same(readdirSync(target), ['thesis.doc'])
  const empty = temporaryFolder(t)
  await t.rejects(makeBackup(temporaryFolder(t), empty), { message: /There is no database/ })
  t.same(readdirSync(empty), [], 'nothing half-made is left')
  const { code, text } = await runCommand('backup', [], { DATA_DIR: dataDir })
  t.equal(code, 1)
  t.match(text, /^Usage/)
})

t.test('reset links in a backup no longer work after a restore', async (t) => {
  const { cast, dataDir, db, newBrowser } = await cabinetWithFiles(t)
  const token = 'a-token-that-was-mailed'
  db.insert(passwordResets)
    .values({ token_hash: hashToken(token), user_id: cast.maria, email: emailOf('maria'), at: Date.now() })
    .run()
  t.equal((await newBrowser().get(`/password/reset/${token}`)).statusCode, 200)
  const { folder } = await makeBackup(dataDir, temporaryFolder(t))
  const before = listing(folder)
  const restored = join(temporaryFolder(t), 'data')
  await restoreBackup(folder, restored)
  t.same(listing(folder), before, 'the backup stays as it is')
  t.same(dumpOfFile(join(restored, 'cabinet.sqlite')).password_resets, [])
  t.same(readdirSync(restored).sort(), ['cabinet.sqlite', 'files', 'session.key'])
})

t.test('a backup from before password resets existed is restored', async (t) => {
  const { dataDir, db } = await cabinetWithFiles(t)
  db.$client.exec('drop table password_resets')
  const { folder } = await makeBackup(dataDir, temporaryFolder(t))
  await t.resolves(restoreBackup(folder, join(temporaryFolder(t), 'data')))
})

t.test('restoring a backup', async (t) => {
  const { dataDir, keys, copies, ...cabinet } = await cabinetWithFiles(t)
  const [key] = keys as [string]
  const [photo, picture] = copies
  const sound = (await makeBackup(dataDir, temporaryFolder(t))).folder
  /** A copy of the backup to spoil. */
  const copyOf = () => {
    const folder = join(temporaryFolder(t), 'backup')
    for (const name of ['', ...readdirSync(sound, { recursive: true, encoding: 'utf8' })]) {
      if (statSync(join(sound, name)).isDirectory()) mkdirSync(join(folder, name))
      else writeFileSync(join(folder, name), readFileSync(join(sound, name)))
    }
    return folder
  }
  const inDatabase = (sql: string) => (folder: string) => {
    const client = new Sqlite(join(folder, 'cabinet.sqlite'))
    client.pragma('foreign_keys = OFF')
    client.exec(sql)
    client.close()
  }
  const linkInstead = (folder: string) => {
    rmSync(pathIn(folder, key))
    symlinkSync(pathIn(sound, key), pathIn(folder, key))
  }
  const spoilt: [string, (folder: string) => void, RegExp][] = [
    ['no manifest', (folder) => rmSync(join(folder, 'backup.json')), /is no backup/],
    ['half a manifest', (folder) => truncateSync(join(folder, 'backup.json'), 40), /backup\.json is damaged: restore another backup/],
    ['a manifest that says nothing', (folder) => writeFileSync(join(folder, 'backup.json'), '{"database":""}'), /backup\.json is damaged/],
    ['no database', (folder) => rmSync(join(folder, 'cabinet.sqlite')), /no database/],
    ['half a database', (folder) => truncateSync(join(folder, 'cabinet.sqlite'), 40_000), /damaged|cannot be read/],
    ['no database at all', (folder) => writeFileSync(join(folder, 'cabinet.sqlite'), 'x'.repeat(9000)), /cannot be read/],
    ['another database', inDatabase("update users set lastname = 'Somebody'"), /not the one that was backed up/],
    ['a reference to nothing', inDatabase('update users set stock_id = 4711'), /points at nothing/],
    ['a newer version', inDatabase('update __drizzle_migrations set created_at = created_at + 1e12'), /newer version/],
    ['a changed file', (folder) => writeFileSync(pathIn(folder, key), 'onE'), /damaged/],
    ['a lost file', (folder) => rmSync(pathIn(folder, key)), /missing/],
    ['a changed smaller copy', (folder) => writeFileSync(pathIn(folder, photo), 'sMall'), /not the one that was backed up/],
    ['a lost smaller copy', (folder) => rmSync(pathIn(folder, picture)), /missing/],
    [
      'a smaller copy that was never backed up',
      (folder) => writeFileSync(pathIn(folder, `${key}-480`), 'small'),
      /not the one that was backed up/,
    ],
    ['a link instead of a file', linkInstead, /missing/],
  ]
  for (const [name, spoil, expected] of spoilt)
    t.test(`a restore verifies the backup before it touches anything: ${name}`, async (t) => {
      const folder = copyOf()
      spoil(folder)
      const target = temporaryFolder(t)
      writeFileSync(join(target, 'precious'), 'here')
      const before = listing(target)
      await t.rejects(restoreBackup(folder, target, true), { message: expected })
      t.same(listing(target), before, 'nothing was touched')
    })

  t.test('a restore refuses while the service is running', async (t) => {
    await t.rejects(restoreBackup(sound, dataDir, true), { message: /A service or Litestream is running/ })
    t.equal((await cabinet.newBrowser().get('/healthz')).statusCode, 200)
  })

  t.test('a restore refuses a folder that is not empty', async (t) => {
    const target = temporaryFolder(t)
    writeFileSync(join(target, 'precious'), 'here')
    const { code, text } = await runCommand('restore', [sound, target], {})
    t.equal(code, 1)
    t.match(text, /is not empty.*--force/)
    t.same(readdirSync(target), ['precious'])
  })

  t.test('a restore puts the database in its place last, as a folder without one counts as empty', async (t) => {
    const target = temporaryFolder(t)
    const placed: string[] = []
    const watcher = watch(target, (_event, name) => name?.startsWith('.') || placed.push(name as string))
    await restoreBackup(sound, target)
    for (const end = Date.now() + 10_000; !placed.includes('cabinet.sqlite') && Date.now() < end; ) await pause(10)
    watcher.close()
    const inOrder = [...new Set(placed)].filter((name) => readdirSync(target).includes(name))
    t.same(inOrder.toSorted(), ['cabinet.sqlite', 'files', 'session.key'])
    t.equal(inOrder.at(-1), 'cabinet.sqlite')
  })

  t.test('a restore with --force moves the existing data aside', async (t) => {
    const target = temporaryFolder(t)
    await restoreBackup(sound, target)
    inDatabase("update users set lastname = 'Lost'")(target)
    const before = dumpOfFile(join(target, 'cabinet.sqlite'))
    chmodSync(target, 0o755)
    const { aside } = await restoreBackup(sound, target, true)
    for (const folder of [target, aside as string]) t.equal(statSync(folder).mode & 0o077, 0, `${basename(folder)} is its owner's only`)
    t.same(dumpOfFile(join(aside as string, 'cabinet.sqlite')), before)
    t.same(dumpOfFile(join(target, 'cabinet.sqlite')), dumpOfFile(join(sound, 'cabinet.sqlite')))
    t.same(readdirSync(target).sort(), [basename(aside as string), 'cabinet.sqlite', 'files', 'session.key'].sort())
    const second = await restoreBackup(sound, target, true)
    t.same(dumpOfFile(join(aside as string, 'cabinet.sqlite')), before, 'what was moved aside first stays where it is')
    t.not(second.aside, aside)
  })

  t.test('a restore that was killed half-way is made again', async (t) => {
    const target = temporaryFolder(t)
    await restoreBackup(sound, target)
    rmSync(join(target, 'cabinet.sqlite'))
    const draft = join(target, '.restoring')
    mkdirSync(draft)
    writeFileSync(join(draft, 'session.key'), 'half')
    const { aside } = await restoreBackup(sound, target, true)
    t.same(readdirSync(target).sort(), [basename(aside as string), 'cabinet.sqlite', 'files', 'session.key'].sort())
    t.same(readdirSync(aside as string).sort(), ['files', 'session.key'])
    t.same(readFileSync(join(target, 'session.key')), readFileSync(join(sound, 'session.key')))
  })
})
