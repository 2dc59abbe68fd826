import { isCommonPassword } from '../../core/passwords.ts'
import { isLongerThan } from '../../core/text.ts'
import { string } from './json-schema.ts'
import { type BaseField, type Declared, FieldError, type FieldKind, type FieldOptions, readText } from './kind.ts'

export interface PasswordField extends BaseField {
  kind: 'password' | 'currentPassword'
}

/** Saved only when filled, hashed before the transaction, and never shown again. */
export function password<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'password', label } as Declared<PasswordField, string | null, O>
}

/** Verifies who submits the form; the caller compares it and it is never stored. */
export function currentPassword<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'currentPassword', label } as Declared<PasswordField, string | null, O>
}

const secret = (parse: (typed: string) => string | null): FieldKind<PasswordField, string> => ({
  parse,
  show: () => '',
  describe: () => '••••••••',
  secret: true,
  json: { schema: () => string, read: readText(parse) },
  input: { macro: 'line', type: 'password' },
})

export const passwordKinds: Record<PasswordField['kind'], FieldKind<PasswordField, string>> = {
  password: { ...secret(newPassword), missing: 'Enter a password.', hashed: true },
  currentPassword: secret((typed) => typed || null),
}

function newPassword(typed: string): string | null {
  if (typed === '') return null
  if (!isLongerThan(typed, 7) || isLongerThan(typed, 256)) throw new FieldError('Use 8 to 256 characters.')
  if (isCommonPassword(typed)) throw new FieldError('This password is too common. Choose another.')
  return typed
}
