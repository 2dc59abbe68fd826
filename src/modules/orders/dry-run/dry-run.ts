import type { FastifyInstance } from 'fastify'
import { missingFields, type Transition, type Workflow } from '../../../core/transition-rules.ts'
import { type Role, roleMayPerform } from '../../../core/workflow-roles.ts'
import { orders, write } from '../../../database/index.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { changeStatus } from '../change-status.ts'
import { findOrder, type Order } from '../order.ts'
import { outgoingTransitions, statusById } from '../present-transitions.ts'

interface DryRunOptions {
  orderId?: number
  role: Role
  transitionIds: readonly number[]
}

export type DryRunStep = ReturnType<typeof performStep>

/** Performs the transitions for real, in a transaction that is rolled back. */
export function performDryRun(app: FastifyInstance, options: DryRunOptions) {
  const rollback = new Error('the dry run is rolled back')
  let result: ReturnType<typeof performTransitions> | undefined
  try {
    write(app.db, () => {
      result = performTransitions(app, options)
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
  return result as NonNullable<typeof result>
}

function performTransitions(app: FastifyInstance, { orderId, role, transitionIds }: DryRunOptions) {
  const workflow = loadWorkflow(app.db)
  const id = orderId ?? createEmptyOrder(app, workflow)
  const steps: DryRunStep[] = []
  for (const transitionId of transitionIds) {
    const order = findOrder(app.db, id) as Order
    const transition = workflow.transitions.find(({ id, parent_status_id }) => id === transitionId && parent_status_id === order.status_id)
    if (!transition) break
    const result = performStep(app, workflow, order, transition, role)
    steps.push(result)
    if (!result.allowed) break
  }
  const order = findOrder(app.db, id) as Order
  const transitions = outgoingTransitions(workflow, order).map((transition) => ({
    transition,
    to: statusById(workflow, transition.child_status_id),
    allowed: roleMayPerform(role, transition),
  }))
  return { order, currentStatus: statusById(workflow, order.status_id), steps, transitions }
}

function createEmptyOrder(app: FastifyInstance, workflow: Workflow): number {
  const id = Number(app.db.insert(orders).values({}).run().lastInsertRowid)
  const [to] = workflow.statuses
  if (to) changeStatus(app, findOrder(app.db, id) as Order, { workflow, to }, author)
  return id
}

const author = { id: null, name: '' }

function performStep(app: FastifyInstance, workflow: Workflow, order: Order, transition: Transition, role: Role) {
  const from = statusById(workflow, order.status_id)
  const to = statusById(workflow, transition.child_status_id)
  const allowed = roleMayPerform(role, transition)
  const missing = allowed ? missingFields(transition, { ...order }) : []
  if (!to || !allowed) return { from, to, transition, allowed, missing, forced: {}, notified: [] }
  const filled = Object.fromEntries(missing.map((field) => [field, placeholderValue]))
  return { from, to, transition, allowed, missing, ...changeStatus(app, order, { workflow, to, transition, filled }, author) }
}

const placeholderValue = '?'
