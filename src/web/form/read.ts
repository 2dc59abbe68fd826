import { forbidden } from '../http.ts'
import { type Choice, type Field, FieldError } from './fields.ts'
import { type Entry, type Form, type FormPage, fieldsOf } from './form.ts'
import { readRows } from './rows.ts'

/** Everything a submitted form says. */
export interface Sent {
  body: URLSearchParams
  /** The version of the record that the form was opened with. */
  version: number | undefined
  /** What is wrong with files that travelled along, by the name of their input. */
  uploadErrors: Record<string, string>
  /** Whether this person has just uploaded the file of this key. */
  uploaded: (key: string) => boolean
}

/**
 * Reads a body through a form. Only declared fields count; one the body does not name stays as it is.
 * @throws HttpError 403 when a locked field is named with another value
 */
export function readForm(form: Form, page: FormPage, sent: Sent): Entry {
  const entry: Entry = { values: {}, typed: {}, rows: {}, errors: {}, version: sent.version }
  for (const [name, field] of fieldsOf(form, page)) {
    if (field.kind === 'shown') continue
    if (field.rows) readRows(entry, name, field, page, sent)
    else readOne(entry, name, field, page, sent)
    if (page.locked?.has(name)) refuseChange(entry, name, field, page)
    else if (field.required && !entry.errors[name] && lacks(entry, name, field, page))
      entry.errors[name] = { message: 'Please fill this in.' }
  }
  return entry
}

function readOne(entry: Entry, name: string, field: Field, page: FormPage, sent: Sent): void {
  const value = readText(entry, name, field, sent.body.getAll(name), page.present[name], page.choices[name])
  // An empty password means the present one.
  if (value !== undefined && !(field.kind === 'password' && value === null)) entry.values[name] = value
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
    if (texts.length > 1 && field.kind !== 'switch') throw new FieldError('This was sent more than once.')
    const value = field.parse(typed)
    const offered = value === null || value === present || choices.some((option) => option.id === value)
    if (field.kind === 'choice' && !offered) throw new FieldError('Choose one from the list.')
    return value
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    entry.errors[id] = { message: error.message, params: error.params }
    return undefined
  }
}

function refuseChange(entry: Entry, name: string, field: Field, page: FormPage): void {
  const typed = entry.typed[name]
  if (typed !== undefined && typed !== field.show(page.present[name])) throw forbidden('You may not change this field.')
  delete entry.values[name]
  delete entry.errors[name]
}

/** A required field is missing on a create form when nothing came, on an edit form when it was emptied. */
function lacks(entry: Entry, name: string, field: Field, page: FormPage): boolean {
  const named = name in entry.typed
  if (page.mode === 'edit' && (!named || field.kind === 'password')) return false
  return (entry.values[name] ?? (named ? null : page.present[name]) ?? null) === null
}
