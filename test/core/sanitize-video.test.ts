import { load } from 'cheerio'
import t from 'tap'
import { sanitizeMarkup } from '../../src/core/sanitize.ts'

const posterOf = (address: string) =>
  load(sanitizeMarkup(`<video src="https://example.com/a.mp4" poster="${address}"></video>`))('video').attr('poster')

t.test('sanitizing keeps an ordinary video poster', async (t) => {
  t.equal(posterOf('https://example.com/a.png'), 'https://example.com/a.png')
  t.equal(posterOf('/news/images/7/abc'), '/news/images/7/abc')
})

t.test('sanitizing removes a video poster that would start an impersonation', async (t) => {
  for (const address of [
    '/impersonate/1',
    'https://cabinet.example.com/impersonate/1',
    '/%69mpersonate/1',
    '/im&#9;personate/1',
    '/IMPERSONATE/1',
  ])
    t.notOk(posterOf(address), address)
})

t.test('sanitizing removes a video poster with a scheme other than http and https', async (t) => {
  for (const address of [
    'javascript:alert(1)',
    'data:image/svg+xml;base64,PHN2Zz4=',
    'blob:https://example.com/1',
    'ftp://example.com/a.png',
  ])
    t.notOk(posterOf(address), address)
})
