import { madeStatus } from './default-workflow.ts'
import type { Status, Transition, Workflow } from './transition-rules.ts'

interface MadeProposal {
  production: Status
  /** The steps that lead from production to delivery or pickup: they would start in the new status. */
  onward: Transition[]
}

/** Where "Made" belongs: between production and what follows it, as long as no status has its key. */
export function proposeMade({ statuses, transitions }: Workflow): MadeProposal | undefined {
  const byKey = (key: string) => statuses.find(({ status_key }) => status_key.toLowerCase() === key)
  const production = byKey('production')
  if (!production || byKey(madeStatus.status_key)) return undefined
  const ends = ['delivery', 'pickup'].flatMap((key) => byKey(key)?.id ?? [])
  const onward = transitions.filter(
    ({ parent_status_id, child_status_id }) => parent_status_id === production.id && ends.includes(child_status_id),
  )
  return onward.length > 0 ? { production, onward } : undefined
}
