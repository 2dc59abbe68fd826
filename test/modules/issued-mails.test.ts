import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { deliveries, documents, statuses, users } from '../../src/database/schema/index.ts'
import { folderOf } from '../../src/http/uploads/folder.ts'
import { addServiceJob } from '../../src/records/jobs/job.ts'
import { startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { addLine, makeIssuable } from '../support/documents.ts'
import { historyOf, insertOrder, setOrder, statusId, transitionBetween } from '../support/orders.ts'
import { readPdf } from '../support/read-pdf.ts'
import { until } from '../support/until.ts'

/** Whoever awaits payment is told by mail: dealer and manager. */
async function start(test: Parameters<typeof startCabinet>[0]) {
  const office = await startMailServer(test)
  const environment = { SMTP_URL: office.url, PUBLIC_URL: 'https://cabinet.example' }
  const cabinet = await startCabinet(test, { environment })
  const { db, cast, app } = cabinet
  makeIssuable(cabinet)
  db.update(users).set({ mail_pace: 'at-once' }).run()
  const order = setOrder(cabinet, 'apply')
  const step = transitionBetween(cabinet, 'apply', 'payment').id
  const root = await cabinet.as('root')
  const move = (id: number | number[] = order) =>
    Array.isArray(id)
      ? root.post('/orders/transitions', { id, transition_id: step })
      : root.post(`/orders/${id}/transition`, { transition_id: step })
  /** Sends what waits, and returns what came, by person. */
  const letters = async (count: number) => {
    office.letters.length = 0
    db.update(deliveries).set({ next_at: 0 }).where(eq(deliveries.state, 'waiting')).run()
    addServiceJob(app, { kind: 'email' })
    const waiting = () => db.select().from(deliveries).where(eq(deliveries.state, 'waiting')).all().length
    await until(() => office.letters.length >= count && waiting() === 0)
    return Object.fromEntries(office.letters.map((letter) => [letter.to.split('@')[0], letter]))
  }
  const replaceFile = (kind: 'invoice' | 'specification', bytes: Buffer) => {
    const key = createHash('sha256').update(bytes).digest('hex')
    const folder = folderOf(app.config.dataDir, key)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, key), bytes)
    db.update(documents).set({ file: key }).where(eq(documents.kind, kind)).run()
  }
  const another = () => {
    const id = insertOrder(cabinet, 'apply', { dealer_id: cast.denis, company_id: cast.companies.alpha })
    addLine(cabinet, id)
    return id
  }
  return { ...cabinet, office, order, step, root, move, letters, replaceFile, another }
}

const named = (letter: { files: { name: string }[] } | undefined) => letter?.files.map(({ name }) => name).sort()

t.test('the mail of the step carries what it issued, as whoever gets it may see it', async (t) => {
  const { db, cast, move, letters, order } = await start(t)
  db.update(users).set({ language: 'ru' }).where(eq(users.id, cast.denis)).run()
  revoke(db, cast.maria, 'order_can_view_prices')
  t.equal((await move()).statusCode, 303)
  const { denis, maria } = await letters(2)
  t.same(named(denis), ['Спецификация 1001.pdf', 'Счёт 1.pdf'])
  t.match(denis?.text, 'Вложения: Счёт 1.pdf, Спецификация 1001.pdf')
  t.match(denis?.text, `https://cabinet.example/orders/${order}`)
  const invoice = denis?.files.find((file: { name: string }) => file.name.startsWith('Счёт'))
  t.match(readPdf(t, invoice?.content ?? Buffer.alloc(0)).text, /Invoice No\. 1.*2 000,00/)
  t.same(named(maria), [], 'nothing for whoever sees no prices')
  t.notMatch(maria?.text, /Attached|documents/)
})

t.test('a step that is undone, a document that was replaced since and another step carry nothing', async (t) => {
  const { db, another, move, letters, root, order, ...cabinet } = await start(t)
  await move()
  await root.post(`/orders/${order}/undo`, { step: historyOf({ db }, order)[0]?.id as number })
  t.equal(db.select().from(deliveries).all().length, 0)
  const second = another()
  await move(second)
  db.update(documents).set({ state: 'replaced' }).where(eq(documents.kind, 'specification')).run()
  t.same(named((await letters(2)).denis), ['Invoice 2.pdf'])
  db.update(statuses)
    .set({ notify_dealer: true })
    .where(eq(statuses.id, statusId('canceled')))
    .run()
  const cancel = transitionBetween({ ...cabinet, db } as never, 'payment', 'canceled').id
  t.equal((await root.post(`/orders/${second}/transition`, { transition_id: cancel })).statusCode, 303)
  t.same(named((await letters(1)).denis), [])
})

t.test('what was issued before by hand and holds still goes with the mail of the step', async (t) => {
  const { move, letters, root, order } = await start(t)
  t.equal((await root.post(`/orders/${order}/issue`, { kind: 'invoice' })).statusCode, 303)
  await move()
  t.same(named((await letters(2)).denis), ['Invoice 1.pdf', 'Specification 1001.pdf'])
})

t.test('five megabytes go with a mail; of what is more it has the address', async (t) => {
  const { db, move, letters, replaceFile } = await start(t)
  await move()
  const limit = 5 * 1024 ** 2
  const specification = db.select().from(documents).where(eq(documents.kind, 'specification')).get()
  replaceFile('invoice', Buffer.alloc(limit - 10, 'a'))
  replaceFile('specification', Buffer.alloc(10, 'b'))
  const both = (await letters(2)).denis
  t.same(named(both), ['Invoice 1.pdf', 'Specification 1001.pdf'], 'to the byte')
  t.equal(both?.files[0]?.content.length, limit - 10)
  db.update(deliveries).set({ state: 'waiting' }).run()
  replaceFile('specification', Buffer.alloc(11, 'b'))
  const one = (await letters(2)).denis
  t.same(named(one), ['Invoice 1.pdf'])
  t.match(one?.text, `Specification 1001.pdf: https://cabinet.example/documents/${specification?.id}/file`)
})

t.test('gathered mail carries the files of all its steps', async (t) => {
  const { db, cast, another, move, letters } = await start(t)
  db.update(users).set({ mail_pace: 'hourly' }).where(eq(users.id, cast.denis)).run()
  const ids = [another(), another(), another()]
  t.equal((await move(ids)).statusCode, 200)
  const { denis } = await letters(4)
  t.match(denis?.subject, /3 updates/)
  t.same(
    named(denis)?.filter((name) => name.startsWith('Invoice')),
    ['Invoice 1.pdf', 'Invoice 2.pdf', 'Invoice 3.pdf'],
  )
})

t.test('a file that is gone from the disk holds up no mail', async (t) => {
  const { db, move, letters } = await start(t)
  await move()
  db.update(documents)
    .set({ file: 'e'.repeat(64) })
    .where(eq(documents.kind, 'invoice'))
    .run()
  t.same(named((await letters(2)).denis), ['Specification 1001.pdf'])
})
