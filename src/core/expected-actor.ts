import { type Group, group, isAmong, isSameId, type Performer } from './access.ts'
import {
  type ExpectedParty,
  expectedParties,
  type Flag,
  isFinal,
  type OrderOwners,
  onwardTransitions,
  type Status,
  statusById,
  type Workflow,
} from './transition-rules.ts'
import { waitsThoughPaid } from './when-paid.ts'

const ownFlag: Record<ExpectedParty, Flag> = { dealer: 'dealer_can', manager: 'manager_can', production: 'production_can' }

/** Who is expected to act on the orders in a status: nobody in a final one. */
export function expectedIn(workflow: Workflow, status: Pick<Status, 'id' | 'expected'>): ExpectedParty | undefined {
  if (isFinal(workflow, status.id) || status.expected === 'nobody') return undefined
  return status.expected === 'default' ? expectedByDefault(workflow, status.id) : status.expected
}

/** The first whose own flag leads onward. */
function expectedByDefault(workflow: Workflow, statusId: number): ExpectedParty | undefined {
  const onward = onwardTransitions(workflow, statusId)
  return expectedParties.find((party) => onward.some((transition) => transition[ownFlag[party]]))
}

const partyOfGroup: Record<Group, ExpectedParty> = {
  [group.dealer]: 'dealer',
  [group.manager]: 'manager',
  [group.administrator]: 'manager',
  [group.production]: 'production',
}

/** The statuses that expect somebody of this group to act. */
export function statusesAwaiting(workflow: Workflow, groupId: number): number[] {
  return workflow.statuses.filter((status) => expectedIn(workflow, status) === partyOfGroup[groupId as Group]).map(({ id }) => id)
}

/** The status of orders that were placed and wait for their dealer to send them: the first, where it expects the dealer. */
export function unsentStatus(workflow: Workflow): number | undefined {
  const [first] = workflow.statuses
  return first && expectedIn(workflow, first) === 'dealer' ? first.id : undefined
}

/** The statuses from which orders have yet to come to production: it is not expected to act before, nor can they have been there. */
export function statusesBeforeProduction(workflow: Workflow): number[] {
  const making = statusesAwaiting(workflow, group.production)
  const after = leadingFrom(workflow, making)
  return workflow.statuses.map(({ id }) => id).filter((id) => !after.has(id) && making.some((one) => leadingFrom(workflow, [id]).has(one)))
}

/** These statuses, and those to which orders come from them. */
function leadingFrom({ transitions }: Workflow, statuses: readonly number[]): Set<number> {
  const reached = new Set(statuses)
  // A set goes on with what is added to it meanwhile.
  for (const status of reached)
    for (const { parent_status_id, child_status_id } of transitions) if (parent_status_id === status) reached.add(child_status_id)
  return reached
}

/** Whether orders that are paid and have not moved on are expected to be looked at by this group, whatever their status says. */
export const looksAtPaid = (groupId: number): boolean => partyOfGroup[groupId as Group] === 'manager'

type OrderInStatus = OrderOwners & Parameters<typeof waitsThoughPaid>[1]

/** The group whose turn it is; without a manager it is the administrators' turn. */
export function groupAtTurn(workflow: Workflow, order: OrderInStatus): Group | undefined {
  const status = statusById(workflow, order.status_id)
  const party = waitsThoughPaid(workflow, order) ? 'manager' : status && expectedIn(workflow, status)
  return party === 'manager' && order.owner_manager_id === null ? group.administrator : party && group[party]
}

/** Whether it is this person's turn with an order that they may see. */
export function isTurnOf({ id, group_id, managers }: Performer, order: OrderInStatus, workflow: Workflow): boolean {
  if (groupAtTurn(workflow, order) !== group_id) return false
  if (group_id === group.dealer) return isSameId(order.dealer_id, id)
  return group_id !== group.manager || isAmong(managers, order.owner_manager_id)
}
