import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32, deflateSync } from 'node:zlib'
import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import t from 'tap'
import { uploads, users } from '../../src/database/schema/index.ts'
import { pictureLimit } from '../../src/http/uploads/picture.ts'
import { sweepUploads } from '../../src/records/sweep-uploads.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, type Name } from '../support/cast.ts'
import { filesOf, keyOf, submitForm } from '../support/files.ts'
import { errorsOf, hiddenOf, parseHtml } from '../support/html.ts'
import { storeUpload } from '../support/uploads.ts'

/** A picture whose halves have two colours, side by side. */
function halves(width: number, height: number, left: string, right: string) {
  const half = { create: { width: Math.ceil(width / 2), height, channels: 3 as const, background: left } }
  return sharp({ create: { width, height, channels: 3, background: right } }).composite([{ input: half, left: 0, top: 0 }])
}

const colours = { red: [255, 0, 0], blue: [0, 0, 255], lime: [0, 255, 0] }
type Colour = keyof typeof colours

async function colourAt(picture: Buffer, x: number, y: number): Promise<Colour | undefined> {
  const pixel = await sharp(picture).extract({ left: x, top: y, width: 1, height: 1 }).removeAlpha().raw().toBuffer()
  const near = (wanted: number[]) => wanted.every((value, at) => Math.abs(value - (pixel[at] ?? 0)) < 30)
  return (Object.keys(colours) as Colour[]).find((name) => near(colours[name]))
}

/** A small file that unfolds to an enormous black square. */
function solidPng(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    const body = Buffer.concat([Buffer.from(type), data])
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  for (const at of [0, 4]) head.writeUInt32BE(side, at)
  const rows = deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8))))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

type Value = string | Buffer | { name: string; content: Buffer }

/** Sends a form as a browser does that has files in it. */
async function send(browser: Browser, path: string, fields: [string, Value][]) {
  const toFile = (value: Value) => {
    if (typeof value === 'string') return value
    if (Buffer.isBuffer(value)) return new File([value as never], 'photo.jpg', { type: 'image/jpeg' })
    return new File([value.content as never], value.name)
  }
  return submitForm(
    browser,
    path,
    fields.map(([name, value]) => [name, toFile(value)]),
  )
}

const userOf = ({ db }: Cabinet, id: number) => db.select().from(users).where(eq(users.id, id)).get()
const imageOf = (cabinet: Cabinet, id: number) => userOf(cabinet, id)?.image ?? null

const problemOf = (body: string) => parseHtml(body)('#image-error').text().trim()

type Test = Parameters<typeof startCabinet>[0]

const cropper = 'script[src*="cropper.js"]'

async function open(test: Test) {
  const cabinet = await startCabinet(test)
  const root = await cabinet.as('root')
  const path = `/managers/edit/${cabinet.cast.maria}`
  const shown = async (key: string | null, size = 320) => (await root.get(`/avatars/${key}/${size}`)).rawPayload
  return { ...cabinet, cabinet, root, path, shown }
}

t.test('an uploaded picture is stored as square WebP in two sizes, and the original is not kept', async (t) => {
  const { cabinet, root, path, shown, db, cast } = await open(t)
  const sent = await halves(900, 300, 'red', 'blue').jpeg({ quality: 95 }).toBuffer()
  const answer = await send(root, path, [
    ['image[stored]', ''],
    ['image[crop]', ''],
    ['image', sent],
  ])
  t.equal(answer.statusCode, 303, answer.body.slice(0, 3000))
  const key = imageOf(cabinet, cast.maria)
  for (const size of [320, 96]) {
    const picture = await shown(key, size)
    t.match(await sharp(picture).metadata(), { format: 'webp', width: size, height: size })
    t.same([await colourAt(picture, 2, size / 2), await colourAt(picture, size - 3, size / 2)], ['red', 'blue'], 'the middle of it')
  }
  t.equal(keyOf(await shown(key)), key, 'named by its content')
  t.same(filesOf(cabinet).sort(), [key, `${key}-96`])
  t.match(db.select().from(uploads).all(), [{ key, type: 'image/webp', name: 'photo.jpg', user_id: cast.root }])
  t.notOk(filesOf(cabinet).includes(keyOf(sent)))
})

