import { and, eq } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import type { Database } from '../open.ts'
import { type companies, orderHistory, statuses, statusTransitions, users } from '../schema/index.ts'
import type { Step } from './order-steps.ts'

export type Dealer = typeof users.$inferSelect & { company: typeof companies.$inferSelect }

export function makeHistoryWriter(db: Database) {
  const byKey = new Map(
    db
      .select()
      .from(statuses)
      .all()
      .map((status) => [status.status_key, status]),
  )
  const transitions = db.select().from(statusTransitions).all()
  return (orderId: number, steps: Step[], dealer: Dealer) =>
    steps.forEach(({ status_key, at, by }, index) => {
      const from = byKey.get(steps[index - 1]?.status_key ?? '')
      const to = byKey.get(status_key) as typeof statuses.$inferSelect
      const transition = transitions.find((one) => one.parent_status_id === from?.id && one.child_status_id === to.id)
      const actor = actorOf(db, by, dealer)
      const actor_name = `${actor.lastname} ${actor.name}`
      const step = { from_status_id: from?.id, from_name: from?.name, to_status_id: to.id, to_name: to.name, transition_id: transition?.id }
      db.insert(orderHistory)
        .values({ order_id: orderId, at, ...step, actor_id: actor.id, actor_name })
        .run()
    })
}

function actorOf(db: Database, by: Step['by'], dealer: Dealer): typeof users.$inferSelect {
  if (by === 'dealer') return dealer
  const inCharge = by === 'manager' ? eq(users.id, dealer.company.manager_id ?? 0) : atSite(dealer)
  return db.select().from(users).where(inCharge).limit(1).get() ?? dealer
}

function atSite({ company }: Dealer) {
  return and(eq(users.manufacture_id, company.manufacture_id ?? 0), eq(users.group_id, group.production))
}
