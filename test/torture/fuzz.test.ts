import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { imports, uploads } from '../../src/database/schema/index.ts'
import type { RouteEntry } from '../../src/web/app-types.ts'
import { type Answer, type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { makeRandom, type Random } from '../support/random.ts'
import { type FormFields, formsOf, realPaths, routePattern } from './collect-forms.ts'
import { hostileFields, hostileHeaders, hostileMultipart, hostilePathSegment, hostileText } from './hostile-input.ts'
import { hostileSheet } from './hostile-sheets.ts'

const people: (Name | 'nobody')[] = ['root', 'maria', 'denis', 'pavel', 'nobody']
const patience = 30_000
/** A spreadsheet may be read for a minute, on a busy machine after others. */
const sheetPatience = 180_000
/** What the service answers with; everything else would be news to the browser and to us. */
const declared =
  /^(text\/(html|plain|css|javascript)|application\/(javascript|(problem\+)?json|octet-stream|vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet)|image\/(svg\+xml|webp|png|jpeg)|font\/woff2?)\b/
const leaks =
  /node_modules|\bat [\w.<> ]+ \(|\/src\/\w|\.ts:\d|SQLITE_|SqliteError|no such (table|column)|\[object Object\]|undefined is not/

interface Shot {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
}

t.test('no request of any user causes a server error, an undeclared type or leaks internals', async (t) => {
  const seed = Number(process.env.SEED) || Date.now() % 1_000_000
  const random = makeRandom(seed)
  const cabinet = await startCabinet(t)
  await plantFile(cabinet)
  const forms = await formsOf(cabinet, await cabinet.as('root'))
  const rounds = process.env.TORTURE ? 40 : 1
  t.comment(`seed ${seed}, ${forms.size} forms, ${cabinet.app.routeTable.length} routes`)
  t.ok(forms.size > 20, 'the forms were found')
  const complaints = new Map<string, string>()
  const heap: number[] = []
  let shots = 0
  for (let round = 0; round < rounds; round++) {
    for (const route of cabinet.app.routeTable)
      for (const name of people) {
        const shot = aim(cabinet, random, route, forms)
        const wrong = await fire(cabinet, name, shot)
        if (wrong) complaints.set(`${route.method} ${route.url}: ${wrong}`, `${name}: ${describe(shot)}`)
        shots += 1
      }
    heap.push(heapNow())
  }
  t.same(Object.fromEntries(complaints), {})
  t.comment(`${shots} requests, heap ${heap.at(0)} to ${heap.at(-1)} MB`)
  if (process.env.TORTURE) t.ok((heap.at(-1) as number) < (heap[Math.floor(rounds / 4)] as number) + 40, `memory is flat: ${heap} MB`)
})

/** What nobody may learn before they have set up the second factor that they must have. */
const contents = /Denisov|Vernaya|Alpha Windows|Бета Ёлка|id="bell"|href="\/(orders|dealers|notifications)/

t.test('no request tells anything of the cabinet before a mandatory second factor is set up', async (t) => {
  const seed = Number(process.env.SEED) || Date.now() % 1_000_000
  const random = makeRandom(seed)
  const cabinet = await startCabinet(t)
  await plantFile(cabinet)
  const forms = await formsOf(cabinet, await cabinet.as('root'))
  const waiting: Name[] = ['root', 'maria', 'pavel']
  for (const name of waiting) await cabinet.as(name)
  Object.assign(cabinet.app.config, { secondFactor: 'everyone' })
  const told = new Map<string, string>()
  const tells = (answer: Answer) => complaint(answer) ?? contents.exec(answer.body)?.[0]
  for (let round = 0; round < (process.env.TORTURE ? 40 : 1); round++)
    for (const route of cabinet.app.routeTable)
      for (const name of waiting) {
        const shot = aim(cabinet, random, route, forms)
        const wrong = await fire(cabinet, name, shot, tells)
        if (wrong) told.set(`${route.method} ${route.url}: ${wrong}`, `${name}: ${describe(shot)}`)
      }
  t.comment(`seed ${seed}`)
  t.same(Object.fromEntries(told), {})
})

/** A file that a company names and one that nobody does, so that keys in addresses name something. */
async function plantFile({ as, cast }: Cabinet): Promise<void> {
  const root = await as('root')
  const body =
    '--x\r\nContent-Disposition: form-data; name="files[0][name]"\r\n\r\nA\r\n--x\r\nContent-Disposition: form-data; name="files[0][file]"; filename="a.txt"\r\n\r\nabc\r\n--x--\r\n'
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  await root.send('POST', `/company/edit/${cast.companies.alpha}`, type, body)
  await root.post('/news/add', { name: 'News', description: '<p>Text</p>', published: 1 })
}

function aim(cabinet: Cabinet, random: Random, route: RouteEntry, forms: Map<string, FormFields>): Shot {
  const real = random.pick(realPaths(cabinet, route))
  const path = random.chance(0.8) ? real : route.url.replace(/:\w+|\*/g, () => hostilePathSegment(random))
  const fields = forms.get(real) ?? [...forms].find(([action]) => routePattern(route).test(action))?.[1] ?? []
  const headers = hostileHeaders(random)
  const listState: FormFields = ['q', 'sort', 'dir', 'size', 'page', 'cols', 'tab', 'index', 'id'].map((name) => [name, '1'])
  const query = random.chance(route.method === 'GET' ? 0.8 : 0.1)
    ? `?${hostileFields(random, random.chance(0.7) ? listState : fields)}`
    : ''
  const method = random.chance(0.04) ? random.pick(['OPTIONS', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'POST', 'GET']) : route.method
  const address = (path + query).slice(0, random.chance(0.02) ? 200_000 : 15_000)
  if (method !== 'POST') return { method, path: address, headers }
  return { method, path: address, ...bodyFor(random, fields, headers) }
}

function bodyFor(random: Random, fields: FormFields, headers: Record<string, string>) {
  if (random.chance(0.35)) {
    const { type, body } = hostileMultipart(random, fields)
    return { headers: { ...headers, 'content-type': type }, body }
  }
  const odd = ['application/json', 'text/plain', 'application/x-www-form-urlencoded; charset=utf-7', '', '/', 'application/xml']
  const type = random.chance(0.9) ? 'application/x-www-form-urlencoded' : random.pick(odd)
  const body = random.chance(0.05) ? hostileText(random) : hostileFields(random, fields)
  return { headers: { ...headers, 'content-type': type }, body }
}

/** Sends it, looks where it leads, and takes back whatever it did. */
async function fire(
  { db, as, newBrowser }: Cabinet,
  name: Name | 'nobody',
  shot: Shot,
  judge: (answer: Answer) => string | undefined = complaint,
): Promise<string | undefined> {
  const browser = name === 'nobody' ? newBrowser() : await as(name)
  const cookies = [...browser.cookies]
  db.$client.exec('begin immediate')
  try {
    const answer = await soon(browser.send(shot.method, shot.path, shot.headers, shot.body as string))
    return judge(answer) ?? (await lookAfter(browser, answer, judge))
  } catch (error) {
    return String(error)
  } finally {
    db.$client.exec('rollback')
    browser.cookies.clear()
    for (const [cookie, value] of cookies) browser.cookies.set(cookie, value)
  }
}

/** What was saved must be fit to be shown: on the card and in the list. */
async function lookAfter(browser: Browser, { statusCode, headers }: Answer, judge: typeof complaint): Promise<string | undefined> {
  const { location } = headers
  if (statusCode !== 303 || !location?.startsWith('/')) return
  const list = location.replace('company/', 'companies/').replace('status/', 'statuses/').split('/edit/')[0] as string
  for (const path of new Set([location, list])) {
    const wrong = judge(await soon(browser.get(path)))
    if (wrong) return `afterwards ${path}: ${wrong}`
  }
}

function complaint({ statusCode, headers, body }: Answer): string | undefined {
  if (statusCode >= 500) return `answered ${statusCode}`
  const type = String(headers['content-type'] ?? '')
  if (body && !declared.test(type)) return `of type ${type || 'none'} (${statusCode})`
  // The program's own scripts may speak of anything.
  const leak = type.startsWith('text/html') ? leaks.exec(body)?.[0] : undefined
  return leak && `tells ${leak} (${statusCode})`
}

/** An answer that does not come is a complaint, not a test that waits for ever. */
async function soon<T>(answer: Promise<T>, time = patience): Promise<T> {
  const done = new AbortController()
  const late = pause(time, undefined, { signal: done.signal }).then(() => Promise.reject(new Error('no answer')))
  try {
    return await Promise.race([answer, late])
  } finally {
    done.abort()
    late.catch(() => undefined)
  }
}

function describe({ method, path, headers, body }: Shot): string {
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 400)} ${String(body ?? '').slice(0, 600)}`
}

/** What is left after a collection; Node hides the switch unless it is asked in time. */
function heapNow(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return Math.round(process.memoryUsage().heapUsed / 1024 ** 2)
}

t.test('no spreadsheet causes a server error, leaks internals, ends the service or takes its memory', async (t) => {
  const seed = Number(process.env.SEED) || Date.now() % 1_000_000
  const random = makeRandom(seed)
  const cabinet = await startCabinet(t)
  const { app, db, as, cast } = cabinet
  const root = await as('root')
  const rounds = process.env.TORTURE ? 2000 : 60
  const complaints = new Map<string, string>()
  const outcomes = new Map<string, number>()
  const before = heapNow()
  for (let round = 0; round < rounds; round++) {
    const { kind, content } = hostileSheet(random)
    const file = new File([content], random.pick(['a.xlsx', 'a.csv', 'a']))
    const answer = await soon(
      submitForm(root, random.pick(['/companies/import', '/dealers/import', '/stocks/import']), [['file', file]]),
      sheetPatience,
    )
    const wrong =
      complaint(answer) ??
      ([303, 422].includes(answer.statusCode) ? await lookAfter(root, answer, complaint) : `answered ${answer.statusCode}`)
    if (wrong) complaints.set(`${kind}: ${wrong}`, `round ${round}`)
    outcomes.set(`${answer.statusCode}`, (outcomes.get(`${answer.statusCode}`) ?? 0) + 1)
    db.delete(imports).run()
    db.delete(uploads).where(eq(uploads.user_id, cast.root)).run()
  }
  t.same(Object.fromEntries(complaints), {})
  t.equal((await root.get('/companies')).statusCode, 200)
  t.same(await readdir(join(app.config.dataDir, 'files/incoming')), [], 'nothing is left')
  t.comment(`seed ${seed}, ${rounds} spreadsheets: ${JSON.stringify(Object.fromEntries(outcomes))}, heap ${before} to ${heapNow()} MB`)
  t.ok(heapNow() < before + 60, 'memory is flat')
})

/** What a client of HTTP would never write. */
const noise: [string, string][] = [
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['an old version', 'GET /login HTTP/0.9\r\n\r\n'],
  ['a version to come', 'GET /login HTTP/9.9\r\n\r\n'],
  ['no host', 'GET /login HTTP/1.1\r\n\r\n'],
  ['two hosts', 'GET /login HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['a strange host', 'GET /login HTTP/1.1\r\nHost: %%%[:::\r\n\r\n'],
  ['a path that is none', 'GET login HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a whole address', 'GET http://evil.example/login HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['two slashes', 'GET //evil.example/%2e%2e HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bytes in the path', 'GET /\xff\xfe\x01 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a broken escape', 'GET /news/%zz?q=%zz HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['everything', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a trace', 'TRACE /login HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an upgrade', 'GET /login HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['a header without end', `GET /login HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['ten thousand headers', `GET /login HTTP/1.1\r\nHost: a\r\n${'x: y\r\n'.repeat(10_000)}\r\n`],
  ['a broken cookie', 'GET / HTTP/1.1\r\nHost: a\r\nCookie: cabinet=%zz; cabinet=;;;=\r\n\r\n'],
  ['two lengths', 'POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nemail='],
  ['a negative length', 'POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n'],
  ['a length and chunks', 'POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a broken chunk', 'POST /login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nemail\r\n'],
  [
    'a body that breaks off',
    'POST /login HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 500\r\n\r\nemail=a',
  ],
  [
    'a form that breaks off',
    'POST /login HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 500\r\n\r\n--x\r\nContent',
  ],
  ['two at once', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nPOST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'],
]

t.test('the server refuses or ignores noise on a connection and serves the next one', async (t) => {
  const { app } = await startCabinet(t)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const port = Number(new URL(address).port)
  for (const [name, text] of noise) {
    const answer = await shout(port, text)
    t.notMatch(answer, /HTTP\/1\.1 5|node_modules|\.ts:\d/, `${name}: ${answer.split('\r\n')[0]}`)
    t.equal((await fetch(`${address}/healthz`)).status, 200, 'the next one is served')
  }
})

/** Sends bytes, hangs up half-way, and returns what came back. */
function shout(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(Buffer.from(text, 'latin1')))
    socket.setTimeout(5000, () => socket.destroy())
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}
