import { spawn } from 'node:child_process'
import {
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
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { buildApp } from '../src/app.ts'
import { makeBackup } from '../src/backup/make.ts'
import { restoreBackup } from '../src/backup/restore.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase, write } from '../src/database/open.ts'
import { companies } from '../src/database/schema/index.ts'
import { storeUpload } from '../src/web/uploads/store.ts'
import { type Cabinet, startCabinet } from './support/cabinet.ts'
import { dumpOf } from './support/dump.ts'
import { temporaryFolder } from './support/service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A cabinet with three files, one of them named by a company. */
async function cabinetWithFiles(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const keys = [await upload(cabinet, 'one'), await upload(cabinet, 'two'), await upload(cabinet, 'three')]
  cabinet.db
    .update(companies)
    .set({ files: [{ name: 'Contract', file: keys[0] as string }] })
    .where(eq(companies.id, cabinet.cast.companies.alpha))
    .run()
  return { ...cabinet, keys, dataDir: cabinet.app.config.dataDir }
}

async function upload({ db, app, cast }: Cabinet, content: string): Promise<string> {
  const sent = { name: 'a.txt', userId: cast.maria }
  return (await storeUpload({ db, dataDir: app.config.dataDir }, Readable.from([Buffer.from(content)]), sent)).key
}

function dumpOfFile(file: string): Record<string, string[]> {
  const client = new Sqlite(file, { readonly: true })
  const dump = dumpOf(client)
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

function command(name: string, args: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', `src/commands/${name}.ts`, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...environment },
  })
  let written = ''
  child.stdout.on('data', (chunk) => (written += chunk))
  child.stderr.on('data', (chunk) => (written += chunk))
  return new Promise<{ code: number | null; written: string }>((resolve) => child.once('close', (code) => resolve({ code, written })))
}

t.test('what comes back is what was there, and the service runs on it', async (t) => {
  const cabinet = await cabinetWithFiles(t)
  const maria = await cabinet.as('maria')
  const target = join(temporaryFolder(t), 'backups')
  const made = await makeBackup(cabinet.dataDir, target)
  t.match(basename(made.folder), /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/)
  t.equal(made.files, 3)
  t.same(made.missing, [])
  t.same(readdirSync(target), [basename(made.folder)], 'nothing half-made is left')

  const dataDir = join(temporaryFolder(t), 'data')
  const before = listing(made.folder)
  t.same(await restoreBackup(made.folder, dataDir), { aside: undefined, missing: [] })
  t.same(listing(made.folder), before, 'the backup stays as it is')
  t.same(dumpOfFile(join(dataDir, 'cabinet.sqlite')), dumpOfFile(join(cabinet.dataDir, 'cabinet.sqlite')))
  for (const key of cabinet.keys) t.same(readFileSync(join(dataDir, 'files', key.slice(0, 2), key)), contentOf(cabinet, key))
  for (const entry of [dataDir, ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => join(dataDir, name))])
    t.equal(statSync(entry).mode & 0o077, 0, `${entry} is its owner's only`)

  const db = openDatabase(join(dataDir, 'cabinet.sqlite'))
  const app = await buildApp({ config: readConfig({ DATA_DIR: dataDir }), db })
  t.teardown(() => app.close().then(() => db.$client.close()))
  const cookie = [...maria.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  const answer = await app.inject({ url: `/company/edit/${cabinet.cast.companies.alpha}`, headers: { cookie } })
  t.equal(answer.statusCode, 200, 'whoever was signed in still is')
  const file = await app.inject({ url: `/files/${cabinet.keys[0]}`, headers: { cookie } })
  t.equal(file.body, 'one')
})

const contentOf = ({ app }: Cabinet, key: string) => readFileSync(join(app.config.dataDir, 'files', key.slice(0, 2), key))

