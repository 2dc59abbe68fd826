// The two limits that the service is compared with, as one server that uses nothing of it:
// `/constant/<bytes>` answers a page of that size; the rest is the list of dealers and its switch written by hand,
// with prepared queries and concatenated strings, the same session, rights and history, the same rows and buttons.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import formbody from '@fastify/formbody'
import secureSession from '@fastify/secure-session'
import Sqlite from 'better-sqlite3'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'

const dataDir = process.env.DATA_DIR as string
const db = new Sqlite(join(dataDir, 'cabinet.sqlite'))
db.pragma('synchronous = FULL')
db.pragma('foreign_keys = ON')
db.pragma('cache_size = -64000')
db.function('fold', (text: unknown) => String(text ?? '').toLowerCase())

interface Person {
  id: number
  group_id: number
  lastname: string
  name: string
  superadmin: number
  active: number
  rights: Set<string>
}

interface Row {
  id: number
  name: string
  lastname: string
  tg_id: string | null
  active: number
  superadmin: number
  company: string | null
  ml: string | null
  mn: string | null
  mm: string | null
}

const columns = `u.id, u.name, u.lastname, u.tg_id, u.active, u.superadmin, c.org as company, m.lastname as ml, m.name as mn, m.middlename as mm
  from users u left join companies c on c.id = u.company_id left join users m on m.id = u.manager_id`
