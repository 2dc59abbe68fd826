import { and, eq, gt, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type IssuableKind, isNumbered } from './core/documents.ts'
import { changes, type Database, documents, orderHistory, orders, write } from './database/index.ts'
import { dateOf } from './database/sample/content.ts'
import { contextFor } from './http/access/context-for.ts'
import { recordUpload } from './http/uploads/store.ts'
import { contentOf, digestOf } from './modules/orders/documents/content.ts'
import { makePapers, type Paper } from './modules/orders/documents/issue.ts'
import { expectedNumber, takeNumber, yearOf } from './modules/orders/documents/series.ts'
import { findOrder, type Order } from './modules/orders/order.ts'

type Step = typeof orderHistory.$inferSelect

/** How far back documents of the sample data were issued; before, they were uploaded. */
const issuedDays = 14

const kinds = ['specification', 'invoice'] as const satisfies IssuableKind[]

/** Issues what the latest orders of the sample data have as uploads, on the day of the step and in the name of whoever made it. */
export async function issueSampleDocuments(app: FastifyInstance): Promise<void> {
  for (const step of billingSteps(app)) {
    const order = findOrder(app.db, step.order_id)
    if (order) await issueOfStep(app, step, order)
  }
}

function billingSteps({ db }: FastifyInstance): Step[] {
  const since = Date.now() - issuedDays * 24 * 3600_000
  const billed = sql`json_extract(${orderHistory.filled}, '$.invoice') is not null`
  return db
    .select()
    .from(orderHistory)
    .where(and(gt(orderHistory.at, since), billed))
    .orderBy(orderHistory.at)
    .all()
}

async function issueOfStep(app: FastifyInstance, step: Step, order: Order): Promise<void> {
  const context = contextFor(app, { id: step.actor_id, name: step.actor_name }, step.at)
  const day = dateOf(step.at)
  const unpaid = { ...order, account: { ...order.account, paid: 0 } }
  const drafts = kinds.map((kind) => {
    const own = { number: String(order.specification_number), serial: null }
    const { number, serial } = isNumbered(kind) ? expectedNumber(app.db, kind, { day, order: order.id }, 0) : own
    return { kind, number, serial, day, content: digestOf(app, order, kind), document: contentOf(app, unpaid, kind, { number, day }) }
  })
  const papers = await makePapers(context, drafts)
  write(app.db, () => {
    for (const paper of papers) bookPaper(app, step, order, paper)
  })
}

function bookPaper(
  { db, config }: FastifyInstance,
  step: Step,
  order: Order,
  { content, day, file, kind, number, serial, uploader }: Paper,
) {
  recordUpload({ db, dataDir: config.dataDir }, file, uploader)
  if (isNumbered(kind)) takeNumber(db, kind, day)
  db.insert(documents)
    .values({
      ...{ kind, number, serial, year: yearOf(day), date: day, content, file: file.key, amount: order.cost },
      ...{ order_id: order.id, company_id: order.owner_company_id, order_version: order.version },
      ...{ issued_by_step: step.id, actor_id: step.actor_id, actor_name: step.actor_name, created_at: step.at, updated_at: step.at },
    })
    .run()
  replaceFile(db, order, kind as IssuableKind, file.key)
}

/** As if it had been there from the start: in the order, its steps and its change history. */
function replaceFile(db: Database, order: Order, kind: IssuableKind, key: string): void {
  const former = order[kind]
  db.update(orders)
    .set({ [kind]: key })
    .where(eq(orders.id, order.id))
    .run()
  const steps = eq(orderHistory.order_id, order.id)
  db.update(orderHistory)
    .set({ filled: sql`replace(${orderHistory.filled}, ${former}, ${key})` })
    .where(steps)
    .run()
  const history = and(eq(changes.entity, 'orders'), eq(changes.record_id, order.id))
  db.update(changes)
    .set({ fields: sql`replace(${changes.fields}, ${former}, ${key})` })
    .where(history)
    .run()
}