t.test('a backup made while people write is whole', async (t) => {
  const cabinet = await cabinetWithFiles(t)
  const target = temporaryFolder(t)
  let done = false
  const backup = command('backup', [target], { DATA_DIR: cabinet.dataDir }).finally(() => (done = true))
  let written = 0
  while (!done) {
    const key = await upload(cabinet, `file ${written}`)
    const files = [{ name: 'Contract', file: key }]
    write(cabinet.db, () =>
      cabinet.db
        .insert(companies)
        .values({ org: `Org ${written}`, files, search: '' })
        .run(),
    )
    written += 1
  }
  const { code, written: output } = await backup
  t.equal(code, 0, output)
  t.match(output, /the database and \d+ files, [\d.]+ MB, checked/)
  const [name] = readdirSync(target) as [string]
  const copy = new Sqlite(join(target, name, 'cabinet.sqlite'), { readonly: true })
  const named = copy.prepare("select json_extract(files, '$[0].file') from companies where files <> '[]'").pluck().all() as string[]
  copy.close()
  t.ok(written > 20, `${written} were written meanwhile`)
  t.ok(named.length > 0)
  for (const key of named) t.ok(existsSync(join(target, name, 'files', key.slice(0, 2), key)), `${key} is there`)
  const restored = await command('restore', [join(target, name), join(target, '../restored')], {})
  t.teardown(() => rmSync(join(target, '../restored'), { recursive: true }))
  t.equal(restored.code, 0, restored.written)
})

t.test('a second backup shares the files of the first, unless they have decayed', async (t) => {
  const { dataDir, keys, ...cabinet } = await cabinetWithFiles(t)
  const target = temporaryFolder(t)
  const first = (await makeBackup(dataDir, target)).folder
  renameSync(first, join(target, '2020-01-01T00-00-00Z'))
  const [good, decayed] = keys as [string, string]
  const earlier = (key: string) => join(target, '2020-01-01T00-00-00Z/files', key.slice(0, 2), key)
  writeFileSync(earlier(decayed), 'tWo')
  await upload(cabinet, 'four')
  const { folder, files } = await makeBackup(dataDir, target)
  const later = (key: string) => join(folder, 'files', key.slice(0, 2), key)
  t.equal(files, 4)
  t.equal(statSync(later(good)).ino, statSync(earlier(good)).ino)
  t.equal(readFileSync(later(decayed), 'utf8'), 'two')
  await t.resolves(restoreBackup(folder, join(temporaryFolder(t), 'data')))
})

t.test('a file that was lost long ago does not stop a backup, and is named', async (t) => {
  const { dataDir, keys } = await cabinetWithFiles(t)
  const [, lost] = keys as [string, string]
  rmSync(join(dataDir, 'files', lost.slice(0, 2), lost))
  const { folder, missing } = await makeBackup(dataDir, temporaryFolder(t))
  t.same(missing, [lost])
  t.same((await restoreBackup(folder, join(temporaryFolder(t), 'data'))).missing, [lost])
  const { code, written } = await command('backup', [temporaryFolder(t)], { DATA_DIR: dataDir })
  t.equal(code, 1)
  t.match(written, new RegExp(`1 files were lost.*${lost}`))
})

t.test('what is a link instead of a file is not followed: it is missing', async (t) => {
  const { dataDir, keys } = await cabinetWithFiles(t)
  const [key, linked] = keys as [string, string]
  const outside = join(temporaryFolder(t), 'outside')
  writeFileSync(outside, 'two')
  const replaced = join(dataDir, 'files', linked.slice(0, 2), linked)
  rmSync(replaced)
  symlinkSync(outside, replaced)
  symlinkSync(outside, join(dataDir, 'files', key.slice(0, 2), `${key}-96`))
  const { folder, files, missing } = await makeBackup(dataDir, temporaryFolder(t))
  t.same(missing, [linked])
  t.equal(files, 2)
  t.notOk(readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('-96') || name.endsWith(linked)))
})

t.test('a link in an earlier backup is not shared', async (t) => {
  const { dataDir, keys } = await cabinetWithFiles(t)
  const [key] = keys as [string]
  const target = temporaryFolder(t)
  const earlier = join(target, '2020-01-01T00-00-00Z')
  renameSync((await makeBackup(dataDir, target)).folder, earlier)
  const pathIn = (folder: string) => join(folder, 'files', key.slice(0, 2), key)
  rmSync(pathIn(earlier))
  symlinkSync(pathIn(dataDir), pathIn(earlier))
  const { folder, missing } = await makeBackup(dataDir, target)
  t.same(missing, [])
  t.ok(lstatSync(pathIn(folder)).isFile())
})

