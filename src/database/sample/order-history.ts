import { and, eq, type SQL, sql } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import { logChange } from '../audit-log.ts'
import type { Database } from '../open.ts'
import {
  type ChangedFields,
  type companies,
  orderHistory,
  type orders,
  statuses,
  statusTransitions,
  uploads,
  users,
} from '../schema/index.ts'
import { insertAll, type SampleFiles } from './content.ts'

export interface Step {
  status_key: string
  at: number
  by: 'dealer' | 'manager' | 'production'
}

export type Dealer = typeof users.$inferSelect & { company: typeof companies.$inferSelect }

const filledOnEntry: Record<string, (keyof typeof orders.$inferSelect)[]> = {
  payment: ['specification', 'invoice'],
  paid: ['payment_order', 'payment', 'date_payment'],
  production: ['date_make', 'sn'],
  delivery: ['date_delivery', 'receiver', 'phone', 'address'],
  pickup: ['date_delivery', 'receiver', 'phone'],
}

type PlacedOrder = typeof orders.$inferInsert & { id: number }

interface OrderHistory {
  steps: (typeof orderHistory.$inferInsert)[]
  documents: (typeof uploads.$inferInsert)[]
}

/** Logs the steps of an order; what it returns of many of them is written by `addHistories`. */
export function makeHistoryWriter(db: Database, { documents }: SampleFiles) {
  const byKey = new Map<string | undefined, typeof statuses.$inferSelect>()
  for (const status of db.select().from(statuses).all()) byKey.set(status.status_key, status)
  const transitions = db.select().from(statusTransitions).all()
  return (order: PlacedOrder, steps: Step[], dealer: Dealer): OrderHistory => {
    const history: OrderHistory = { steps: [], documents: [] }
    const label = `#${order.id}`
    steps.forEach(({ status_key, at, by }, index) => {
      const from = byKey.get(steps[index - 1]?.status_key)
      const to = byKey.get(status_key) as typeof statuses.$inferSelect
      const transition = transitions.find((one) => one.parent_status_id === from?.id && one.child_status_id === to.id)
      const actor = actorOf(db, by, dealer)
      const names = (filledOnEntry[status_key] ?? []).filter((name) => order[name] != null)
      const filled = Object.fromEntries(names.map((name) => [name, order[name]]))
      const step = { from_status_id: from?.id, from_name: from?.name, to_status_id: to.id, to_name: to.name, transition_id: transition?.id }
      const author = { id: actor.id, name: `${actor.lastname} ${actor.name}` }
      const record_version = index + 1
      history.steps.push({ order_id: order.id, at, ...step, actor_id: author.id, actor_name: author.name, filled, record_version })
      const fields: ChangedFields = { status_id: [from?.id ?? null, to.id] }
      for (const name of names) fields[name] = [null, order[name]]
      const action = from ? 'update' : 'create'
      logChange(db, { at, action, entity: 'orders', record_id: order.id, record_version, label, fields }, author)
      for (const document of [documents.specification, documents.invoice, documents.payment_order])
        if (document && names.some((name) => order[name] === document.key)) history.documents.push({ ...document, user_id: actor.id, at })
    })
    return history
  }
}

export function addHistories(db: Database, histories: OrderHistory[]): void {
  insertAll(
    db,
    orderHistory,
    histories.flatMap(({ steps }) => steps),
  )
  insertAll(
    db,
    uploads,
    histories.flatMap(({ documents }) => documents),
  )
}

/** For a site where nobody is in charge the manager speaks. */
export function actorOf(db: Database, by: Step['by'], dealer: Dealer): typeof users.$inferSelect {
  if (by === 'dealer') return dealer
  const manager = eq(users.id, dealer.company.manager_id ?? 0)
  const first = (where: SQL | undefined) => db.select().from(users).where(where).orderBy(sql`${users.id}`).limit(1).get()
  return (by === 'production' ? first(atSite(dealer)) : undefined) ?? first(manager) ?? dealer
}

function atSite({ company }: Dealer) {
  return and(eq(users.manufacture_id, company.manufacture_id ?? 0), eq(users.group_id, group.production))
}
