import { isEqual } from '../../core/merge.ts'
import { isPersonalPassword } from '../../core/passwords.ts'
import { forbidden } from '../../http/request/errors.ts'
import { type Field, holdsFile, holdsFiles, isRepeater, kindOf, missingProblem } from '../fields/index.ts'
import {
  type EditValues,
  type Entry,
  type Form,
  type FormState,
  fieldsOf,
  isLocked,
  isRequired,
  mayNotBeEmpty,
  readableFields,
} from './form.ts'
import { readValue } from './read-value.ts'
import { readImages, readRepeater } from './rows.ts'
import type { Sent } from './sent.ts'

/** The values of a form, and what is wrong with them by place, of what was sent for it in whatever way. */
export function readForm<F extends Form>(form: F, state: FormState, sent: Sent): Entry<EditValues<F>> {
  sent.refuseHidden?.(state)
  const entry: Entry = { values: {}, typed: {}, rows: {}, errors: {}, version: sent.version }
  for (const [name, field] of readableFields(form, state)) {
    if (kindOf(field).readOnly) continue
    if (isRepeater(field)) readRepeater(entry, name, field, state, sent)
    else if (holdsFiles(field)) readImages(entry, name, field, state, sent)
    else {
      const value = readValue(entry, name, field, state.stored[name], state, sent)
      if (value !== undefined && !(kindOf(field).hashed && value === null)) entry.values[name] = value
    }
    if (isLocked(state, name)) rejectLockedChange(entry, name, field, state)
    else if (isMissing(entry, name, field, state)) entry.errors[name] = missingProblem(field)
    if (state.mode === 'create' && isRequired(field, 'create')) entry.values[name] ??= state.stored[name]
  }
  rejectPersonalPasswords(entry, form, state)
  return entry as Entry<EditValues<F>>
}

function rejectLockedChange(entry: Entry, name: string, field: Field, state: FormState): void {
  const wrong = Object.keys(entry.errors).filter((id) => id === name || id.startsWith(`${name}.`))
  const repeated = !holdsFile(field) && entry.typed[name] === kindOf(field).show(state.stored[name], field)
  const meant = wrong.length === 0 && isEqual(entry.values[name], state.stored[name])
  const named = isRepeater(field) ? name in entry.rows : name in entry.typed
  if (named && !repeated && !meant) throw forbidden('You cannot edit this field.')
  delete entry.values[name]
  for (const id of wrong) delete entry.errors[id]
}

/** Whether something is required and neither sent nor stored; of what is wrong already that is said. */
function isMissing(entry: Entry, name: string, field: Field, state: FormState): boolean {
  if (!mayNotBeEmpty(field, state.mode, state.stored[name]) || state.states?.[name] === 'optional' || entry.errors[name]) return false
  const named = name in entry.typed
  if (state.mode === 'edit' && (!named || kindOf(field).hashed)) return false
  return (entry.values[name] ?? (named ? null : state.stored[name]) ?? null) === null
}

function rejectPersonalPasswords(entry: Entry, form: Form, state: FormState): void {
  const known = ['lastname', 'name', 'middlename', 'email'].map((name) => String(entry.values[name] ?? state.stored[name] ?? ''))
  for (const [name, field] of fieldsOf(form, state)) {
    const password = kindOf(field).hashed ? entry.values[name] : undefined
    if (typeof password === 'string' && isPersonalPassword(password, known))
      entry.errors[name] = { message: 'Do not base the password on a name or email.' }
  }
}
