import { and, eq, gt, inArray, isNotNull, isNull, not, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Actor, allows, group, isDealer } from '../../core/access.ts'
import { looksAtPaid, statusesAwaiting, statusesBeforeProduction } from '../../core/expected-actor.ts'
import { seesPrices } from '../../core/prices.ts'
import { isFinal, type Transition, type Workflow } from '../../core/transition-rules.ts'
import { paidPart, paidTransition } from '../../core/when-paid.ts'
import { orderBalances, orders, payments } from '../../database/index.ts'
import { startOfDay, today } from '../../i18n/format.ts'
import { paymentAccess } from '../ledger/access.ts'

const day = 24 * 3600_000

/** The orders with which it is somebody's turn, as `isTurnOf` says, and nobody else's to confirm: a range of one index for each status. */
export function waitingFor(actor: Actor, workflow: Workflow): SQL {
  const confirmed = awaitsOthers(actor) ? isConfirmed : undefined
  return and(belongsTo(actor), turnOf(actor, workflow), confirmed) as SQL
}

type Member = Pick<Actor, 'group_id'>

/** The orders with which it is the turn of somebody of a group, as `groupAtTurn` says. */
export function turnOf(member: Member, workflow: Workflow): SQL {
  const inStatus = inArray(orders.status_id, statusesWaitingFor(member, workflow))
  return and(managedFor(member), inStatus, expects(member, workflow)) as SQL
}

/** What has no manager waits for administrators instead. */
function managedFor({ group_id }: Member): SQL | undefined {
  if (group_id === group.administrator) return isNull(orders.owner_manager_id)
  return group_id === group.manager ? isNotNull(orders.owner_manager_id) : undefined
}

/** Who sees that money was reported and may not confirm it waits for those who may, as `awaitedConfirmation` says; dealers go on reporting. */
const awaitsOthers = (actor: Actor) => !isDealer(actor) && seesPrices(actor) && !allows(paymentAccess.decide, actor)

/** Orders without a reported payment. */
export const isConfirmed = sql`not exists (select 1 from ${payments} where ${payments.order_id} = ${orders.id} and ${payments.state} = 'reported')`

/** The statuses in which it can be the turn of somebody of this group. */
export function statusesWaitingFor({ group_id }: Member, workflow: Workflow): number[] {
  const paid = looksAtPaid(group_id) ? paidTransitions(workflow).map(({ parent_status_id }) => parent_status_id) : []
  return [...new Set([...statusesAwaiting(workflow, group_id), ...paid])]
}

/** With what is paid and has not moved on it is the turn of whoever looks at that, and of nobody else. */
function expects({ group_id }: Member, workflow: Workflow): SQL | undefined {
  const paid = or(...paidTransitions(workflow).map(isPaidThere))
  if (!paid) return undefined
  return looksAtPaid(group_id) ? or(inArray(orders.status_id, statusesAwaiting(workflow, group_id)), paid) : not(paid)
}

const paidTransitions = (workflow: Workflow) => workflow.statuses.flatMap(({ id }) => paidTransition(workflow, id) ?? [])

/** Whether a row is in the status of the transition, and paid for it, as `waitsThoughPaid` says of an order. */
function isPaidThere(transition: Transition): SQL {
  const least = sql`(${orders.cost} * ${sql.raw(String(paidPart(transition)))} + 99) / 100`
  const paid = sql`exists (select 1 from ${orderBalances} where ${orderBalances.order_id} = ${orders.id} and ${orderBalances.paid} >= ${least})`
  return and(eq(orders.status_id, transition.parent_status_id), gt(orders.cost, 0), paid) as SQL
}

function belongsTo({ id, group_id, managers }: Actor): SQL | undefined {
  if (group_id === group.dealer) return eq(orders.dealer_id, id)
  return group_id === group.manager ? inArray(orders.owner_manager_id, managers) : undefined
}

/** What happened so many days ago or earlier; no order is longer in its status than it exists. */
export function sinceBefore(days: number): Record<'since' | 'created_at', SQL> {
  const moment = startOfDay(days - 1)
  return { since: sql`${orders.status_since} < ${moment}`, created_at: sql`${orders.created_at} < ${moment}` }
}

export function stuckFor(days: number, workflow: Workflow): SQL {
  return and(inArray(orders.status_id, openStatuses(workflow)), sinceBefore(days).since) as SQL
}

/** What has not moved for so long has been forgotten. */
export const stuckDays = 14

/** What came into its status later is not slow. */
export const slowFromDays = 3

export const isSlow = (workflow: Workflow) => stuckFor(slowFromDays, workflow)

export const delayed = (workflow: Workflow) => or(overdue(workflow), isSlow(workflow)) as SQL

/** Orders in a status whose date has passed: its production or delivery date, whichever a step into that status requires. */
export function overdue(workflow: Workflow): SQL {
  const passed = (date: SQLiteColumn, statuses: number[]) => and(inArray(orders.status_id, statuses), sql`${date} < ${today()}`)
  return or(...datesDue(workflow).map(({ date, statuses }) => passed(date, statuses))) as SQL
}

/** The dates that orders have to keep, each with the statuses that they are to leave by it. */
export const datesDue = (workflow: Workflow) => dueDates.map((name) => ({ date: orders[name], statuses: statusesDueBy(workflow, name) }))

type Dated = { status_id: number | null } & Record<DueDate, string | null>

/** The day by which an order is to leave its status. */
export function dueDay(workflow: Workflow, order: Dated) {
  return firstDay(
    order,
    dueDates.filter((name) => statusesDueBy(workflow, name).includes(order.status_id ?? 0)),
  )
}

/** The same, and before production what is planned; none of what an order has left behind. */
export function plannedDay(workflow: Workflow, order: Dated) {
  const isAhead = statusesBeforeProduction(workflow).includes(order.status_id ?? 0)
  return dueDay(workflow, order) ?? (isAhead ? firstDay(order, dueDates) : undefined)
}

function firstDay(order: Dated, names: readonly DueDate[]) {
  return names.map((name) => ({ name, day: order[name] })).find(({ day }) => day !== null)
}

/** Which date of an order has passed, and how many days ago. */
export function overdueOf(workflow: Workflow) {
  const due = dueDates.map((name) => ({ name, statuses: new Set(statusesDueBy(workflow, name)) }))
  const now = today()
  return (order: { status_id: number | null } & Record<DueDate, string | null>) => {
    const passed = due.filter(({ statuses }) => statuses.has(order.status_id ?? 0))
    const late = passed.map(({ name }) => ({ name, days: daysBetween(order[name] ?? now, now) }))
    return late.find(({ days }) => days > 0)
  }
}

const daysBetween = (from: string, until: string) => (Date.parse(until) - Date.parse(from)) / day

const dueDates = ['date_make', 'date_delivery'] as const
type DueDate = (typeof dueDates)[number]

/** Where no step requires the date, it is due in every status that is not final. */
function statusesDueBy(workflow: Workflow, date: DueDate): number[] {
  const entered = workflow.transitions.filter(({ required_fields }) => required_fields.includes(date))
  return entered.length > 0 ? entered.map(({ child_status_id }) => child_status_id) : openStatuses(workflow)
}

export function openStatuses(workflow: Workflow): number[] {
  return workflow.statuses.map(({ id }) => id).filter((id) => !isFinal(workflow, id))
}
