import { hashPassword } from '../access/password-hashing.ts'
import { type Entry, type Form, fieldsOf, type Mode, type Values } from './form.ts'
import { readText } from './read-value.ts'

export async function hashPasswords(form: Form, mode: Mode, body: URLSearchParams): Promise<Values> {
  const hashes: Values = {}
  const placeholder: Entry = { values: {}, typed: {}, rows: {}, errors: {} }
  for (const [name, field] of fieldsOf(form, { mode })) {
    if (field.kind !== 'password') continue
    const password = readText(placeholder, name, field, body.getAll(name), null)
    if (typeof password === 'string') hashes[name] = await hashPassword(password)
  }
  return hashes
}
