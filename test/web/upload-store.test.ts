import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import sharp from 'sharp'
import t from 'tap'
import { companies, trash, uploads } from '../../src/database/schema/index.ts'
import { cleanName, contentDisposition, downloadName } from '../../src/http/uploads/file-name.ts'
import { previewKind } from '../../src/http/uploads/file-type.ts'
import { makeGalleryPicture } from '../../src/http/uploads/picture.ts'
import { receiveFile, recordUploads } from '../../src/http/uploads/store.ts'
import { sweepUploads } from '../../src/records/sweep-uploads.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { filesOf, keyOf } from '../support/files.ts'
import { storeUpload } from '../support/uploads.ts'

const contentOf = ({ app }: Cabinet, key: string) => readFileSync(join(app.config.dataDir, 'files', key.slice(0, 2), key))

const placeOf = ({ app, db }: Cabinet) => ({ db, dataDir: app.config.dataDir })

const sentRows = ({ db }: Cabinet, key?: string) =>
  db
    .select()
    .from(uploads)
    .where(key ? eq(uploads.key, key) : undefined)
    .all()

function age({ db }: Cabinet, hours: number): void {
  db.update(uploads)
    .set({ at: Date.now() - hours * 3600_000 })
    .run()
}

async function* chunks(...parts: (string | Buffer)[]) {
  for (const part of parts) yield Buffer.from(part)
}

t.test('an upload is stored under the hash of its content', async (t) => {
  const cabinet = await startCabinet(t)
  const content = randomBytes(300_000)
  const stream = Readable.from(chunks(content.subarray(0, 7), content.subarray(7)))
  const { key } = await storeUpload(placeOf(cabinet), stream, {
    name: 'C:\\docs\\a.pdf',
    type: 'application/pdf',
    userId: cabinet.cast.maria,
  })
  t.equal(key, keyOf(content))
  t.ok(contentOf(cabinet, key).equals(content))
  t.same(filesOf(cabinet), [key])
  const { id, at, ...row } = cabinet.db.select().from(uploads).get() ?? {}
  t.same(row, { key, name: 'a.pdf', type: 'application/pdf', size: 300_000, user_id: cabinet.cast.maria })
})

t.test('whoever sends many pictures waits for their own, others for one of them', async (t) => {
  const { app, cast } = await startCabinet(t)
  const { dataDir } = app.config
  const picture = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#abc' } })
    .png()
    .toBuffer()
  const senders = [cast.maria, cast.maria, cast.maria, cast.denis]
  const files = await Promise.all(senders.map(() => receiveFile(dataDir, Readable.from([picture]), { name: 'a.png' })))
  const done: (number | undefined)[] = []
  await Promise.all(files.map((file, at) => makeGalleryPicture(file, senders[at] ?? 0).then(() => done.push(senders[at]))))
  t.same(done, [cast.maria, cast.denis, cast.maria, cast.maria])
})

t.test('while the files of a form are stored, others are served', async (t) => {
  const cabinet = await startCabinet(t)
  const place = placeOf(cabinet)
  const files = await Promise.all(
    ['a', 'b', 'c'].map((text) => receiveFile(place.dataDir, Readable.from([Buffer.from(text)]), { name: text })),
  )
  let turns = 0
  const turn = () => {
    turns += 1
    waiting = setImmediate(turn)
  }
  let waiting = setImmediate(turn)
  await recordUploads(place, files, cabinet.cast.maria)
  clearImmediate(waiting)
  t.ok(turns >= files.length - 1, `${turns} turns`)
  t.same(
    sentRows(cabinet).map(({ name }) => name),
    ['a', 'b', 'c'],
  )
})