const queries = {
  session: db.prepare('select * from sessions where token_hash = ?'),
  person: db.prepare('select id, group_id, lastname, name, superadmin, active from users where id = ?'),
  rights: db
    .prepare('select p.key from user_policies up join policies p on p.id = up.policy_id where up.user_id = ? and up.value = 1')
    .pluck(),
  unread: db.prepare('select count(*) from notifications where user_id = ? and read_at is null').pluck(),
  failed: db.prepare("select count(*) from deliveries where state = 'failed'").pluck(),
  asked: db.prepare("select count(*) from access_requests where state = 'open'").pluck(),
  page: db.prepare(`select ${columns} where u.group_id = 2 order by u.search, u.id limit 25`),
  total: db.prepare('select count(*) from users where group_id = 2').pluck(),
  dealer: db.prepare('select * from users where id = ? and group_id = 2'),
  row: db.prepare(`select ${columns} where u.id = ?`),
  begin: db.prepare('begin immediate'),
  commit: db.prepare('commit'),
  activate: db.prepare('update users set active = ?, version = version + 1, updated_at = ? where id = ?'),
  note: db.prepare(`insert into changes (at, actor_id, actor_name, address, action, entity, record_id, record_version, label, fields, search)
    values (?, ?, ?, ?, 'update', 'users', ?, ?, ?, ?, ?)`),
  leave: db.prepare('delete from sessions where user_id = ?'),
  resets: db.prepare('delete from password_resets where user_id = ?'),
  free: db.prepare('update sessions set acting_as_id = null where acting_as_id = ?'),
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;', '\\': '&#92;' }

/** What stays the same of the page, taken from an answer of the service: before and after the rows that are written here. */
let frame: { before: string; after: string[] } | undefined

const app = Fastify()
await app.register(formbody)
await app.register(secureSession, {
  cookieName: 'cabinet',
  key: (JSON.parse(readFileSync(join(dataDir, 'session.key'), 'utf8')) as { key: string }[]).map(({ key }) => Buffer.from(key, 'base64')),
  cookie: { path: '/', httpOnly: true, sameSite: 'lax' },
})

const constants = new Map<number, string>()
app.get('/constant/:bytes', (request, reply) => {
  const bytes = Number((request.params as { bytes: string }).bytes)
  if (!constants.has(bytes)) constants.set(bytes, 'x'.repeat(bytes))
  return reply.type('text/html; charset=utf-8').send(constants.get(bytes))
})
app.post('/constant/:bytes', (request, reply) =>
  reply.type('text/html; charset=utf-8').send('x'.repeat(Number((request.params as { bytes: string }).bytes))),
)

app.put('/frame', { bodyLimit: 2 ** 24 }, (request) => {
  frame = parseFrame((request.body as { page: string }).page)
  return 'learnt'
})

app.get('/dealers', (request, reply) => {
  const person = authenticate(request)
  if (!person.rights.has('dealer_can_view')) return reply.code(403).send()
  return sendPage(reply, dealerPage(person))
})

app.post('/dealers/:id/active', (request, reply) => {
  const person = authenticate(request)
  if (!person.rights.has('dealer_can_edit')) return reply.code(403).send()
  const id = Number((request.params as { id: string }).id)
  setActive(id, (request.body as { value: string }).value === '1' ? 1 : 0, person, request.ip)
  return sendPage(reply, activeCell(queries.row.get(id) as Row))
})

console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
process.once('SIGTERM', () => process.exit(0))

function authenticate(request: FastifyRequest): Person {
  const token = (request.session as unknown as { get: (name: string) => string }).get('sid')
  const session = queries.session.get(createHash('sha256').update(token).digest('hex')) as {
    user_id: number
    seen_at: number
    created_at: number
  }
  const now = Date.now()
  if (session.seen_at < now - 12 * 3600_000 || session.created_at < now - 7 * 24 * 3600_000) throw new Error('over')
  const person = queries.person.get(session.user_id) as Person
  if (!person.active) throw new Error('off')
  person.rights = new Set(queries.rights.all(person.id) as string[])
  return person
}

function sendPage(reply: FastifyReply, html: string) {
  return reply
    .headers({
      'X-Request-Id': crypto.randomUUID(),
      'Content-Security-Policy':
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none'",
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Origin-Agent-Cluster': '?1',
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'X-DNS-Prefetch-Control': 'off',
      'X-Frame-Options': 'DENY',
      Vary: 'HX-Request, HX-Request-Type',
      'Cache-Control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(html)
}

function parseFrame(page: string): typeof frame {
  const [rows, end] = [page.indexOf('<tr id="dealers-'), page.indexOf('</tbody>')]
  const last = page.lastIndexOf('</tr>', end) + '</tr>'.length
  return { before: page.slice(0, rows), after: page.slice(last).split(String(queries.total.get())) }
}

function dealerPage(person: Person): string {
  if (!frame) throw new Error('no frame')
  const total = String(queries.total.get())
  if (Number(queries.unread.get(person.id)) + Number(queries.failed.get()) + Number(queries.asked.get()) > 0)
    throw new Error('something waits')
  let html = frame.before
  for (const row of queries.page.all() as Row[]) html += `${tableRow(row, person)}\n`
  return html + frame.after.join(total)
}

function tableRow(row: Row, person: Person): string {
  const { id } = row
  const mine = id === person.id || row.superadmin === 1
  const [edits, deletes] = [person.rights.has('dealer_can_edit'), person.rights.has('dealer_can_delete') && !mine]
  const name = escapeHtml(`${row.lastname} ${row.name}`)
  const company = row.company === null ? 'No company' : escapeHtml(row.company)
  const manager = row.ml === null ? '—' : escapeHtml([row.ml, row.mn, row.mm].filter(Boolean).join(' '))
  return `<tr id="dealers-${id}"${row.active ? '' : ' class="is-off"'}><td class="row-select"><input type="checkbox" name="id" value="${id}" form="dealers-bulk" aria-label="Select: ${name}"></td><td data-col="company" data-label="Company">${company}</td><td data-col="name" data-label="Name">${escapeHtml(row.name)}</td><td data-col="lastname" data-label="Last name"><a class="row-link" href="/dealers/edit/${id}">${escapeHtml(row.lastname)}</a></td><td data-col="tg_id" data-label="Telegram">${row.tg_id === null ? '—' : escapeHtml(row.tg_id)}</td><td data-col="manager" data-label="Manager">${manager}</td>${activeCell(row)}<td class="row-actions"><button class="row-menu" popovertarget="dealers-${id}-menu" aria-label="Actions: ${name}"></button><div id="dealers-${id}-menu" popover>${
    row.active && person.rights.has('dealer_can_auth')
      ? `<a class="is-login" href="/impersonate/${id}" title="Sign in as: ${name}"></a>`
      : ''
  }${edits ? `<a class="is-edit" href="/dealers/edit/${id}" title="Edit: ${name}"></a>` : ''}${
    deletes ? `<a class="is-trash" href="/dealers/delete?id=${id}" hx-boost="true" title="Delete: ${name}"></a>` : ''
  }</div></td></tr>`
}

function activeCell({ id, active, lastname, name }: Row): string {
  const address = `/dealers/${id}/active`
  return `<td data-col="active" data-label="Active"><form class="form-switch" method="post" action="${address}" hx-boost="true" hx-target="closest td" hx-swap="outerMorph"><input type="hidden" name="value" value="${active ? '0' : '1'}"><button class="form-check-input" id="dealers-${id}-active" role="switch" aria-checked="${active ? 'true' : 'false'}" aria-label="Active: ${escapeHtml(`${lastname} ${name}`)}"></button></form></td>`
}

function escapeHtml(text: string): string {
  return /[&<>"'`\\]/.test(text) ? text.replace(/[&<>"'`\\]/g, (letter) => escapes[letter] as string) : text
}

function setActive(id: number, active: number, person: Person, address: string): void {
  queries.begin.run()
  const before = queries.dealer.get(id) as { active: number; version: number; lastname: string; name: string; middlename: string | null }
  if (before.active !== active) {
    const now = Date.now()
    const label = [before.lastname, before.name, before.middlename].filter(Boolean).join(' ')
    const author = `${person.lastname} ${person.name}`
    const fields = JSON.stringify({ active: [before.active === 1, active === 1] })
    queries.activate.run(active, now, id)
    queries.note.run(
      now,
      person.id,
      author,
      address,
      id,
      before.version + 1,
      label,
      fields,
      `${label}\n${author}`.toLowerCase().replaceAll('ё', 'е'),
    )
  }
  if (!active) {
    queries.resets.run(id)
    queries.leave.run(id)
    queries.free.run(id)
  }
  queries.commit.run()
}
