import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import type { Element } from 'domhandler'
import { eq, isNotNull, ne, sql } from 'drizzle-orm'
import t from 'tap'
import { type PolicyKey, policyKeys } from '../../src/core/policies.ts'
import { deleteRecords } from '../../src/database/delete-records.ts'
import { write } from '../../src/database/open.ts'
import {
  categories,
  changes,
  companies,
  deliveries,
  jobs,
  manufactures,
  orderHistory,
  orderMessages,
  payments,
  permissionSets,
  products,
  statuses,
  stocks,
  users,
} from '../../src/database/schema/index.ts'
import { type AccountNotice, accountNotices } from '../../src/modules/notifications/notices.ts'
import { queueAccountNotice } from '../../src/modules/notifications/queue.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, names, revoke } from '../support/cast.ts'
import { startMailServer, startTelegram } from '../support/channel-servers.ts'
import { addressOf, pagesOf } from '../support/every-page.ts'
import { ask } from '../support/every-route.ts'
import { parseHtml } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { type MarkedCabinet, startMarked } from '../support/marked.ts'
import { notifyRecipients } from '../support/notify.ts'
import { statusId } from '../support/orders.ts'
import { listen } from '../support/stream.ts'
import { flawsIn } from '../support/structure.ts'
import { latinWords, leftoverIn, namelessIn, textsIn } from '../support/texts.ts'

type Test = Parameters<typeof startMailServer>[0]

/** Of two who may do the same one is enough. */
const ofEachKind = ['root', 'admin', 'maria', 'plain', 'pavel', 'denis'] as const

const russian = { 'accept-language': 'ru' }

/** What Russian texts write in Latin letters too: products, formats, units. */
const international =
  /^(english|api|1?cclientbankexchange|excel|email|telegram|qr|xlsx?|csv|txt|jpeg|png|webp|gif|avif|pdf|rrggbb|lightmyrequest|ltd|enter|ctrl|esc|shift|home|end)$/i

/** The security log names the address at which somebody was refused, such as root at what only dealers do. */
const refusedAddress = /^(?:GET|POST) \/\S+$/

/** Replaces what the tests have entered in English, and returns what remains in Latin letters: names and keys. */
function wordsOfData({ db, cast }: MarkedCabinet): Set<string> {
  for (const table of [stocks, manufactures, categories, products]) db.update(table).set({ name: sql`'Название ' || id` }).run()
  db.update(changes).set({ actor_name: 'Тест' }).where(sql`actor_name = 'The test'`).run()
  db.update(orderMessages).set({ author_name: 'Кто-то' }).run()
  db.update(deliveries).set({ last_error: 'Нет ответа' }).run()
  db.update(jobs)
    .set({ report: [{ id: 999, label: 'Кто-то', reason: 'Запись не найдена.' }] })
    .where(ne(jobs.report, []))
    .run()
  db.update(payments).set({ note: 'Аванс' }).where(isNotNull(payments.note)).run()
  db.update(payments).set({ reason: 'Не поступал' }).where(isNotNull(payments.reason)).run()
  db.update(orderHistory).set({ from_name: 'Awaiting payment' }).where(eq(orderHistory.from_name, 'Payment')).run()
  const people = db
    .select()
    .from(users)
    .all()
    .flatMap(({ lastname, name, middlename }) => [lastname, name, middlename])
  const recorded = db.select().from(changes).all()
  const sets = db.select().from(permissionSets).all()
  const keys = db.select().from(statuses).all()
  const all = [
    ...people,
    ...names,
    ...recorded.filter(({ entity }) => entity === 'users').map(({ label }) => label),
    ...sets.map(({ name }) => name),
    ...keys.map(({ status_key }) => status_key),
    ...policyKeys,
  ]
  const gone = { id: cast.root, name: 'Root Olga' }
  deleteRecords(db, { table: statuses, list: 'statuses' }, [statusId('install') as number], gone)
  // What a field was is told as it was.
  db.update(changes).set({ fields: {} }).where(eq(changes.entity, 'statuses')).run()
  return new Set(all.flatMap((text) => latinWords(text ?? '')))
}

