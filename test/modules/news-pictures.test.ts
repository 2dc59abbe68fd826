import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import t from 'tap'
import { news, trash, uploads } from '../../src/database/schema/index.ts'
import { sweepUploads } from '../../src/records/sweep-uploads.ts'
import type { Browser } from '../support/cabinet.ts'
import { grant, revoke } from '../support/cast.ts'
import { filesOf, submitForm } from '../support/files.ts'
import { errorsOf, fieldOf, parseHtml, textsByRole } from '../support/html.ts'
import { startWithNews } from '../support/news.ts'

async function picture(colour: string, type: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' = 'png', width = 900) {
  return sharp({ create: { width, height: 600, channels: 3, background: colour } })
    .toFormat(type)
    .withExif({ IFD0: { Copyright: 'Taken at home' } })
    .toBuffer()
}

async function send(browser: Browser, path: string, fields: [string, string | Buffer][]) {
  return submitForm(
    browser,
    path,
    fields.map(([name, value]) => [name, typeof value === 'string' ? value : new File([value as never], 'a.png')]),
  )
}

const keysIn = (body: string) => [...body.matchAll(/name="images\[\d+\]\[stored\]" value="(\w{64})"/g)].map(([, key]) => key as string)

t.test('pictures of an article are uploaded, reordered, shown to its readers and removed', async (t) => {
  const { cabinet, cast, root, clerk, denis, plain, add, stored, db, app } = await startWithNews(t)
  const formats = await Promise.all((['png', 'jpeg', 'webp', 'gif', 'avif'] as const).map((type, at) => picture(`#0${at}0`, type)))
  const id = add({ published: true })
  const path = `/news/edit/${id}`
  const saved = await send(root, path, [['images', ''], ...formats.map((one): [string, Buffer] => ['images[file]', one])])
  t.equal(saved.statusCode, 303)
  const keys = stored(id)?.images as string[]
  t.equal(keys.length, 5, 'several at once, of every kind')
  const small = await denis.get(`/news/images/${keys[0]}/480`)
  t.match(small.headers, { 'content-type': 'image/webp', 'x-content-type-options': 'nosniff' })
  t.match(await sharp(small.rawPayload).metadata(), { width: 480, height: 320, exif: undefined })
  t.match(await sharp((await denis.get(`/news/images/${keys[0]}/1920`)).rawPayload).metadata(), { width: 900, exif: undefined })
  t.match((await denis.get('/news')).body, `/news/images/${keys[0]}/1920`)
  t.match((await denis.get(path)).body, `/news/images/${keys[0]}/1920`)
  const downloaded = await denis.get(`/files/${keys[0]}`)
  t.equal(downloaded.statusCode, 200)
  t.match(downloaded.headers['content-disposition'], 'filename="Message.png"', 'named after the article')
  for (const address of [`${keys[0]}/96`, `${keys[0]}/0480`, `${'0'.repeat(64)}/480`, `..%2Fx/480`])
    t.equal((await root.get(`/news/images/${address}`)).statusCode, 404)

  const [a, b, c, d, e] = keys as [string, string, string, string, string]
  const order = (list: string[]) => Object.fromEntries(list.map((key, at) => [`images[${at}][stored]`, key]))
  await root.post(path, { images: '', ...order([c, a, b]) })
  t.same(stored(id)?.images, [c, a, b], 'reordered, two removed')
  await root.post(path, order([b]))
  t.same(stored(id)?.images, [c, a, b], 'without the marker nothing goes')
  await root.post(path, { name: 'Renamed' })
  t.same(stored(id)?.images, [c, a, b])
  const raised = await root.post(path, { images: '', ...order([c, a, b]), _up: 'images.2' })
  t.equal(raised.statusCode, 200)
  t.same(keysIn(raised.body), [c, b, a], 'moved by a button')
  t.same(keysIn((await root.post(path, { images: '', ...order([c, a, b]), _remove: 'images.0' })).body), [a, b])
  t.same(stored(id)?.images, [c, a, b], 'and not saved yet')
  const preview = parseHtml((await root.get(`${path}?tab=preview`)).body)('article img')
  t.match(preview.first().attr('src'), c, 'the first is the cover, in the preview too')
  await root.post(path, { images: '', ...order([c, d, d, e]) })
  t.same(stored(id)?.images, [c, d, e], 'what the same person has just sent, each once')
  t.equal((await clerk.post(path, { images: '', ...order([c, a]) })).statusCode, 422, 'but not what another sent')
  await root.post(path, { images: '' })
  t.same(stored(id)?.images, [])

  const ahead = await send(root, '/news/images?index=7', [['images[file]', await picture('red')]])
  t.equal(ahead.statusCode, 200)
  const key = fieldOf(ahead, 'images[7][stored]')?.value as string
  const [green, grey] = [await picture('green'), await picture('grey')]
  for (const [query, places] of Object.entries({ '': [0, 1], '?index=12': [12, 13], '?index=x': [0, 1] })) {
    const several = await send(root, `/news/images${query}`, [
      ['images[file]', green],
      ['images[file]', grey],
    ])
    const values = places.map((place) => fieldOf(several, `images[${place}][stored]`)?.value)
    t.equal(new Set(values).size, 2, `${query}: each picture has a place of its own`)
    t.notOk(values.includes(undefined))
  }
  for (const policy of ['news_can_edit', 'news_can_add'] as const) {
    grant(db, cast.plain, policy)
    t.equal((await send(plain, '/news/images', [['images[file]', green]])).statusCode, 200, policy)
    revoke(db, cast.plain, policy)
    t.equal((await send(plain, '/news/images', [['images[file]', green]])).statusCode, 403, `without ${policy}`)
  }
  t.equal((await root.get(`/news/images/${key}/480`)).statusCode, 200)
  for (const one of [clerk, denis]) t.equal((await one.get(`/news/images/${key}/480`)).statusCode, 403, 'nobody else yet')
  const failed = await send(root, path, [
    ['images', ''],
    ['images[0][stored]', key],
    ['images[file]', await picture('blue')],
    ['name', ''],
  ])
  t.equal(failed.statusCode, 422)
  t.equal(keysIn(failed.body).length, 2, 'a failed save loses none')
  await root.post(path, { images: '', ...order(keysIn(failed.body)), published: '0' })
  t.equal(stored(id)?.images.length, 2)
  t.equal((await denis.get(`/news/images/${key}/480`)).statusCode, 403, 'pictures of a draft are not for dealers')
  t.equal((await denis.get(`/files/${key}`)).statusCode, 403)
  t.equal((await plain.get(`/news/images/${key}/480`)).statusCode, 200)
  const draft = { published: false, publishedon: null, version: stored(id)?.version }
  const change = (values: Partial<typeof news.$inferInsert>) => db.update(news).set(values).where(eq(news.id, id)).run()
  change({ publishedon: 1000 })
  t.equal((await denis.get(`/news/images/${key}/480`)).statusCode, 200, 'once its date has come they are, whatever is read first')
  change(draft)

  const before = { images: stored(id)?.images, files: filesOf(cabinet).length, uploads: db.select().from(uploads).all().length }
  const program = Buffer.concat([Buffer.from('MZ\x90\x00'), Buffer.alloc(9000, 1)])
  for (const address of [path, '/news/images']) {
    const refused: [Buffer, number, string][] = [
      [program, 415, 'Use a JPEG, PNG, WebP, GIF, or AVIF image'],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, 'Use a JPEG, PNG, WebP, GIF, or AVIF image'],
      [Buffer.concat([formats[1] as Buffer, Buffer.alloc(10 * 1024 ** 2)]), 413, 'Images are limited to 10 MB'],
    ]
    for (const [content, status, message] of refused) {
      const answer = await send(root, address, [['images[file]', content]])
      t.equal(answer.statusCode, status)
      t.ok(
        [errorsOf(answer).images, ...textsByRole(answer, 'alert')].some((text) => text?.includes(message)),
        message,
      )
    }
  }
  t.equal((await send(root, '/news/images', [])).statusCode, 422)
  t.equal((await send(root, path, [['other', program]])).statusCode, 415)
  t.same({ images: stored(id)?.images, files: filesOf(cabinet).length, uploads: db.select().from(uploads).all().length }, before)
  const many: [string, Buffer][] = await Promise.all(
    Array.from(
      { length: 31 },
      async (_, at): Promise<[string, Buffer]> => ['images[file]', await picture(`rgb(${at * 8}, 0, 0)`, 'png', 20)],
    ),
  )
  const tooMany = await send(root, path, [['images', ''], ...many])
  t.equal(tooMany.statusCode, 422)
  t.equal(errorsOf(tooMany).images, 'Up to 30 images.')
  t.equal(keysIn(tooMany.body).length, 31, 'none is lost')
  t.equal((await root.post(path, { images: '', ...order(keysIn(tooMany.body).slice(0, 30)) })).statusCode, 303)
  t.equal(stored(id)?.images.length, 30)

  const kept = stored(id)?.images as string[]
  await root.post('/news/delete', { id })
  t.equal(db.select().from(trash).all().length, 1)
  db.update(uploads)
    .set({ at: Date.now() - 25 * 3600_000 })
    .run()
  await sweepUploads(app)
  t.same(filesOf(cabinet).sort(), kept.flatMap((one) => [one, `${one}-480`]).sort(), 'what lies in the bin comes back with its pictures')
})

