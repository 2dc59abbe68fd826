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