t.test('pictures of every format are accepted by their content, whatever the file name says', async (t) => {
  const { cabinet, root, path, shown, cast } = await open(t)
  const drawing = () => halves(64, 64, 'red', 'blue')
  const frames = await sharp([await drawing().png().toBuffer(), await halves(64, 64, 'lime', 'lime').png().toBuffer()], {
    join: { animated: true },
  })
    .gif()
    .toBuffer()
  const pictures = {
    'photo.exe': await drawing().png().toBuffer(),
    'photo.png': await drawing().webp({ lossless: true }).toBuffer(),
    'photo.jpg': await drawing().avif({ quality: 90 }).toBuffer(),
    'moving.gif': frames,
    photo: await drawing().jpeg().toBuffer(),
    'print.jpeg': await drawing().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
    'deep.png': await drawing().toColourspace('rgb16').png().toBuffer(),
  }
  for (const [name, content] of Object.entries(pictures)) {
    const answer = await send(root, path, [['image', { name, content }]])
    t.equal(answer.statusCode, 303, name)
    const picture = await shown(imageOf(cabinet, cast.maria))
    t.equal(await colourAt(picture, 20, 160), 'red', `${name}, the first frame of it`)
  }
  const tiny = await sharp({ create: { width: 1, height: 1, channels: 4, background: '#f000' } })
    .png()
    .toBuffer()
  t.equal((await send(root, path, [['image', tiny]])).statusCode, 303)
  t.match(await sharp(await shown(imageOf(cabinet, cast.maria))).metadata(), { width: 320, height: 320, hasAlpha: true })
})

