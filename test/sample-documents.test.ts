import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { loadSample } from '../src/database/sample/load.ts'
import { changes, documents, orderHistory, orders, users } from '../src/database/schema/index.ts'
import { hashPassword } from '../src/http/access/password-hashing.ts'
import { folderOf } from '../src/http/uploads/folder.ts'
import { digestOf } from '../src/modules/orders/documents/content.ts'
import { findOrder, type Order } from '../src/modules/orders/order.ts'
import { issueSampleDocuments } from '../src/sample-documents.ts'
import { startCabinet } from './support/cabinet.ts'
import { password } from './support/cast.ts'
import { readPdf } from './support/read-pdf.ts'

const uploaded = (name: string) => ({ key: name.repeat(64).slice(0, 64), name: `${name}.pdf`, type: 'application/pdf', size: 1 })
const files = {
  pictures: {},
  portraits: {},
  documents: { specification: uploaded('a'), invoice: uploaded('b'), payment_order: uploaded('c') },
}

t.test('the latest orders of the sample data have issued documents, as if there had never been uploads', async (t) => {
  const { app, db, newBrowser } = await startCabinet(t, { empty: true })
  loadSample(db, await hashPassword(password), files)
  await issueSampleDocuments(app)
  const issued = db.select().from(documents).orderBy(documents.id).all()
  const invoices = issued.filter(({ kind }) => kind === 'invoice')
  t.ok(invoices.length > 5, `${invoices.length} invoices`)
  t.same(
    invoices.map(({ serial }) => serial),
    invoices.map((_, index) => index + 1),
    'numbered one after the other',
  )
  t.ok(
    issued.every(({ file }) => existsSync(join(folderOf(app.config.dataDir, file), file))),
    'each has its file',
  )
  for (const { kind, order_id, file, content, date, issued_by_step, actor_name, amount } of issued) {
    const order = findOrder(db, order_id ?? 0) as Order
    const step = db
      .select()
      .from(orderHistory)
      .where(eq(orderHistory.id, issued_by_step ?? 0))
      .get()
    t.match(
      [order[kind as 'invoice'], content, amount],
      [file, digestOf(app, order, kind), order.cost],
      `#${order_id} ${kind}: holds still`,
    )
    t.match(step, { order_id, actor_name, filled: { [kind]: file } })
    t.equal(date, new Date(step?.at ?? 0).toLocaleDateString('sv'))
  }
  const dealt = new Set(issued.map(({ order_id }) => order_id))
  const history = JSON.stringify(
    db
      .select()
      .from(changes)
      .all()
      .filter(({ entity, record_id }) => entity === 'orders' && dealt.has(record_id)),
  )
  t.notMatch(history, files.documents.invoice.key)
  t.match(history, files.documents.payment_order.key, 'what dealers uploaded stays')
  t.ok(
    db
      .select()
      .from(orders)
      .all()
      .some(({ invoice }) => invoice === files.documents.invoice.key),
    'what is older was uploaded',
  )

  const paid = invoices.find(({ order_id, amount }) => findOrder(db, order_id ?? 0)?.account.paid === amount)
  const { text } = readPdf(t, readFileSync(join(folderOf(app.config.dataDir, paid?.file ?? ''), paid?.file ?? '')))
  t.match(text.replace(/[\s\u00a0]/g, ''), `Topay${Number(paid?.amount) / 100}`, 'what was not paid then')

  const manager = newBrowser()
  const { email } = db.select().from(users).where(eq(users.group_id, 1)).get() as typeof users.$inferSelect
  await manager.post('/login', { email, password })
  const last = issued.at(-1)
  t.match((await manager.get(`/documents/${last?.id}/file`)).headers['content-type'], 'application/pdf')
})