t.test('a backup goes only where backups are', async (t) => {
  const { dataDir } = await cabinetWithFiles(t)
  const target = temporaryFolder(t)
  writeFileSync(join(target, 'thesis.doc'), '')
  await t.rejects(makeBackup(dataDir, target), { message: /thesis\.doc/ })
  t.same(readdirSync(target), ['thesis.doc'])
  await t.rejects(makeBackup(temporaryFolder(t), temporaryFolder(t)), { message: /There is no database/ })
  const { code, written } = await command('backup', [], { DATA_DIR: dataDir })
  t.equal(code, 1)
  t.match(written, /^Usage/)
})

t.test('a restore', async (t) => {
  const { dataDir, keys, ...cabinet } = await cabinetWithFiles(t)
  const [key] = keys as [string]
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
    rmSync(join(folder, 'files', key.slice(0, 2), key))
    symlinkSync(join(sound, 'files', key.slice(0, 2), key), join(folder, 'files', key.slice(0, 2), key))
  }
  const spoilt: [string, (folder: string) => void, RegExp][] = [
    ['no manifest', (folder) => rmSync(join(folder, 'backup.json')), /is no backup/],
    ['no database', (folder) => rmSync(join(folder, 'cabinet.sqlite')), /no database/],
    ['half a database', (folder) => truncateSync(join(folder, 'cabinet.sqlite'), 40_000), /damaged|cannot be read/],
    ['no database at all', (folder) => writeFileSync(join(folder, 'cabinet.sqlite'), 'x'.repeat(9000)), /cannot be read/],
    ['another database', inDatabase("update users set lastname = 'Somebody'"), /not the one that was backed up/],
    ['a reference to nothing', inDatabase('update users set stock_id = 4711'), /points at nothing/],
    ['a newer version', inDatabase('update __drizzle_migrations set created_at = created_at + 1e12'), /newer version/],
    ['a changed file', (folder) => writeFileSync(join(folder, 'files', key.slice(0, 2), key), 'onE'), /damaged/],
    ['a lost file', (folder) => rmSync(join(folder, 'files', key.slice(0, 2), key)), /missing/],
    ['a link instead of a file', linkInstead, /missing/],
  ]
  for (const [name, spoil, expected] of spoilt)
    t.test(`proves the backup first: ${name}`, async (t) => {
      const folder = copyOf()
      spoil(folder)
      const target = temporaryFolder(t)
      writeFileSync(join(target, 'precious'), 'here')
      const before = listing(target)
      await t.rejects(restoreBackup(folder, target, true), { message: expected })
      t.same(listing(target), before, 'nothing was touched')
    })

  t.test('refuses while a service is running there', async (t) => {
    await t.rejects(restoreBackup(sound, dataDir, true), { message: /A service is running/ })
    t.equal((await cabinet.newBrowser().get('/healthz')).statusCode, 200)
  })

  t.test('refuses a folder that is not empty', async (t) => {
    const target = temporaryFolder(t)
    writeFileSync(join(target, 'precious'), 'here')
    const { code, written } = await command('restore', [sound, target], {})
    t.equal(code, 1)
    t.match(written, /is not empty.*--force/)
    t.same(readdirSync(target), ['precious'])
  })

  t.test('with --force moves aside what is there', async (t) => {
    const target = temporaryFolder(t)
    await restoreBackup(sound, target)
    inDatabase("update users set lastname = 'Lost'")(target)
    const before = dumpOfFile(join(target, 'cabinet.sqlite'))
    const { aside } = await restoreBackup(sound, target, true)
    t.same(dumpOfFile(join(aside as string, 'cabinet.sqlite')), before)
    t.same(dumpOfFile(join(target, 'cabinet.sqlite')), dumpOfFile(join(sound, 'cabinet.sqlite')))
    t.same(readdirSync(target).sort(), [basename(aside as string), 'cabinet.sqlite', 'files', 'session.key'].sort())
    await t.resolves(restoreBackup(sound, target, true), 'and once more')
  })
})
