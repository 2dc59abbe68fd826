import { setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, notifications } from '../../src/database/schema/index.ts'
import type { Name } from '../support/cast.ts'
import { textOf } from '../support/html.ts'
import { type MarkedCabinet, people, startMarked } from '../support/marked.ts'
import { notifyRecipients } from '../support/notify.ts'
import { listen } from '../support/stream.ts'

type Stream = Awaited<ReturnType<typeof listen>>

t.test('an open page is told only of what its reader may read', async (t) => {
  const cabinet = await startMarked(t)
  const { app, db, cast, orderIds, browserOf, as } = cabinet
  const [ofDenis, , , ofDaria] = orderIds as [number, number, number, number]
  const pages = new Map<string, { name: Name; order: number; stream: Stream }>()
  for (const name of people)
    for (const order of [ofDenis, ofDaria]) {
      const stream = await listen(t, cabinet, browserOf(name), { order })
      await stream.next()
      pages.set(`${name} ${order}`, { name, order, stream })
    }

  /** What each page hears of something, up to a notification of its own that comes last. */
  async function heard(work: () => Promise<unknown>): Promise<Record<string, string[]>> {
    await work()
    await new Promise((resolve) => setImmediate(resolve))
    for (const { name } of pages.values())
      db.insert(notifications).values({ user_id: cast[name], status_name: 'Last', created_at: Date.now() }).run()
    const bells = new Map<Name, string>()
    for (const name of people) bells.set(name, textOf((await browserOf(name).get('/notifications/unread')).body))
    app.notificationEvents.emit(
      'queued',
      people.map((name) => cast[name]),
    )
    const all: Record<string, string[]> = {}
    for (const [page, { name, stream }] of pages) {
      const events: string[] = []
      const last = `unread ${bells.get(name)}`
      for (let event = await soon(page, stream); event && event !== last; event = await soon(page, stream)) events.push(event)
      if (events.length > 0) all[page] = events
    }
    return all
  }

  const discussion = (all: Record<string, string[]>) =>
    Object.entries(all)
      .flatMap(([page, events]) => (events.some((event) => event.startsWith('discussion')) ? page : []))
      .sort()
  const readers = (order: number, what: string) =>
    people
      .filter((name) => mayRead(cabinet, name, `${what} on order ${orderIds.indexOf(order) + 1}`))
      .map((name) => `${name} ${order}`)
      .sort()

  const root = await as('root')
  const say = (order: number, fields: Record<string, string>) => () => root.post(`/orders/${order}/messages`, fields)
  const last = () => db.$client.prepare('select max(id) from order_messages').pluck().get() as number
  for (const order of [ofDenis, ofDaria]) {
    t.same(discussion(await heard(say(order, { text: 'For all' }))), readers(order, 'a message'), 'a message')
    t.same(
      discussion(await heard(() => root.post(`/orders/${order}/messages/${last()}`, { text: 'Again' }))),
      readers(order, 'a message'),
      'its edit',
    )
    t.same(
      discussion(await heard(() => root.post(`/orders/${order}/messages/${last()}/withdraw`))),
      readers(order, 'a message'),
      'its withdrawal',
    )
    t.same(
      discussion(await heard(say(order, { text: 'For staff', internal: '1' }))),
      readers(order, 'an internal message'),
      'an internal one',
    )
    const edit = () => root.post(`/orders/${order}/messages/${last()}`, { text: 'Again' })
    t.same(discussion(await heard(edit)), readers(order, 'an internal message'), 'the edit of an internal one')
  }
  t.not(readers(ofDenis, 'a message').length, readers(ofDenis, 'an internal message').length)

  const bells = await heard(async () => notifyRecipients(cabinet, [cast.maria]))
  t.same(Object.keys(bells).sort(), [`maria ${ofDenis}`, `maria ${ofDaria}`].sort(), 'only who is notified hears the bell')

  db.update(companies).set({ manager_id: cast.mikhail }).where(eq(companies.id, cast.companies.alpha)).run()
  const after = discussion(await heard(say(ofDenis, { text: 'Handed over' })))
  t.ok(after.includes(`mikhail ${ofDenis}`), 'the new manager hears of it')
  t.notOk(after.includes(`maria ${ofDenis}`), 'the former manager does not, though the page is still open')
})

/** A page that hears nothing more would keep the whole run waiting. */
async function soon(page: string, { next }: Stream): Promise<string | undefined> {
  const silence = new AbortController()
  const failure = pause(60_000, undefined, { signal: silence.signal, ref: false }).then(() => {
    throw new Error(`${page} hears nothing of its own notification`)
  })
  failure.catch(() => undefined)
  try {
    return await Promise.race([next(), failure])
  } finally {
    silence.abort()
  }
}

function mayRead({ marks, whatIs, mayKnow }: MarkedCabinet, name: Name, what: string): boolean {
  const mark = marks.find((one) => whatIs(one) === what)
  if (!mark) throw new Error(`no mark of ${what}`)
  return mayKnow(name, mark)
}
