import { isCommonPassword } from '../../../core/passwords.ts'
import { countCharacters } from '../../../core/text.ts'
import { FieldError, type FieldOptions, type FieldWith, makeField } from './field.ts'

/** Saved only when filled, hashed before the transaction, and never shown again. */
export function password<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return makeField('password', label, options, { parse: parsePassword, show: () => '' })
}

/** Verifies who submits the form; the caller compares it and it is never stored. */
export function currentPassword<const O extends FieldOptions>(label: string, options?: O): FieldWith<string | null, O> {
  return makeField('proof', label, options, { parse: (typed) => typed || null, show: () => '' })
}

function parsePassword(typed: string): string | null {
  if (typed === '') return null
  if (countCharacters(typed) < 8 || countCharacters(typed) > 256) throw new FieldError('Use 8 to 256 characters.')
  if (isCommonPassword(typed)) throw new FieldError('This password is too common. Choose another.')
  return typed
}
