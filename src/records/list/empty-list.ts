import type { AnyRule } from '../../core/access.ts'

/** What stands in place of the rows of a list that has none yet. */
export interface EmptyList {
  title: string
  text: string
  /** Whom to ask. */
  who?: string
  /** What comes before the first of its records, in place of what adds one. */
  add?: { path: string; label: string; rule: AnyRule } | undefined
  /** Where what it lists comes from, for those who may go there. */
  way?: { path: string; label: string; rule: AnyRule }
}