t.test('a failed upload leaves nothing behind', async (t) => {
  const cabinet = await startCabinet(t)
  const place = placeOf(cabinet)
  const sent = { name: 'a', userId: 1 }
  async function* broken() {
    yield Buffer.from('begun')
    throw new Error('cut off')
  }
  let asked = 0
  async function* endless() {
    const mebibyte = Buffer.alloc(1024 ** 2)
    while (++asked) yield mebibyte
  }
  await t.rejects(storeUpload(place, broken(), sent), { message: 'cut off' })
  await t.rejects(storeUpload(place, endless(), sent), { message: 'Files are limited to {max} MB. Go back and choose a smaller one.' })
  t.equal(asked, 26, 'refused at once')
  await t.rejects(storeUpload(place, chunks('fine'), { ...sent, userId: null as never }), /NOT NULL/)
  t.same(filesOf(cabinet), [])
  t.equal(sentRows(cabinet).length, 0)
})

t.test('the same content uploaded twice at once is one file and two rows', async (t) => {
  const cabinet = await startCabinet(t)
  const content = randomBytes(100_000)
  const send = (userId: number) => storeUpload(placeOf(cabinet), Readable.from(chunks(content)), { name: `${userId}.bin`, userId })
  await Promise.all([send(cabinet.cast.maria), send(cabinet.cast.mikhail)])
  t.same(filesOf(cabinet), [keyOf(content)])
  t.equal(sentRows(cabinet).length, 2)
})

t.test('file names lose folders and control characters, and every name fits a header', async (t) => {
  t.equal(cleanName('../../etc/passwd'), 'passwd')
  t.equal(cleanName('..\\..\\boot.ini'), 'boot.ini')
  t.equal(cleanName('..'), 'file')
  t.equal(cleanName('a\r\nSet-Cookie: x=1\u0000.txt'), 'aSet-Cookie: x=1.txt')
  t.equal(cleanName('\u202Efdp.exe'), 'fdp.exe')
  t.equal(cleanName('и\u0306.txt'), 'й.txt')
  t.equal(cleanName('и\u200b\u0306.txt'), 'й.txt', 'composed when nothing stands between any more')
  t.equal(cleanName('in\u200bvoice\u2060.pdf\ufeff'), 'invoice.pdf')
  t.equal(cleanName(`report.pdf${' '.repeat(200)}.exe`), 'report.pdf .exe')
  t.equal(cleanName('a\u00a0\u2003 b\u3000c.txt'), 'a b c.txt')
  t.equal(cleanName('\u200b.\u2060.'), 'file')
  t.equal(cleanName('👨‍👩‍👧 می‌خواهم.txt'), '👨‍👩‍👧 می‌خواهم.txt', 'what joins letters stays')
  t.equal(cleanName(`${'ж'.repeat(300)}.pdf`), `${'ж'.repeat(251)}.pdf`)
  const [kept, long] = [`.${'x'.repeat(15)}`, `.${'x'.repeat(16)}`]
  t.equal(cleanName(`${'ж'.repeat(300)}${kept}`), `${'ж'.repeat(239)}${kept}`)
  t.equal(cleanName(`${'ж'.repeat(300)}${long}`), 'ж'.repeat(255), 'what is longer is no extension')
  t.equal(downloadName('Contract', 'scan 1.PDF'), 'Contract.PDF')
  t.equal(downloadName('Contract.pdf', 'scan 1.PDF'), 'Contract.pdf')
  t.equal(downloadName('Contract', undefined), 'Contract')
  t.equal(
    contentDisposition('Счёт "1" 50%.pdf'),
    `attachment; filename="____ _1_ 50_.pdf"; filename*=UTF-8''%D0%A1%D1%87%D1%91%D1%82%20%221%22%2050%25.pdf`,
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (sent) => {
      const name = cleanName(sent)
      const header = contentDisposition(name)
      return (
        [...name].length <= 255 &&
        name.length > 0 &&
        !/[\\/\p{Cc}]/u.test(name) &&
        cleanName(name) === name &&
        /^[\x20-\x7e]+$/.test(header)
      )
    }),
  )
})

t.test('pictures that browsers show and PDF files are previewed, however their extension is written, and nothing else', async (t) => {
  const kinds = {
    picture: ['.jpg', '.JPG', '.jpeg', '.png', '.Gif', '.webp', '.avif'],
    pdf: ['.pdf', '.PDF'],
    none: ['', '.svg', '.tiff', '.heic', '.html', '.pdfx', '.xpdf', 'pdf', '.jpg.exe'],
  }
  for (const [kind, extensions] of Object.entries(kinds))
    for (const extension of extensions) t.equal(previewKind(extension) ?? 'none', kind, extension)
})

