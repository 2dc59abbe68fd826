import type { Status } from './transition-rules.ts'

/** A step as the history holds it. */
interface TakenStep {
  actor_id: number | null
  impersonator_id: number | null
  undo_until: number | null
  undone_at: number | null
}

interface UndoFacts {
  now: number
  author: { id: number | null; impersonator?: { id: number | null } }
  /** Whoever has done something since that rests on the step. */
  overtakenBy?: string
  /** Where the step began, if that is still there. */
  from: Status | undefined
  /** What the step has written, before and after. */
  changed: Readonly<Record<string, readonly [before: unknown, after: unknown]>>
}

export type UndoProblem = 'foreign' | 'undone' | 'overtaken' | 'never' | 'late' | 'gone'

export interface UndoPlan {
  to: Status
  values: Record<string, unknown>
}

/** The reverse of a plan that was applied: what it wrote and nobody has changed since, as it was before; or why it cannot be had. */
export function planUndo(order: Readonly<Record<string, unknown>>, step: TakenStep, facts: UndoFacts): UndoPlan | UndoProblem {
  const { from, changed, overtakenBy } = facts
  if (!isOwnStep(step, facts.author)) return 'foreign'
  if (step.undone_at !== null) return 'undone'
  if (overtakenBy !== undefined) return 'overtaken'
  if (step.undo_until === null) return 'never'
  if (facts.now >= step.undo_until) return 'late'
  if (!from) return 'gone'
  const unchanged = Object.entries(changed).filter(([name, [, after]]) => order[name] === after)
  return { to: from, values: Object.fromEntries(unchanged.map(([name, [before]]) => [name, before])) }
}

export function isOwnStep({ actor_id, impersonator_id }: TakenStep, { id, impersonator }: UndoFacts['author']): boolean {
  return actor_id === id && impersonator_id === (impersonator?.id ?? null)
}