t.test(
  'Russian pages, fragments and exports hold no English, nothing unfilled and nothing without a name, for people of each kind',
  async (t) => {
    exportInProcess(t)
    const cabinet = await startMarked(t)
    const { cast } = cabinet
    const addresses = addressesIn(cabinet)
    notifyRecipients(cabinet, [cast.root, cast.maria, cast.denis], 'New')
    const words = wordsOfData(cabinet)
    const isForeign = (text: string) =>
      latinWords(text.replace(refusedAddress, '')).some((word) => !words.has(word) && !international.test(word))
    const wrong = await wrongTexts(cabinet, { people: ofEachKind, addresses, headers: russian, isForeign })
    const sent = cabinet.app.routeTable.filter(({ method, url }) => method === 'POST' && !/impersonate|logout|stream/.test(url))
    for (const route of sent) {
      const answer = await ask(cabinet, cabinet.browserOf('root'), route, addressOf(route.url, cast).split('?')[0] as string, russian)
      for (const text of textsOf(answer, answer.body))
        if (isForeign(text) || leftoverIn(text)) wrong.set(text, `POST ${route.url} of nothing: “${text}”`)
      for (const flaw of flawsOf(answer)) wrong.set(flaw, `POST ${route.url} of nothing: ${flaw}`)
    }
    t.same([...wrong.values()], [])
  },
)

t.test(
  'English pages, fragments and exports hold no Russian, nothing unfilled and nothing without a name; their parts belong together',
  async (t) => {
    exportInProcess(t)
    const cabinet = await startMarked(t)
    const { db, cast } = cabinet
    notifyRecipients(cabinet, [cast.root, cast.maria, cast.denis], 'New')
    db.update(users).set({ name: 'Dasha' }).where(eq(users.id, cast.daria)).run()
    db.update(changes).set({ label: 'Somebody', fields: {} }).where(sql`label || fields glob '*[А-яёЁ]*'`).run()
    // A language is called by its own name everywhere; the rest is what was searched for, and who was who when it happened.
    const isForeign = (text: string) => /[а-яё]/i.test(text.replace(/Русский|королев|Королёва Дарья/g, ''))
    const headers = { 'accept-language': 'en' }
    const wrong = await wrongTexts(cabinet, {
      people: ['root', 'pavel', 'denis'],
      addresses: addressesIn(cabinet),
      headers,
      isForeign,
    })
    t.same([...wrong.values()], [])
  },
)

t.test('the parts of cards belong together for people who may read everything and edit nothing', async (t) => {
  const cabinet = await startMarked(t)
  const { db, cast } = cabinet
  const isToRead = (key: PolicyKey) => key.includes('_can_view')
  const wrong = new Map<string, string>()
  for (const name of ['maria', 'pavel'] as const) {
    grant(db, cast[name], ...policyKeys.filter(isToRead))
    revoke(db, cast[name], ...policyKeys.filter((key) => !isToRead(key)))
    const browser = await cabinet.as(name)
    let locked = 0
    for (const address of pagesOf(cabinet)) {
      const answer = await browser.get(address)
      const page = parseHtml(answer.body)
      if (page('.is-read [name=lastname]').length > 0 && page('[type=file]').length === 0) locked++
      for (const flaw of flawsOf(answer)) wrong.set(flaw, `${name}, GET ${address}: ${flaw}`)
    }
    t.ok(locked >= 3, `${name} reads the cards of an administrator, a manager and a production user`)
  }
  t.same([...wrong.values()], [])
})

interface Reading {
  people: readonly Name[]
  /** Tabs that are met are added. */
  addresses: Set<string>
  headers: Record<string, string>
  isForeign: (text: string) => boolean
}

/** What is in another language, not filled in, without a name or contradicts its page, with who was told so where. */
async function wrongTexts(cabinet: MarkedCabinet, { people, addresses, headers, isForeign }: Reading): Promise<Map<string, string>> {
  const wrong = new Map<string, string>()
  const seen = new Set<string>()
  for (const name of people)
    for (const address of addresses) {
      const answer = await cabinet.browserOf(name).get(address, headers)
      const content = contentOf(answer, address)
      if (seen.has(content)) continue
      seen.add(content)
      const where = `${name}, GET ${address}`
      for (const text of textsOf(answer, content)) if (isForeign(text) || leftoverIn(text)) wrong.set(text, `${where}: “${text}”`)
      if (content.includes('<')) for (const one of namelessIn(content)) wrong.set(one, `${where}: ${one} has no name`)
      for (const flaw of flawsOf(answer)) wrong.set(flaw, `${where}: ${flaw}`)
      for (const tab of tabsOf(content)) addresses.add(tab)
    }
  return wrong
}

function addressesIn(cabinet: MarkedCabinet): Set<string> {
  const { app, cast } = cabinet
  const reads = app.routeTable.filter(({ method }) => method === 'GET')
  const exports = reads.filter(({ url }) => url.endsWith('/export')).map(({ url }) => `${url}?format=csv`)
  const fragments = reads.filter(({ answers }) => answers === 'fragment').map(({ url }) => addressOf(url, cast))
  const more = ['/orders?cols=receiver,phone,last_message,since&sort=date_make', '/find?q=zq', '/company/warnings?inn=1&ogrn=1&bik=1']
  return new Set([...pagesOf(cabinet), ...exports, ...fragments, ...more])
}