t.test('housekeeping deletes exactly the files that no record names', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, cast } = cabinet
  const store = async (content: string) => (await storeUpload(placeOf(cabinet), chunks(content), { name: content, userId: cast.maria })).key
  const [old, again, named, binned] = (await Promise.all(['old', 'again', 'named', 'binned'].map(store))) as [
    string,
    string,
    string,
    string,
  ]
  age(cabinet, 25)
  const fresh = await store('fresh')
  await store('again')
  db.update(companies)
    .set({ files: [{ name: 'Named', file: named }] })
    .where(eq(companies.id, cast.companies.alpha))
    .run()
  const removed = { rows: [{ table: 'companies', row: { files: [{ name: 'Binned', file: binned }] } }], references: [] }
  db.insert(trash).values({ batch: 'b', at: 1, actor_name: '', entity: 'companies', record_id: 9, label: '', removed }).run()
  const incoming = join(app.config.dataDir, 'files', 'incoming')
  const [stale, arriving] = [join(incoming, 'stale'), join(incoming, 'arriving')]
  for (const file of [stale, arriving]) writeFileSync(file, 'x')
  utimesSync(stale, new Date(), new Date(Date.now() - 25 * 3600_000))

  await sweepUploads(app)
  t.same(filesOf(cabinet).sort(), ['arriving', again, binned, fresh, named].sort())
  t.equal(sentRows(cabinet, old).length, 0)
  t.equal(sentRows(cabinet).length, 5)

  db.update(companies).set({ files: [] }).run()
  db.delete(trash).run()
  await sweepUploads(app)
  t.same(filesOf(cabinet).sort(), ['arriving', again, fresh].sort(), 'once no longer named')
})

t.test('housekeeping tolerates a missing file and an empty installation', async (t) => {
  const cabinet = await startCabinet(t)
  await sweepUploads(cabinet.app)
  cabinet.db
    .insert(uploads)
    .values({ key: keyOf('lost'), name: 'lost', type: '', size: 4, user_id: 1, at: 0 })
    .run()
  await sweepUploads(cabinet.app)
  t.equal(sentRows(cabinet).length, 0)
})

type Step = 'upload' | 'name' | 'forget' | 'age' | 'sweep'

t.test('no sequence of uploads, saves and sweeps loses a file in use or keeps an unused one', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, cast } = cabinet
  const contents = ['a', 'b', 'c']
  const named = () => db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()?.files ?? []
  const steps = fc.array(fc.tuple(fc.constantFrom<Step[]>('upload', 'name', 'forget', 'age', 'sweep'), fc.constantFrom(...contents)), {
    maxLength: 25,
  })
  const take: Record<Step, (content: string) => unknown> = {
    upload: (content) => storeUpload(placeOf(cabinet), chunks(content), { name: content, userId: cast.maria }),
    name: (content) => {
      const key = keyOf(content)
      if (sentRows(cabinet, key).length > 0) setFiles([...named(), { name: content, file: key }])
    },
    forget: (content) => setFiles(named().filter((file) => file.file !== keyOf(content))),
    age: () => age(cabinet, 25),
    sweep: () => sweepUploads(app),
  }
  const setFiles = (files: { name: string; file: string }[]) =>
    void db.update(companies).set({ files }).where(eq(companies.id, cast.companies.alpha)).run()
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      await Promise.all(taken.filter(([step]) => step !== 'age').map(async ([step, content]) => take[step](content)))
      for (const [step, content] of taken) await take[step](content)
      for (const { file } of named()) if (!existsSync(join(app.config.dataDir, 'files', file.slice(0, 2), file))) return false
      const keys = new Set(named().map((file) => file.file))
      age(cabinet, 25)
      await sweepUploads(app)
      return filesOf(cabinet).length === keys.size && filesOf(cabinet).every((file) => keys.has(file))
    }),
    { numRuns: 40 },
  )
  t.pass()
})
