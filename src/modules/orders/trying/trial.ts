import type { FastifyInstance } from 'fastify'
import { missingFields, type RequirableField, type Status, type Transition, type Workflow } from '../../../core/transition.ts'
import { type Role, roleMay } from '../../../core/workflow-roles.ts'
import { write } from '../../../database/open.ts'
import { orders } from '../../../database/schema/index.ts'
import type { Values } from '../../../web/form/form.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { findOrder, type Order } from '../order.ts'
import { enterStatus } from '../status-change.ts'
import { statusOf, waysOf } from '../steps.ts'

export interface Trial {
  /** The order to try it with; without one, a new empty order. */
  orderId?: number
  role: Role
  /** The transitions to perform, one after the other. */
  path: readonly number[]
}

/** What a transition would do: blocked when the role may not perform it. */
export interface TriedStep {
  from: Status | undefined
  to: Status | undefined
  transition: Transition
  allowed: boolean
  asked: RequirableField[]
  forced: Values
  told: number[]
}

export interface Tried {
  order: Order
  at: Status | undefined
  steps: TriedStep[]
  ways: { transition: Transition; to: Status | undefined; allowed: boolean }[]
}

/** The way out of the transaction: everything that was done in it is undone. */
class RolledBack extends Error {
  readonly tried: Tried
  constructor(tried: Tried) {
    super('tried out, nothing kept')
    this.tried = tried
  }
}

/** Takes an order through the workflow as it really would go, in a transaction that is rolled back. */
export function tryOut(app: FastifyInstance, trial: Trial): Tried {
  try {
    write(app.db, () => {
      throw new RolledBack(walk(app, trial))
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.tried
    throw error
  }
  throw new Error('a trial was kept')
}

function walk(app: FastifyInstance, { orderId, role, path }: Trial): Tried {
  const workflow = loadWorkflow(app.db)
  const id = orderId ?? newOrder(app, workflow)
  const steps: TriedStep[] = []
  for (const wayId of path) {
    const order = findOrder(app.db, id) as Order
    const transition = workflow.transitions.find((way) => way.id === wayId && way.parent_status_id === order.status_id)
    if (!transition) break
    const tried = step(app, workflow, order, transition, role)
    steps.push(tried)
    if (!tried.allowed) break
  }
  const order = findOrder(app.db, id) as Order
  const ways = waysOf(workflow, order).map((transition) => ({
    transition,
    to: statusOf(workflow, transition.child_status_id),
    allowed: roleMay(role, transition),
  }))
  return { order, at: statusOf(workflow, order.status_id), steps, ways }
}

function newOrder(app: FastifyInstance, workflow: Workflow): number {
  const id = Number(app.db.insert(orders).values({}).run().lastInsertRowid)
  const [to] = workflow.statuses
  if (to) enterStatus(app, findOrder(app.db, id) as Order, { workflow, to }, author)
  return id
}

const author = { id: null, name: '' }

function step(app: FastifyInstance, workflow: Workflow, order: Order, transition: Transition, role: Role): TriedStep {
  const from = statusOf(workflow, order.status_id)
  const to = statusOf(workflow, transition.child_status_id)
  const allowed = roleMay(role, transition)
  const asked = allowed ? missingFields(transition, { ...order }) : []
  if (!to || !allowed) return { from, to, transition, allowed, asked, forced: {}, told: [] }
  const filled = Object.fromEntries(asked.map((field) => [field, example]))
  return { from, to, transition, allowed, asked, ...enterStatus(app, order, { workflow, to, transition, filled }, author) }
}

/** Stands in for what somebody would fill in; nobody ever reads it. */
const example = '?'
