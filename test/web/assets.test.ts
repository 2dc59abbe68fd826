import { readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import '../../src/commands/compress-assets.ts'
import { assetPath, editorPath } from '../../src/view/assets.ts'
import { startCabinet } from '../support/cabinet.ts'

t.test('a browser gets each asset in the smallest encoding it accepts and caches it', async (t) => {
  const { app } = await startCabinet(t)
  const get = (url: string, encoding: string) => app.inject({ url, headers: { 'accept-encoding': encoding } })
  for (const name of ['cabinet.js', 'cabinet.css', 'favicon.svg']) {
    const plain = await get(assetPath(name), 'identity')
    const cases = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [encoding, decode] of Object.entries(cases)) {
      const answer = await get(assetPath(name), encoding === 'br' ? 'gzip, deflate, br' : 'gzip, br;q=0')
      t.match(answer.headers, {
        'content-encoding': encoding,
        'content-type': plain.headers['content-type'],
        'content-length': String(answer.rawPayload.length),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: /accept-encoding/i,
      })
      t.same(decode(answer.rawPayload), plain.rawPayload, `${name} as ${encoding}`)
    }
  }
})

t.test('an asset of another version, or an unknown one, is 404', async (t) => {
  const { app } = await startCabinet(t)
  const path = assetPath('cabinet.js')
  const wrong = [
    `${path}.br`,
    path.replace(/[^/]+(?=\/cabinet)/, '0123456789'),
    '/assets/x/..%2f..%2fpackage.json',
    editorPath('..%2fpackage.json'),
  ]
  for (const url of wrong) t.equal((await app.inject({ url })).statusCode, 404, url)
  t.equal((await app.inject({ url: editorPath('hugerte.min.js') })).statusCode, 200)
})

t.test('the fonts of a first visit weigh at most 35 KB and have every letter of the texts', async (t) => {
  const { app } = await startCabinet(t)
  const fonts = await Promise.all(['inter-latin.woff2', 'inter-cyrillic.woff2'].map((name) => app.inject(assetPath(name))))
  const weight = fonts.reduce((sum, { rawPayload }) => sum + rawPayload.length, 0)
  t.ok(weight <= 35 * 1024, `${weight} bytes`)

  const { body } = await app.inject(assetPath('cabinet.css'))
  const ranges = [...body.matchAll(/unicode-range:([^;}]+)/gi)].flatMap(([, list = '']) => [
    ...list.matchAll(/U\+([\dA-F]+)(?:-([\dA-F]+))?/gi),
  ])
  const covered = ranges.map(([, first = '', last = first]) => [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const)
  const files = readdirSync('locales/ru').map((name) => `locales/ru/${name}`)
  const letters = new Set(
    ['locales/en.json', ...files].flatMap((path) => [...readFileSync(path, 'utf8')]).filter((letter) => /[\p{L}\p{N}№₽]/u.test(letter)),
  )
  const missing = [...letters].filter(
    (letter) => !covered.some(([first, last]) => first <= Number(letter.codePointAt(0)) && Number(letter.codePointAt(0)) <= last),
  )
  t.same(missing, ['₽'], 'the sign of the ruble is the system’s, as the typeface has it in another script')
})

t.test('what the styles let move is in them: every animation has its keyframes', async (t) => {
  const { app } = await startCabinet(t)
  const { body } = await app.inject(assetPath('cabinet.css'))
  const defined = new Set([...body.matchAll(/@keyframes ([\w-]+)/g)].map(([, name]) => name))
  const used = [...body.matchAll(/animation(?:-name)?:([\w-]+)/g)].map(([, name]) => name).filter((name) => name !== 'none')
  t.ok(used.length > 2)
  t.same(
    used.filter((name) => !defined.has(name)),
    [],
  )
})
