import type { Problem } from '../http.ts'
import { type Choice, type Entry, type Field, FieldError, holdsFile, isLossy } from './form.ts'

export interface SubmittedForm {
  body: URLSearchParams
  /** The one that the form was opened with, if it says so; `NaN` where that is none. */
  version: number | undefined
  uploadErrors: Record<string, Problem>
  uploaded: (key: string, kind: Field['kind']) => boolean
}

interface ValueNames {
  id: string
  input: string
  stored: string
}

export function readValue(
  entry: Entry,
  field: Field,
  names: ValueNames,
  present: unknown,
  choices: Choice[] | undefined,
  sent: SubmittedForm,
): unknown {
  if (holdsFile(field)) return readStoredFile(entry, field, names, present, sent)
  return readText(entry, names.id, field, textsOf(sent.body, names.input, field), present, choices)
}

function textsOf(body: URLSearchParams, name: string, { kind }: Field): string[] {
  if (kind !== 'several') return body.getAll(name)
  const chosen = [...body.getAll(name), ...body.getAll(`${name}[]`)]
  return chosen.length > 0 ? [chosen.join(',')] : []
}

export function readText(entry: Entry, id: string, field: Field, texts: string[], present: unknown, choices: Choice[] = []): unknown {
  const typed = texts.at(-1)
  if (typed === undefined) return undefined
  entry.typed[id] = typed
  try {
    // Only a switch may come twice: its hidden 0 precedes its 1.
    if (texts.length > 1 && field.kind !== 'switch') throw new FieldError('This value was sent more than once.')
    const value = field.parse(typed)
    if (isLossy(field) && field.show(value) === field.show(present)) return present
    const offered = value === null || value === present || choices.some((option) => option.id === value)
    if (field.kind === 'choice' && !offered) throw new FieldError('Choose a value from the list.')
    return value
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    entry.errors[id] = { message: error.message, params: error.params }
    return undefined
  }
}

function readStoredFile(entry: Entry, field: Field, { id, input, stored }: ValueNames, present: unknown, sent: SubmittedForm): unknown {
  const value = readText(entry, id, field, sent.body.getAll(stored).slice(-1), present)
  const problem = sent.uploadErrors[input]
  const known = !value || value === present || sent.uploaded(String(value), field.kind)
  if (problem) entry.errors[id] = problem
  else if (!known) entry.errors[id] = { message: 'File not found. Choose it again.' }
  if (!known) entry.typed[id] = field.show(present)
  return value
}
