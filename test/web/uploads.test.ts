import { randomBytes } from 'node:crypto'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, uploads } from '../../src/database/schema/index.ts'
import { fileLimit } from '../../src/http/uploads/folder.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { filesOf, keyOf } from '../support/files.ts'
import { errorsOf, fieldOf, parseHtml } from '../support/html.ts'
import { storeUpload } from '../support/uploads.ts'

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

interface Part {
  name: string
  value: string | Buffer
  filename?: string
}

function multipart(parts: Part[], end = '\r\n--sep--\r\n'): Buffer {
  const pieces = parts.map(({ name, value, filename }, at) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`
    const head = `${at ? '\r\n' : ''}--sep\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), Buffer.from(value)])
  })
  return Buffer.concat([...pieces, Buffer.from(end)])
}

const headers = { 'content-type': 'multipart/form-data; boundary=sep' }
const send = (browser: Browser, path: string, body: Buffer) => browser.send('POST', path, headers, body as never)
const row = (value: string | Buffer, filename: string, name = 'Contract', index = 0): Part[] => [
  { name: `files[${index}][name]`, value: name },
  { name: `files[${index}][stored]`, value: '' },
  { name: `files[${index}][file]`, value, filename },
]
const marker: Part = { name: 'files', value: '' }

function filesAt({ db, cast }: Cabinet) {
  return db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()?.files
}

