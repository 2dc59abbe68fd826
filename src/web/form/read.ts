import { forbidden, type Problem } from '../http.ts'
import { type Choice, type Field, FieldError, holdsFile, isLossy } from './fields.ts'
import { type EditValues, type Entry, type Form, type FormPage, fieldsOf, isRequired } from './form.ts'
import { readImages } from './images.ts'
import { readRows } from './rows.ts'

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

/**
 * Reads a body through a form. Only declared fields count; one the body does not name stays as it is, and what a new record
 * must have is then what its form started with.
 * @throws HttpError 403 when a locked field is named with another value
 */
export function readForm<F extends Form>(form: F, page: FormPage, sent: SubmittedForm): Entry<EditValues<F>> {
  const entry: Entry = { values: {}, typed: {}, rows: {}, errors: {}, version: sent.version }
  for (const [name, field] of fieldsOf(form, readableFields(page))) {
    if (field.kind === 'shown') continue
    if (field.rows) readRows(entry, name, field, page, sent)
    else if (field.kind === 'images') readImages(entry, name, field, page, sent)
    else readField(entry, name, field, page, sent)
    if (page.locked?.has(name)) rejectLockedChange(entry, name, field, page)
    else if (isRequired(field, page.mode) && !entry.errors[name] && isMissing(entry, name, field, page))
      entry.errors[name] = { message: 'Required' }
    if (page.mode === 'create' && isRequired(field, 'create')) entry.values[name] ??= page.present[name]
  }
  return entry as Entry<EditValues<F>>
}

/** A body may not change what is locked, seen or not; of what is hidden otherwise it says nothing. */
function readableFields({ mode, hidden, locked }: FormPage): Pick<FormPage, 'mode' | 'hidden'> {
  return { mode, hidden: new Set([...(hidden ?? [])].filter((name) => !locked?.has(name))) }
}

function readField(entry: Entry, name: string, field: Field, page: FormPage, sent: SubmittedForm): void {
  if (field.source) entry.typed[`${name}_search`] = sent.body.get(`${name}_search`) ?? ''
  const value = holdsFile(field)
    ? readStoredFile(entry, name, field, { stored: `${name}[stored]`, file: name }, page.present[name], sent)
    : readText(entry, name, field, textsOf(sent.body, name, field), page.present[name], page.choices[name])
  // An empty password means the present one.
  if (value !== undefined && !(field.kind === 'password' && value === null)) entry.values[name] = value
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

function rejectLockedChange(entry: Entry, name: string, field: Field, page: FormPage): void {
  const wrong = Object.keys(entry.errors).filter((id) => id === name || id.startsWith(`${name}.`))
  const repeated = !holdsFile(field) && entry.typed[name] === field.show(page.present[name])
  const meant = wrong.length === 0 && isSame(entry.values[name], page.present[name])
  const named = field.rows ? name in entry.rows : name in entry.typed
  if (named && !repeated && !meant) throw forbidden('You cannot edit this field.')
  delete entry.values[name]
  for (const id of wrong) delete entry.errors[id]
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}

/** A required field is missing on a create form when nothing came, on an edit form when it was emptied. */
function isMissing(entry: Entry, name: string, field: Field, page: FormPage): boolean {
  const named = name in entry.typed
  if (page.mode === 'edit' && (!named || field.kind === 'password')) return false
  return (entry.values[name] ?? (named ? null : page.present[name]) ?? null) === null
}
