import { forbidden } from '../http.ts'
import { type Choice, type Field, FieldError } from './fields.ts'
import { type Entry, type Form, fieldsOf, type Mode, type Values } from './form.ts'

/** What a form may do for this person and record, beside its declaration. */
export interface FormPage {
  mode: Mode
  /** The stored record on an edit form, what a new one starts with on a create form. */
  present: Values
  /** What each choice offers. */
  choices: Record<string, Choice[]>
  /** Fields this person may not change. */
  locked?: ReadonlySet<string>
}

/**
 * Reads a body through a form. Only declared fields count; one the body does not name stays as it is.
 * @throws HttpError 403 when a locked field is named with another value
 */
export function readForm(form: Form, page: FormPage, body: URLSearchParams): Entry {
  const entry: Entry = { values: {}, typed: {}, errors: {} }
  for (const [name, field] of fieldsOf(form, page.mode)) {
    const named = body.has(name)
    if (named) readField(entry, name, field, body.getAll(name), page)
    if (page.locked?.has(name)) refuseChange(entry, name, field, page)
    if (field.required && !entry.errors[name] && lacks(entry, name, field, named, page))
      entry.errors[name] = { message: 'Please fill this in.' }
  }
  return entry
}

function readField(entry: Entry, name: string, field: Field, texts: string[], page: FormPage): void {
  const typed = texts.at(-1) as string
  entry.typed[name] = typed
  try {
    // A switch sends its hidden 0 before its 1; anything else that comes twice is not a form of ours.
    if (texts.length > 1 && field.kind !== 'switch') throw new FieldError('This was sent more than once.')
    const value = field.parse(typed)
    if (field.kind === 'choice') refuseStranger(value, page.choices[name] ?? [])
    if (field.kind !== 'password' || value !== null) entry.values[name] = value
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    entry.errors[name] = { message: error.message, params: error.params }
  }
}

function refuseStranger(value: unknown, offered: Choice[]): void {
  if (value !== null && !offered.some((option) => option.id === value)) throw new FieldError('Choose one from the list.')
}

function refuseChange(entry: Entry, name: string, field: Field, page: FormPage): void {
  const typed = entry.typed[name]
  if (typed !== undefined && typed !== field.show(page.present[name])) throw forbidden('You may not change this field.')
  delete entry.values[name]
  delete entry.errors[name]
}

/** A required field is missing on a create form when nothing came, on an edit form when it was emptied. */
function lacks(entry: Entry, name: string, field: Field, named: boolean, page: FormPage): boolean {
  if (page.mode === 'edit' && (!named || field.kind === 'password' || page.locked?.has(name))) return false
  return (entry.values[name] ?? (named ? null : page.present[name]) ?? null) === null
}