t.test('a picture is rotated upright, and its metadata is removed', async (t) => {
  const { cabinet, root, path, shown, cast } = await open(t)
  const secret = 'Taken at 55.7558, 37.6173'
  const turned = await halves(200, 100, 'red', 'blue')
    .jpeg({ quality: 95 })
    .withExif({ IFD0: { ImageDescription: secret } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const cases: [string, [Colour, Colour]][] = [
    ['', ['red', 'blue']],
    ['0,0,100', ['red', 'red']],
    ['0,100,100', ['blue', 'blue']],
    ['10,60,80', ['red', 'blue']],
    ['0,101,100', ['red', 'blue']],
    ['1,0,100', ['red', 'blue']],
    ['0,0,0', ['red', 'blue']],
    ['-1,0,10', ['red', 'blue']],
    ['0,0,99999', ['red', 'blue']],
    ['0,0,100,100', ['red', 'blue']],
    ['0.5,0,10', ['red', 'blue']],
    ['NaN,0,1e1', ['red', 'blue']],
  ]
  for (const [crop, [top, bottom]] of cases) {
    const parts: [string, Value][] = [
      ['image[crop]', crop],
      ['image', turned],
    ]
    const fields = crop === '0,0,100' ? parts.reverse() : parts
    t.equal((await send(root, path, fields)).statusCode, 303)
    const picture = await shown(imageOf(cabinet, cast.maria))
    t.same([await colourAt(picture, 160, 10), await colourAt(picture, 160, 310)], [top, bottom], `crop '${crop}'`)
  }
  const told = sharp({ create: { width: 50, height: 50, channels: 3, background: 'red' } })
  const png = await told
    .png()
    .withExif({ IFD0: { Copyright: secret } })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${secret}</x:xmpmeta>`)
    .toBuffer()
  t.ok(png.includes(secret))
  for (const content of [png, turned]) {
    await send(root, path, [['image', content]])
    for (const size of [320, 96]) {
      const picture = await shown(imageOf(cabinet, cast.maria), size)
      const { exif, xmp, icc, iptc, orientation } = await sharp(picture).metadata()
      t.same([exif, xmp, icc, iptc, orientation], [undefined, undefined, undefined, undefined, undefined])
      t.notOk(picture.includes('Taken at'))
    }
  }
})

t.test('a file that is not a picture or is too large is refused (422) and leaves nothing behind', async (t) => {
  const { cabinet, root, path, db, cast } = await open(t)
  const photo = await halves(300, 300, 'red', 'blue').jpeg().toBuffer()
  await send(root, path, [['image', photo]])
  const before = { image: imageOf(cabinet, cast.maria), files: filesOf(cabinet).sort(), uploads: db.select().from(uploads).all().length }
  const noise = await sharp({
    create: { width: 500, height: 500, channels: 3, background: 'red', noise: { type: 'gaussian', mean: 99, sigma: 50 } },
  })
    .jpeg()
    .toBuffer()
  const huge = sharp({ create: { width: 20_000, height: 2_501, channels: 3, background: 'red' } })
  const bomb = solidPng(20_000)
  const svg = Buffer.from(
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  )
  const notPicture = 'Use a JPEG, PNG, WebP, GIF, or AVIF image.'
  const damaged = 'This image is damaged.'
  const refused: [string, Buffer, number, string][] = [
    ['drawing.png', svg, 415, notPicture],
    ['drawing.svg', Buffer.from('<svg/>'), 415, notPicture],
    ['setup.jpg', Buffer.concat([Buffer.from('MZ\x90\x00'), Buffer.alloc(5000, 7)]), 415, notPicture],
    ['page.gif', Buffer.from('<!doctype html><script>alert(1)</script>'), 415, notPicture],
    ['scan.tiff', await sharp(photo).tiff().toBuffer(), 415, notPicture],
    ['one byte.jpg', Buffer.from('x'), 415, notPicture],
    ['only its beginning.gif', Buffer.from('GIF89a<script>alert(1)</script>'), 415, damaged],
    ['svg in disguise.jpg', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), svg]), 415, damaged],
    ['truncated.jpg', noise.subarray(0, noise.length / 2), 415, damaged],
    ['truncated.png', (await sharp(noise).png().toBuffer()).subarray(0, 200_000), 415, damaged],
    ['truncated.webp', (await sharp(noise).webp().toBuffer()).subarray(0, 9000), 415, damaged],
    ['50.02 megapixels.png', await huge.png({ compressionLevel: 1 }).toBuffer(), 413, 'Images are limited to 50 megapixels.'],
    ['400 megapixels.png', bomb, 413, 'Images are limited to 50 megapixels.'],
    ['a byte too many.jpg', Buffer.concat([photo, Buffer.alloc(pictureLimit + 1 - photo.length)]), 413, 'Images are limited to 10 MB.'],
  ]
  for (const [name, content, status, message] of refused) {
    const answer = await send(root, path, [
      ['lastname', 'Updated'],
      ['position', 'Typed & kept'],
      ['image[stored]', String(before.image)],
      ['image', { name, content }],
    ])
    t.equal(answer.statusCode, status, name)
    t.equal(problemOf(answer.body), message, name)
    t.match(answer.body, 'value="Typed &amp; kept"', 'nothing typed is lost')
    t.match(answer.body, `name="image[stored]" value="${before.image}"`, 'the picture before is still there')
    t.ok(errorsOf(answer).image)
  }
  t.equal((await sharp(solidPng(100)).metadata()).width, 100, 'the bomb would be a picture')
  t.ok(bomb.length < 100_000)
  t.equal((await send(root, path, [['image', Buffer.alloc(26 * 1024 ** 2)]])).statusCode, 413, 'more than any file may have')
  t.equal((await send(root, path, [['image', Buffer.alloc(0)]])).statusCode, 422, 'an empty file')
  const twice = await send(root, path, [
    ['image', photo],
    ['image', photo],
  ])
  t.equal(twice.statusCode, 422, 'one picture')
  t.equal((await send(root, path, [['other', photo]])).statusCode, 415, 'a file that nobody asked for')
  t.equal((await send(root, `/dealers/edit/${cast.denis}`, [['image', photo]])).statusCode, 415, 'dealers have no picture')
  const after = { image: imageOf(cabinet, cast.maria), files: filesOf(cabinet).sort(), uploads: db.select().from(uploads).all().length }
  t.same(after, before)
  t.equal(userOf(cabinet, cast.maria)?.lastname, 'Petrova')
  const exactly = Buffer.concat([photo, Buffer.alloc(pictureLimit - photo.length)])
  t.equal((await send(root, path, [['image', exactly]])).statusCode, 303, 'exactly 10 MB')
})

t.test('the create and edit forms of administrators, managers and production users accept a picture', async (t) => {
  const { cabinet, root, shown, cast } = await open(t)
  const photo = await halves(300, 300, 'red', 'blue').jpeg().toBuffer()
  const records = { admins: cast.clerk, managers: cast.maria, productions: cast.pavel }
  for (const [kind, id] of Object.entries(records)) {
    for (const path of [`/${kind}/add`, `/${kind}/edit/${id}`]) {
      const page = await root.get(path)
      const $ = parseHtml(page.body)
      t.equal($('form[enctype="multipart/form-data"] input[type=file]#image').attr('name'), 'image', path)
      t.equal($(cropper).length, 1, `${path} loads the cropper`)
    }
    const person: [string, string][] = [
      ['lastname', 'New'],
      ['name', kind],
      ['email', `${kind}@example.com`],
      ['password', 'a good password'],
    ]
    const created = await send(root, `/${kind}/add`, [...person, ['image[stored]', ''], ['image[crop]', '0,0,150'], ['image', photo]])
    t.equal(created.statusCode, 303)
    const newId = Number(/\d+$/.exec(String(created.headers.location))?.[0])
    t.equal(await colourAt(await shown(imageOf(cabinet, newId)), 300, 160), 'red', 'cut as the browser said')
    t.equal((await send(root, `/${kind}/edit/${id}`, [['image', photo]])).statusCode, 303)
    const list = await root.get(`/${kind}`)
    for (const one of [id, newId]) t.equal(parseHtml(list.body)(`img.avatar[src="/avatars/${imageOf(cabinet, one)}/96"]`).length, 1)
  }
  t.equal(parseHtml((await root.get('/dealers/add')).body)(`${cropper}, [name=image]`).length, 0)
  await send(root, `/admins/edit/${cast.root}`, [['image', photo]])
  t.equal(parseHtml((await root.get('/')).body)('summary img.avatar').length, 1, 'the header shows who is signed in')
})

t.test('a saved picture is kept, replaced or removed as the form says', async (t) => {
  const { cabinet, root, path, cast } = await open(t)
  const [first, second] = [
    await halves(300, 300, 'red', 'blue').jpeg().toBuffer(),
    await halves(300, 300, 'lime', 'blue').jpeg().toBuffer(),
  ]
  const save = async (...fields: [string, Value][]) => {
    t.equal((await send(root, path, fields)).statusCode, 303)
    return imageOf(cabinet, cast.maria)
  }
  const key = await save(['image', first])
  t.match(
    (await root.get(`/files/${key}`)).headers['content-disposition'],
    /filename="Petrova Maria Ivanovna\.jpg"/,
    'as a file it has their name',
  )
  t.equal(await save(['lastname', 'Updated']), key, 'a body that does not name it')
  t.equal(await save(['image[stored]', String(key)], ['image[crop]', ''], ['image', { name: '', content: Buffer.alloc(0) }]), key)
  const other = await save(['image[stored]', String(key)], ['image', second])
  t.not(other, key)
  t.equal(await save(['image[stored]', String(other)], ['image[stored]', ''], ['image', first]), key, 'a new one counts more than the tick')
  t.equal(await save(['image[stored]', String(key)], ['image[stored]', '']), null, 'the tick')
  t.equal((await root.post(path, { 'image[stored]': String(key) })).statusCode, 303, 'just sent by the same person')
  t.equal(imageOf(cabinet, cast.maria), key)
  t.equal((await root.post(path, { 'image[stored]': '' })).statusCode, 303)
  t.equal(imageOf(cabinet, cast.maria), null)
})

t.test('a form that fails validation keeps the uploaded picture for the next attempt', async (t) => {
  const { cabinet, root, path, cast } = await open(t)
  const photo = await halves(300, 300, 'red', 'blue').jpeg().toBuffer()
  for (const address of [path, '/managers/add']) {
    const answer = await send(root, address, [
      ['lastname', ''],
      ['name', 'New'],
      ['email', 'new@example.com'],
      ['password', 'a good password'],
      ['image', photo],
    ])
    t.equal(answer.statusCode, 422)
    t.equal(imageOf(cabinet, cast.maria), null)
    const key = hiddenOf(answer, 'image[stored]')[0] as string
    t.match(answer.body, `src="/avatars/${key}/320"`)
    t.equal((await root.get(`/avatars/${key}/320`)).statusCode, 200, 'shown to the one who sent it')
    t.equal((await (await cabinet.as('denis')).get(`/avatars/${key}/320`)).statusCode, 403, 'and to nobody else yet')
    const fields = {
      lastname: 'New',
      name: 'New',
      email: `${address.length}@example.com`,
      password: 'a good password',
      'image[stored]': key,
    }
    const saved = await root.post(address, fields)
    t.equal(saved.statusCode, 303)
    const id = Number(/\d+$/.exec(String(saved.headers.location))?.[0])
    t.equal(imageOf(cabinet, id), key)
    cabinet.db.update(users).set({ image: null }).run()
  }
})

t.test('a form can name only a picture that its sender uploaded or the record already has', async (t) => {
  const { cabinet, root, path, as, app, db, cast } = await open(t)
  grant(db, cast.clerk, 'manager_can_view', 'manager_can_edit', 'manager_can_add')
  const clerk = await as('clerk')
  await send(root, path, [['image', await halves(300, 300, 'red', 'blue').jpeg().toBuffer()]])
  const key = String(imageOf(cabinet, cast.maria))
  const place = { db, dataDir: app.config.dataDir }
  const file = await storeUpload(place, Readable.from([Buffer.from('a contract')]), {
    name: 'a.webp',
    type: 'image/webp',
    userId: cast.clerk,
  })
  const other = `/managers/edit/${cast.mikhail}`
  for (const stored of [key, file.key, 'no key', `${key}-96`, '../../cabinet.sqlite']) {
    for (const address of [other, '/managers/add']) {
      const answer = await clerk.post(address, { 'image[stored]': stored })
      t.equal(answer.statusCode, 422, stored)
      t.equal(problemOf(answer.body), 'File not found. Choose it again.')
      t.match(answer.body, 'name="image[stored]" value=""', 'it is not offered again')
    }
  }
  t.equal((await clerk.post(path, { 'image[stored]': key })).statusCode, 303, 'what the record holds')
  db.update(uploads)
    .set({ at: Date.now() - 25 * 3600_000 })
    .run()
  t.equal((await root.post(other, { 'image[stored]': key })).statusCode, 422, 'sent too long ago')
  t.equal(imageOf(cabinet, cast.mikhail), null)
})

t.test('every signed-in user sees pictures, browsers cache them privately, and strangers are sent to sign in', async (t) => {
  const { cabinet, root, path, as, app, db, cast, newBrowser } = await open(t)
  await send(root, path, [['image', await halves(300, 300, 'red', 'blue').jpeg().toBuffer()]])
  const key = String(imageOf(cabinet, cast.maria))
  for (const name of ['root', 'clerk', 'maria', 'pavel', 'denis'] as Name[])
    for (const size of [96, 320]) t.equal((await (await as(name)).get(`/avatars/${key}/${size}`)).statusCode, 200, `${name}, ${size}`)
  t.match((await root.get(`/avatars/${key}/96`)).headers, {
    'content-type': 'image/webp',
    'cache-control': 'private, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-length': String(readFileSync(join(app.config.dataDir, 'files', key.slice(0, 2), `${key}-96`)).length),
  })
  t.equal((await newBrowser().get(`/avatars/${key}/96`)).statusCode, 303, 'nobody without signing in')
  const file = await storeUpload({ db, dataDir: app.config.dataDir }, Readable.from([Buffer.from('x')]), { name: 'x', userId: cast.root })
  const unknown = [
    `${key}/64`,
    `${key}/0320`,
    `${keyOf('none')}/96`,
    `${key}-96/96`,
    `..%2F${key}/96`,
    `${key.toUpperCase()}/96`,
    `${file.key}/320`,
  ]
  for (const address of unknown) {
    const answer = await root.get(`/avatars/${address}`)
    t.equal(answer.statusCode, 404, address)
    t.notMatch(String(answer.headers['cache-control']), 'immutable')
  }
  await root.post(path, { 'image[stored]': '' })
  t.equal((await (await as('denis')).get(`/avatars/${key}/96`)).statusCode, 403, 'nobody has it any more')
  t.equal((await root.get(`/avatars/${key}/96`)).statusCode, 200, 'but root sent it today')
})

t.test('housekeeping keeps pictures in use and deletes both sizes of unused ones', async (t) => {
  const { cabinet, root, path, app, db, cast } = await open(t)
  const age = () =>
    db
      .update(uploads)
      .set({ at: Date.now() - 25 * 3600_000 })
      .run()
  await send(root, path, [['image', await halves(300, 300, 'red', 'blue').jpeg().toBuffer()]])
  const key = String(imageOf(cabinet, cast.maria))
  await send(root, `/managers/edit/${cast.plain}`, [['image', await halves(300, 300, 'lime', 'blue').jpeg().toBuffer()]])
  const binned = String(imageOf(cabinet, cast.plain))
  t.equal((await root.post('/managers/delete', { id: cast.plain })).statusCode, 303)
  age()
  await sweepUploads(app)
  t.same(filesOf(cabinet).sort(), [key, `${key}-96`, binned, `${binned}-96`].sort(), 'what lies in the bin comes back whole')
  await root.post(path, { 'image[stored]': '' })
  await sweepUploads(app)
  t.same(filesOf(cabinet).sort(), [binned, `${binned}-96`])
  t.equal((await root.get(`/avatars/${key}/96`)).statusCode, 404)
})

t.test('pictures uploaded at the same time are all saved', async (t) => {
  const { cabinet, root, cast } = await open(t)
  const photo = await halves(3000, 2000, 'red', 'blue').jpeg().toBuffer()
  const ids = [cast.maria, cast.mikhail, cast.plain]
  const send3 = ids.map((id, at) =>
    send(root, `/managers/edit/${id}`, [
      ['image[crop]', `${at},0,2000`],
      ['image', at === 1 ? Buffer.from('GIF89a') : photo],
    ]),
  )
  t.same(
    (await Promise.all(send3)).map((answer) => answer.statusCode),
    [303, 415, 303],
  )
  t.same(
    ids.map((id) => imageOf(cabinet, id) !== null),
    [true, false, true],
  )
})