function flawsOf({ headers, body }: Answer): string[] {
  return String(headers['content-type']).startsWith('text/html') ? flawsIn(body) : []
}

/** What stands around the content is the same on every page of a person. */
function contentOf({ body }: Answer, address: string): string {
  const start = address === '/' ? 0 : body.indexOf('<main')
  return start > 0 ? body.slice(start) : body
}

function textsOf({ headers }: Answer, content: string): string[] {
  const type = String(headers['content-type'])
  if (type.startsWith('text/csv')) return (parse(content, { bom: true, delimiter: [',', ';'] }) as string[][]).flat()
  return type.startsWith('text/html') ? textsIn(content) : []
}

function tabsOf(html: string): string[] {
  const tabs = parseHtml(html)<Element, string>(':is(.card-header-tabs, .record-tabs, .record-menu) a[href*="tab="]')
  return tabs.toArray().map(({ attribs }) => attribs.href ?? '')
}

t.test('mails, messages and events of a page are in the language of their reader, and nothing in them is unfilled', async (t) => {
  const [inEnglish, inRussian] = await Promise.all([everyMessage(t, 'en'), everyMessage(t, 'ru')])
  const all = [...inEnglish, ...inRussian]
  t.ok(all.length > 60, `${all.length} texts`)
  t.same(all.filter(leftoverIn), [], 'nothing is unfilled')
  const foreign = (text: string) => latinWords(text).some((word) => !international.test(word))
  t.same(inRussian.filter(foreign), [], 'no English')
  t.same(
    inEnglish.filter((text) => /[а-яё]/i.test(text.replace(entered, ''))),
    [],
    'no Russian',
  )
})

/** What the test has entered. */
const entered = /Имя\d*|ООО Бета|Привет/g

/** Whatever the service sends on its own, with what people have entered in Russian. */
async function everyMessage(t: Test, language: 'en' | 'ru'): Promise<string[]> {
  const office = await startMailServer(t)
  const telegram = await startTelegram(t)
  const channels = { SMTP_URL: office.url, TELEGRAM_BOT_TOKEN: '1:a', TELEGRAM_API_URL: telegram.url, LANGUAGE: language }
  const cabinet = await startCabinet(t, { environment: { ...channels, MAIL_FROM: 'cabinet@example.com' } })
  const { app, db, cast, as } = cabinet
  const header = { 'accept-language': language }
  db.update(users)
    .set({ lastname: 'Имя', name: sql`'Имя' || id`, middlename: null, tg_id: '1', mail_messages: true, telegram_messages: true })
    .run()
  db.update(companies).set({ org: 'ООО Бета' }).run()
  const root = await as('root')
  const { next } = await listen(t, cabinet, await as('maria'), { headers: header })
  const events = [await next()]
  const ofStatus = notifyRecipients(cabinet, [cast.maria, cast.denis], 'New')
  db.update(orderHistory).set({ from_name: 'Awaiting payment', actor_name: 'Имя' }).where(eq(orderHistory.id, ofStatus)).run()
  events.push(await next())
  await root.post(`/orders/${cast.order}/messages`, { text: 'Привет' }, header)
  await root.post(`/orders/${cast.order}/messages`, { text: 'Привет @Имя', internal: '1' }, header)
  const maria = db.select().from(users).where(eq(users.id, cast.maria)).get() as typeof users.$inferSelect
  const author = { id: null, name: '', address: '::1', userAgent: 'Привет' }
  write(db, () => {
    for (const event of Object.keys(accountNotices)) queueAccountNotice(app, maria, event as AccountNotice, author)
  })
  await cabinet.newBrowser().post('/password/forgot', { email: maria.email }, header)
  await root.post(`/dealers/edit/${cast.denis}/invitation`, {}, header)
  await root.post('/first-steps', { step: 'mail' }, header)
  const ofReset = () => office.letters.some(({ text }) => text.includes('/password/reset/'))
  const queued = () => db.select().from(deliveries).where(eq(deliveries.state, 'waiting')).all()
  for (let left = 1000; (!ofReset() || queued().length > 0) && left > 0; left--) await pause(10)
  const letters = office.letters.flatMap(({ subject, text }) => [subject, text])
  return [...letters, ...telegram.messages.map(({ text }) => text), ...events.map((event) => event?.replace(/^unread /, '') ?? '')]
}
