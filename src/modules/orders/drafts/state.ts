import { allows } from '../../../core/access.ts'
import type { Acting } from '../../../web/acting.ts'
import { type FormInput, template } from '../../../web/http.ts'
import { formatDateTime } from '../../../web/view/format.ts'
import { type Draft, draftFiles, mayDraft, namedDraft, storedPart } from './draft.ts'

/** What the form of a new order says of its draft. */
export interface DraftState {
  id?: number
  files: [input: string, key: string][]
  savedAt?: string
  problem?: string
}

export const draftState = template<{ draft: DraftState }>('orders/drafts/state.njk')

export function presentDraft(acting: Acting, input: FormInput): DraftState | undefined {
  if (!allows(mayDraft, acting.actor)) return undefined
  const draft = namedDraft(acting, input)
  return { id: draft?.id, files: [] }
}

/** Told to a script, whose form does not know yet under which keys its files are stored. */
export function presentKept(draft: Draft): DraftState {
  const files = Object.entries(draftFiles(draft)).map(([name, key]): [string, string] => [name + storedPart, key])
  return { id: draft.id, files, savedAt: formatDateTime(Date.now()).slice(-5) }
}
