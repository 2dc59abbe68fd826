import { and, eq, sql } from 'drizzle-orm'
import { madeStatus, statusNameFor } from '../../../core/default-workflow.ts'
import { proposeMade } from '../../../core/made.ts'
import { createRecord, type Database, statuses, statusTransitions, touch, updateRecord, whereIn } from '../../../database/index.ts'
import type { Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { loadWorkflow } from '../load.ts'
import { inheritPolicies } from './policies.ts'
import { allStatuses, findStatus, findStatusByKey, type Status, statusLabel, transitionsOf } from './status.ts'

/** Puts "Made" between production and what follows it. Asked again, it changes nothing. */
export function addMade(context: Context): Done {
  const { server } = context
  const location = url(server, '/statuses')
  const present = findStatusByKey(server.db, madeStatus.status_key)
  if (present) return { location, message: ['There is a status "{name}" already.', { name: statusNameFor(context.language, present) }] }
  const proposal = proposeMade(loadWorkflow(server.db))
  if (!proposal) throw new HttpError(422, 'No transition leads from production to delivery or pickup.')
  const production = findStatus(server.db, proposal.production.id) as Status
  const steps = proposal.onward.map(({ id }) => id)
  insertAfter(context, production, steps)
  const name = madeStatus.name[context.language]
  return { location, message: ['Status "{name}" added between production and what follows it', { name }] }
}

function insertAfter(context: Context, production: Status, steps: number[]): void {
  const { server, author } = context
  const { db, config } = server
  const { status_key, color, action } = madeStatus
  const name = madeStatus.name[config.language]
  const before = transitionsOf(db, production.id)
  moveBack(context, production.index)
  const row = { status_key, name, seed_key: status_key, color, index: production.index + 1, notify_manager: true }
  createRecord(db, statuses, row, name, author, (made) => {
    moveSteps(db, production.id, made, steps)
    db.insert(statusTransitions)
      .values({
        ...{ parent_status_id: production.id, child_status_id: made, action_name: action[config.language], seed_key: status_key },
        ...{ manager_can: true, production_can: true },
      })
      .run()
    return { ...inheritPolicies(db, made, production.id), transitions: [[], transitionsOf(db, made)] }
  })
  touch(db, statuses, production, statusLabel(production), { transitions: [before, transitionsOf(db, production.id)] }, author)
}

/** Makes room behind this position. */
function moveBack({ server: { db }, author }: Context, index: number): void {
  const later = allStatuses(db).filter((status) => status.index > index)
  for (const status of later) updateRecord(db, statuses, status, { index: status.index + 1 }, statusLabel(status), author)
}

/** What leads onward starts in the new status; what calls orders off does so there as well. */
function moveSteps(db: Database, production: number, made: number, steps: number[]): void {
  const { id, parent_status_id, child_status_id } = statusTransitions
  const canceling = db.select({ id: statuses.id }).from(statuses).where(eq(statuses.due, 'ends'))
  const calledOff = and(eq(parent_status_id, production), sql`${child_status_id} in ${canceling}`)
  for (const { id: _, ...rules } of db.select().from(statusTransitions).where(calledOff).all())
    db.insert(statusTransitions)
      .values({ ...rules, parent_status_id: made })
      .run()
  db.update(statusTransitions).set({ parent_status_id: made }).where(whereIn(id, steps)).run()
}