t.test('uploads over HTTP', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, app, db, cast } = cabinet
  const maria = await as('maria')
  const path = `/company/edit/${cast.companies.alpha}`
  const empty = () => {
    db.delete(uploads).run()
    db.update(companies).set({ files: [] }).run()
  }

  t.test('an uploaded file is stored unchanged and downloaded unchanged', async (t) => {
    const content = randomBytes(3_000_000)
    const answer = await send(maria, path, multipart([marker, ...row(content, '../../Счёт №1.pdf', 'Договор')]))
    t.equal(answer.statusCode, 303, answer.body.slice(0, 2000))
    const key = keyOf(content)
    t.same(filesAt(cabinet), [{ name: 'Договор', file: key }])
    t.equal(db.select().from(uploads).get()?.name, 'Счёт №1.pdf')
    const { statusCode, rawPayload, headers } = await maria.get(`/files/${key}`, { 'accept-encoding': 'br, gzip' })
    t.equal(statusCode, 200)
    t.ok(rawPayload.equals(content))
    t.match(headers, {
      'content-length': '3000000',
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="_______.pdf"; filename*=UTF-8''${encodeURIComponent('Договор.pdf')}`,
      'cache-control': 'private, no-store',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
    const head = await maria.send('HEAD', `/files/${key}`)
    t.same([head.statusCode, head.headers['content-length'], head.rawPayload.length], [200, '3000000', 0])
    const range = await maria.get(`/files/${key}`, { range: 'bytes=10-19' })
    t.same([range.statusCode, range.rawPayload], [206, content.subarray(10, 20)])
  })

  t.test('only users who may view a record that names a file can download it', async (t) => {
    const key = filesAt(cabinet)?.[0]?.file
    const answers = {
      root: 200,
      admin: 200,
      clerk: 403,
      maria: 200,
      mikhail: 403,
      plain: 403,
      pavel: 403,
      denis: 403,
      roman: 403,
      daria: 403,
    }
    for (const [name, status] of Object.entries(answers)) {
      const answer = await (await as(name as 'root')).get(`/files/${key}`)
      t.equal(answer.statusCode, status, name)
    }
    t.equal((await cabinet.newBrowser().get(`/files/${key}`)).statusCode, 303)
    for (const unknown of [keyOf('unknown'), 'incoming', '..%2Fcabinet.sqlite', String(key?.toUpperCase())])
      t.equal((await maria.get(`/files/${unknown}`)).statusCode, 404, unknown)
  })

  t.test('a file that no record names can be downloaded only by its sender, for a day', async (t) => {
    const { key } = await storeUpload(placeOf(cabinet), chunks('mine'), { name: 'mine.txt', userId: cast.denis })
    const denis = await as('denis')
    const answer = await denis.get(`/files/${key}`)
    t.equal(answer.body, 'mine')
    t.match(answer.headers['content-disposition'], 'filename="mine.txt"')
    t.equal((await maria.get(`/files/${key}`)).statusCode, 403)
    age(cabinet, 25)
    t.equal((await denis.get(`/files/${key}`)).statusCode, 403)
    empty()
  })

  t.test('a form can name only files of its record or uploaded by its sender (422)', async (t) => {
    const store = async (content: string, userId: number) =>
      (await storeUpload(placeOf(cabinet), chunks(content), { name: content, userId })).key
    const own = await store('own', cast.maria)
    const foreign = await store('foreign', cast.mikhail)
    const fields = (stored: string) => ({ files: '', 'files[0][name]': 'x', 'files[0][stored]': stored })
    for (const stored of [foreign, keyOf('nowhere'), '../cabinet.sqlite', 'x'])
      t.equal((await maria.post(path, fields(stored))).statusCode, 422, stored)
    t.same(filesAt(cabinet), [])
    t.equal((await maria.post(path, fields(own))).statusCode, 303)
    age(cabinet, 25)
    t.equal((await maria.post(path, fields(own))).statusCode, 303, 'held already')
    t.same(filesAt(cabinet), [{ name: 'x', file: own }])
    empty()
  })

  t.test('a new file replaces the stored one', async (t) => {
    await send(maria, path, multipart([marker, ...row('first', 'a.txt')]))
    const replaced: Part[] = [marker, ...row('second', 'b.txt')]
    Object.assign(replaced[2] as Part, { value: keyOf('first') })
    t.equal((await send(maria, path, multipart(replaced))).statusCode, 303)
    t.same(filesAt(cabinet), [{ name: 'Contract', file: keyOf('second') }])
    empty()
  })

  t.test('a file input left empty keeps the stored file, and an empty file is refused (422)', async (t) => {
    await send(maria, path, multipart([marker, ...row('kept', 'a.txt')]))
    const untouched: Part[] = [marker, ...row('', '', 'Renamed')]
    Object.assign(untouched[2] as Part, { value: keyOf('kept') })
    t.equal((await send(maria, path, multipart(untouched))).statusCode, 303)
    t.same(filesAt(cabinet), [{ name: 'Renamed', file: keyOf('kept') }])
    const answer = await send(maria, path, multipart([marker, ...row('', 'empty.txt')]))
    t.equal(answer.statusCode, 422)
    t.match(parseHtml(answer.body)('[id="files.0.file-error"]').text(), 'This file is empty.')
    t.same(filesAt(cabinet), [{ name: 'Renamed', file: keyOf('kept') }])
    empty()
  })

  t.test('a file that is too large, broken or cut off is refused and leaves nothing', async (t) => {
    const before = filesOf(cabinet).sort()
    const whole = multipart([marker, ...row('complete', 'a.txt'), ...row('cut off here', 'b.txt', 'Second', 1)])
    const statuses: [string, Buffer, number][] = [
      ['a byte too many', multipart([marker, ...row(Buffer.alloc(fileLimit + 1), 'big.bin')]), 413],
      ['the second too large', multipart([...row('fine', 'a.txt'), ...row(Buffer.alloc(fileLimit + 1), 'big.bin', 'Second', 1)]), 413],
      ['cut in the second file', whole.subarray(0, whole.indexOf('off here')), 400],
      ['cut before the last line', whole.subarray(0, whole.length - 10), 400],
      ['no boundary in it', Buffer.from('nothing like it'), 400],
      ['too many fields', multipart(Array.from({ length: 6001 }, (_, at) => ({ name: `f${at}`, value: '' }))), 413],
      [
        'too many files',
        multipart(Array.from({ length: 101 }, (_, at) => ({ name: `files[${at}][file]`, value: 'x', filename: 'x' }))),
        413,
      ],
      ['too much text', multipart([1, 2, 3].map(() => ({ name: 'org', value: 'x'.repeat(1024 ** 2) }))), 413],
    ]
    for (const [what, body, status] of statuses) {
      const answer = await send(maria, path, body)
      t.equal(answer.statusCode, status, what)
    }
    t.match((await send(maria, path, whole.subarray(0, 300))).body, 'The form was not received completely')
    const headless = await maria.send('POST', path, { 'content-type': 'multipart/form-data' }, whole as never)
    t.equal(headless.statusCode, 400)
    t.equal(sentRows(cabinet).length, 0)
    t.same(filesAt(cabinet), [])
    t.same(filesOf(cabinet).sort(), before)
  })

  t.test('a file of exactly 25 MB and two hundred empty file inputs are accepted', async (t) => {
    const unchosen = Array.from({ length: 200 }, (_, at) => ({ name: `other[${at}][file]`, value: '', filename: '' }))
    const answer = await send(maria, path, multipart([marker, ...unchosen, ...row(Buffer.alloc(fileLimit, 'x'), 'big.bin')]))
    t.equal(answer.statusCode, 303)
    t.equal(db.select().from(uploads).get()?.size, fileLimit)
    empty()
  })

  t.test('a file has the name under which it was saved, whatever others, or the same person later, call the same content', async (t) => {
    const content = 'the same for all'
    const named = async (extension: string) => {
      const answer = await send(maria, path, multipart([{ name: 'org', value: '' }, marker, ...row(content, `mine.${extension}`)]))
      t.equal(answer.statusCode, 422, 'uploaded, and not saved')
    }
    await named('pdf')
    const other = `/company/edit/${cast.companies.beta}`
    t.equal((await send(await as('admin'), other, multipart([marker, ...row(content, 'theirs.bin')]))).statusCode, 303)
    const saved = { files: '', 'files[0][name]': 'Contract', 'files[0][stored]': keyOf(content) }
    t.equal((await maria.post(path, saved)).statusCode, 303)
    await named('txt')
    const later = eq(uploads.name, 'mine.txt')
    db.update(uploads)
      .set({ at: Date.now() + 1000 })
      .where(later)
      .run()
    const { headers } = await maria.get(`/files/${keyOf(content)}`)
    t.match(headers['content-disposition'], /filename="Contract\.pdf"/)
    empty()
  })

  t.test('a form takes a hundred files, and not one more (413)', async (t) => {
    const files = Array.from({ length: 101 }, (_, at) => row('x', `${at}.txt`, `File ${at}`, at))
    const before = filesOf(cabinet).length
    t.equal((await send(maria, path, multipart([marker, ...files.flat()]))).statusCode, 413)
    t.same([filesOf(cabinet).length, sentRows(cabinet).length], [before, 0], 'nothing of it is kept')
    t.equal((await send(maria, path, multipart([marker, ...files.slice(1).flat()]))).statusCode, 303)
    t.equal(filesAt(cabinet)?.length, 100)
    empty()
  })

  t.test('files are accepted only by forms that have them, from users who may submit them', async (t) => {
    const file: Part[] = [
      { name: 'lastname', value: 'New' },
      { name: 'x', value: 'content', filename: 'a.txt' },
    ]
    const before = filesOf(cabinet).length
    const admin = await as('admin')
    t.equal((await send(admin, `/dealers/edit/${cast.denis}`, multipart(file))).statusCode, 415)
    t.equal((await send(cabinet.newBrowser(), '/login', multipart(file))).statusCode, 415)
    t.equal((await send(cabinet.newBrowser(), '/login', multipart(file.slice(0, 1)))).statusCode, 422, 'nobody yet, and no files')
    t.equal((await send(await as('mikhail'), path, multipart(file))).statusCode, 403)
    t.equal((await send(await as('denis'), path, multipart(file))).statusCode, 403)
    t.equal((await send(cabinet.newBrowser(), path, multipart(file))).statusCode, 303)
    t.equal(filesOf(cabinet).length, before)
    t.equal(sentRows(cabinet).length, 0)
    t.equal((await send(admin, `/dealers/edit/${cast.denis}`, multipart(file.slice(0, 1)))).statusCode, 303, 'a form without files')
    t.equal((await maria.send('POST', path, { 'content-type': 'application/json' }, '{}')).statusCode, 415)
    t.equal((await maria.send('POST', path, { 'content-type': 'text/plain' }, 'x')).statusCode, 415)
  })

  t.test('files are accepted only in file fields of the form (415)', async (t) => {
    const before = filesOf(cabinet).length
    const names = ['x', 'org', 'files', 'file', 'files[file]', 'files[][file]', 'files[0][name]', 'files[99999][file]', 'files[0][file][0]']
    for (const name of [...names, 'discounts[0][file]', 'invoice', 'files[0][stored]']) {
      const answer = await send(maria, path, multipart([...row('fine', 'a.txt'), { name, value: 'content', filename: 'a.txt' }]))
      t.equal(answer.statusCode, 415, name)
    }
    const order = (name: string) => multipart([{ name, value: 'content', filename: 'a.txt' }])
    for (const address of ['/orders/add', `/orders/edit/${cast.order}`, `/orders/edit/${cast.order}/transition`])
      t.equal((await send(await as('root'), address, order('receiver'))).statusCode, 415, address)
    t.equal(filesOf(cabinet).length, before)
    t.equal(sentRows(cabinet).length, 0)
  })

  t.test('more than 100 MB in one form is refused, and the form is shown again without the files (413)', async (t) => {
    const before = filesOf(cabinet).length
    const parts = [0, 1, 2, 3, 4, 5].flatMap((index) =>
      row(Buffer.alloc(20 * 1024 ** 2, `${index}`), 'a.bin', `Kept words ${index}`, index),
    )
    const answer = await send(maria, path, multipart([marker, ...parts]))
    t.equal(answer.statusCode, 413)
    t.match(errorsOf(answer)['files.0.file'], 'Files are limited to 100 MB in total. Upload them in several batches.')
    t.match(errorsOf(answer)['files.5.file'], 'Files are limited to 100 MB in total. Upload them in several batches.')
    t.equal(fieldOf(answer, 'files[5][name]')?.value, 'Kept words 5')
    t.equal(filesOf(cabinet).length, before)
    t.equal(sentRows(cabinet).length, 0)
    t.equal((await send(maria, path, multipart([marker, ...parts.slice(0, 15)]))).statusCode, 303, 'exactly so much is fine')
    empty()
  })

  t.test('a user uploads at most 1 GB a day, a small file counting 64 KB, and the refused form keeps its values', async (t) => {
    await send(maria, path, multipart([marker, ...row('held', 'a.txt')]))
    const sent = { key: keyOf('much'), name: 'much', type: '', size: 1024 ** 3 - 64 * 1024 - 'again'.length }
    db.insert(uploads)
      .values({ ...sent, user_id: cast.maria, at: Date.now() })
      .run()
    t.equal((await send(maria, path, multipart([marker, ...row('again', 'a.txt')]))).statusCode, 303, 'to the last byte')
    const before = filesOf(cabinet).sort()
    const more: Part[] = [marker, ...row('again', 'a.txt', 'Kept words'), ...row('more', 'b.txt', 'Second', 1)]
    Object.assign(more[2] as Part, { value: keyOf('again') })
    const answer = await send(maria, path, multipart(more))
    t.equal(answer.statusCode, 429)
    t.ok(Number(answer.headers['retry-after']) > 86_000)
    t.match(errorsOf(answer)['files.1.file'], 'You can upload up to 1 GB of files per day. Upload the rest after ')
    t.equal(fieldOf(answer, 'files[0][name]')?.value, 'Kept words')
    t.equal(fieldOf(answer, 'files[0][stored]')?.value, keyOf('again'))
    t.same(filesOf(cabinet).sort(), before)
    t.same(filesAt(cabinet), [{ name: 'Contract', file: keyOf('again') }])
    t.equal((await maria.post(path, { org: 'Without files' })).statusCode, 303)
    t.equal((await send(await as('root'), path, multipart([marker, ...row('of another', 'a.txt')]))).statusCode, 303, 'others go on')
    age(cabinet, 25)
    t.equal((await send(maria, path, multipart([marker, ...row('tomorrow', 'a.txt')]))).statusCode, 303)
    empty()
  })

  t.test('form data encoded by a browser is understood', async (t) => {
    const form = new FormData()
    form.append('files', '')
    form.append('files[0][name]', 'Ёлка')
    form.append('files[0][file]', new File(['дерево'], 'Ёлка "1".txt', { type: 'text/plain' }))
    const response = new Response(form)
    const type = response.headers.get('content-type') as string
    const answer = await maria.send('POST', path, { 'content-type': type }, Buffer.from(await response.arrayBuffer()) as never)
    t.equal(answer.statusCode, 303)
    t.match(db.select().from(uploads).get(), { key: keyOf('дерево'), type: 'text/plain', size: 12 })
    t.same(filesAt(cabinet), [{ name: 'Ёлка', file: keyOf('дерево') }])
    empty()
  })

  t.test('uploads over a real connection are cut off at their limits', async (t) => {
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const before = filesOf(cabinet).sort()
    const cookie = [...maria.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
    const open = (length: number) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\nContent-Type: ${headers['content-type']}\r\nContent-Length: ${length}\r\n\r\n`,
      )
      return socket
    }
    const beginning = multipart(row('the first file', 'a.txt').concat(row('a beginning', 'b.txt', 'Second', 1)), '')

    const leaving = open(1_000_000)
    leaving.write(beginning)
    while (filesOf(cabinet).length === before.length) await pause(5)
    leaving.destroy()
    while (filesOf(cabinet).length > before.length) await pause(5)
    t.equal(sentRows(cabinet).length, 0, 'whoever leaves in the middle leaves nothing')

    const insisting = open(200 * 1024 ** 2)
    let answer = ''
    insisting.on('data', (data) => void (answer += data))
    insisting.write(beginning)
    for (let sent = 0; sent < 200 && answer === ''; sent++) {
      if (!insisting.write(Buffer.alloc(1024 ** 2))) await new Promise((resolve) => insisting.once('drain', resolve))
    }
    t.match(answer, /^HTTP\/1\.1 413 /, 'answered before everything was sent')
    insisting.destroy()
    t.same(filesOf(cabinet).sort(), before)

    const part = `--sep\r\nContent-Disposition: attachment; filename="x"\r\n\r\n${'x'.repeat(3_000_000)}\r\n`
    const body = Buffer.concat([Buffer.from(part), multipart([{ name: 'org', value: 'After it' }])])
    const request = { method: 'POST', body, headers: { ...headers, cookie }, redirect: 'manual' } as const
    t.equal((await fetch(`http://127.0.0.1:${port}${path}`, request)).status, 303, 'a part that is neither field nor file holds nobody up')
    t.equal(db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()?.org, 'After it')
  })
})
