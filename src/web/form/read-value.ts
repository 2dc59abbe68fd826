import type { Problem } from '../http.ts'
import { type Choice, type Field, FieldError, isLossy } from './fields.ts'
import type { Entry } from './form.ts'

/** Everything a submitted form says. */
export interface SubmittedForm {
  body: URLSearchParams
  /** The version of the record that the form was opened with. */
  version: number | undefined
  /** What is wrong with files that travelled along, by the name of their input. */
  uploadErrors: Record<string, Problem>
  /** Whether this person has just uploaded the file of this key, for a field of this kind. */
  uploaded: (key: string, kind: Field['kind']) => boolean
}

/** What a body says of a field; of several values, each comes as `name[]`, and the bare name says that these are all. */
export function textsOf(body: URLSearchParams, name: string, { kind }: Field): string[] {
  if (kind !== 'several') return body.getAll(name)
  const chosen = [...body.getAll(name), ...body.getAll(`${name}[]`)]
  return chosen.length > 0 ? [chosen.join(',')] : []
}

/**
 * Reads one text through a field.
 * @param id under which what was typed and what is wrong are kept
 * @returns the value; undefined when the body does not name it, or it is wrong
 */
export function readText(entry: Entry, id: string, field: Field, texts: string[], present: unknown, choices: Choice[] = []): unknown {
  const typed = texts.at(-1)
  if (typed === undefined) return undefined
  entry.typed[id] = typed
  try {
    // A switch sends its hidden 0 before its 1; anything else that comes twice is not a form of ours.
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

/**
 * Reads which file a field names: only one it held already, or one that this person has just sent for it.
 * @param names of the field's key and of its file in the body
 * @returns like `readText`
 */
export function readStoredFile(
  entry: Entry,
  id: string,
  field: Field,
  names: { stored: string; file: string },
  present: unknown,
  sent: SubmittedForm,
): unknown {
  // The last key counts: a file that travelled along comes after the one the field held.
  const value = readText(entry, id, field, sent.body.getAll(names.stored).slice(-1), present)
  const problem = sent.uploadErrors[names.file]
  const known = !value || value === present || sent.uploaded(String(value), field.kind)
  if (problem) entry.errors[id] = problem
  else if (!known) entry.errors[id] = { message: 'File not found. Choose it again.' }
  if (!known) entry.typed[id] = field.show(present)
  return value
}
