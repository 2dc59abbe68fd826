import { load } from 'cheerio'
import t from 'tap'
import { htmx, startCabinet } from '../support/cabinet.ts'

t.test('pages and fragments are not stored and vary by the headers of htmx', async (t) => {
  const { as } = await startCabinet(t)
  const maria = await as('maria')
  for (const headers of [{}, htmx])
    for (const path of ['/', '/dealers', '/profile']) {
      const answer = await maria.get(path, headers)
      t.equal(answer.headers['cache-control'], 'no-store', path)
      t.match(answer.headers.vary, /HX-Request/, path)
    }
})

t.test('an error response to htmx leaves the address and the page as they are', async (t) => {
  const { as, cast } = await startCabinet(t)
  const [maria, clerk] = [await as('maria'), await as('clerk')]
  const answers = {
    403: await clerk.get('/dealers', htmx),
    404: await maria.get('/dealers/edit/987654', htmx),
    422: await maria.post('/dealers/delete', {}, htmx),
  }
  for (const [status, { statusCode, headers }] of Object.entries(answers)) {
    t.equal(statusCode, Number(status))
    t.equal(headers['hx-push-url'], 'false', `${status} is no page of the history`)
    t.equal(headers['hx-retarget'], '#messages', `${status} is said among the messages`)
  }
  const list = await maria.get(`/dealers?q=denis`, htmx)
  t.equal(list.headers['hx-push-url'], '/dealers?q=denis', 'a list becomes the address')
  t.ok(cast.denis)
})

t.test('assets are immutable, and compressed ones vary by encoding', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  const page = load((await (await as('root')).get('/dealers')).body)
  const path = page('script[src*="cabinet.js"]').attr('src') as string
  const plain = await newBrowser().get(path, { 'accept-encoding': 'identity' })
  const small = await newBrowser().get(path, { 'accept-encoding': 'br' })
  for (const { headers } of [plain, small]) t.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  t.notOk(plain.headers['content-encoding'])
  t.equal(small.headers['content-encoding'], 'br')
  t.match(small.headers.vary, /accept-encoding/i)
})
