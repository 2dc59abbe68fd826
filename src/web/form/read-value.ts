import type { Problem } from '../http.ts'
import { type Choice, type Entry, type Field, FieldError, holdsFile, kindOf } from './form.ts'

export interface SubmittedForm {
  body: URLSearchParams
  /** The one that the form was opened with, if it says so; `NaN` where that is none. */
  version: number | undefined
  uploadErrors: Record<string, Problem>
  uploaded: (key: string, field: Field) => boolean
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
  stored: unknown,
  choices: Choice[] | undefined,
  sent: SubmittedForm,
): unknown {
  if (holdsFile(field)) return readStoredFile(entry, field, names, stored, sent)
  return readText(entry, names.id, field, textsOf(sent.body, names.input, field), stored, choices)
}

export function textsOf(body: URLSearchParams, name: string, field: Field): string[] {
  return kindOf(field).typedIn?.(body, name) ?? body.getAll(name)
}

export function readText(entry: Entry, id: string, field: Field, texts: string[], stored: unknown, choices: Choice[] = []): unknown {
  const typed = texts.at(-1)
  if (typed === undefined) return undefined
  entry.typed[id] = typed
  try {
    if (texts.length > 1) throw new FieldError('This value was sent more than once.')
    const kind = kindOf(field)
    const value = kind.parse(typed, field)
    return kind.accept ? kind.accept(value, stored, choices, field) : value
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    entry.errors[id] = { message: error.message, params: error.params }
    return undefined
  }
}

function readStoredFile(entry: Entry, field: Field, names: ValueNames, stored: unknown, sent: SubmittedForm): unknown {
  const { id, input } = names
  const value = readText(entry, id, field, sent.body.getAll(names.stored).slice(-1), stored)
  const problem = sent.uploadErrors[input]
  const known = !value || value === stored || sent.uploaded(String(value), field)
  if (problem) entry.errors[id] = problem
  else if (!known) entry.errors[id] = { message: 'File not found. Choose it again.' }
  if (!known) entry.typed[id] = kindOf(field).show(stored, field)
  return value
}