t.test('an animated picture stays animated, and a rotated one is put upright', async (t) => {
  const { root, add, stored } = await startWithNews(t)
  const frames = await Promise.all(['red', 'blue'].map((colour) => picture(colour, 'png', 40)))
  const gif = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer()
  const lying = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const id = add()
  await send(root, `/news/edit/${id}`, [
    ['images[file]', gif],
    ['images[file]', lying],
  ])
  const [moving, upright] = stored(id)?.images ?? []
  t.match(await sharp((await root.get(`/news/images/${moving}/1920`)).rawPayload).metadata(), { pages: 2, width: 40 })
  t.match(await sharp((await root.get(`/news/images/${moving}/480`)).rawPayload).metadata(), { pages: undefined, width: 32, height: 480 })
  t.match(await sharp((await root.get(`/news/images/${upright}/1920`)).rawPayload).metadata(), { width: 20, height: 40 })
})

t.test('a picture with too many frames is refused before it is decoded (422)', async (t) => {
  const { cabinet, root, add, stored } = await startWithNews(t)
  const side = 8
  const moving = (frames: number) => {
    const pixels = Buffer.from(Array.from({ length: side * side * 3 * frames }, (_, at) => (Math.floor(at / (side * side * 3)) % 2) * 255))
    return sharp(pixels, { raw: { width: side, height: side * frames, channels: 3, pageHeight: side } })
  }
  const id = add()
  const path = `/news/edit/${id}`
  for (const content of [await moving(501).gif({ effort: 1 }).toBuffer(), await moving(501).webp({ effort: 0 }).toBuffer()]) {
    t.equal((await sharp(content).metadata()).pages, 501)
    const answer = await send(root, path, [
      ['name', 'Kept words'],
      ['images[file]', content],
    ])
    t.equal(answer.statusCode, 415)
    t.equal(errorsOf(answer).images, 'Images are limited to 500 frames.')
    t.match(answer.body, 'Kept words')
  }
  t.same(filesOf(cabinet), [])
  t.equal((await send(root, path, [['images[file]', await moving(500).gif({ effort: 1 }).toBuffer()]])).statusCode, 303)
  t.equal(stored(id)?.images.length, 1)
})
