import type { Translate } from '../../i18n/translate.ts'
import { type Field, isRepeater } from '../fields/index.ts'
import { describeValue } from './describe-value.ts'
import { type Entry, type Form, type FormState, fieldsOf, type Row, type Values } from './form.ts'
import type { Conflict } from './form-action.ts'
import { viewOfForm } from './view.ts'

export function viewOfFormWithConflicts(form: Form, state: FormState, t: Translate, entry?: Entry, conflict?: Conflict) {
  if (!conflict) return { form: viewOfForm(form, { ...state, summarizes: true }, t, entry) }
  return { form: viewOfForm(form, withMerged(form, state, t, conflict), t), conflicts: viewOfConflicts(form, state, t, conflict) }
}

/** In a conflict the form shows the stored values with this person's changes merged in, and marks what differs; saving again confirms them. */
export function withMerged(form: Form, state: FormState, t: Translate, { merge }: Conflict): FormState {
  const error = t('Someone else changed this field.')
  const marked = merge.conflicts.map((name) => [name, { error, described: `${name}-error` }] as const)
  return {
    ...state,
    stored: { ...state.stored, ...detachDeletedRows(form, state, merge.values) },
    computed: { ...state.computed, ...Object.fromEntries(marked) },
  }
}

/** A row that somebody else deleted is saved again as a new one. */
function detachDeletedRows(form: Form, state: FormState, values: Values): Values {
  const detached = { ...values }
  for (const [name, field] of fieldsOf(form, state)) {
    if (!isRepeater(field) || field.key !== 'id' || !values[name]) continue
    const known = new Set(((state.stored[name] ?? []) as Row[]).map(({ id }) => id))
    detached[name] = (values[name] as Row[]).map(({ id, ...row }) => (known.has(id) ? { id, ...row } : row))
  }
  return detached
}

export function viewOfConflicts(form: Form, state: FormState, t: Translate, { merge, stored, by }: Conflict) {
  const fields = fieldsOf(form, state)
  return merge.conflicts.map((name) => {
    const field = fields.get(name) as Field
    const describe = (value: unknown) => describeValue(name, field, value, state.choices, t)
    return { id: name, label: t(field.label), mine: describe(merge.values[name]), theirs: describe(stored[name]), by: by[name] }
  })
}
