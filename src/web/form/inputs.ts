import type { Field } from './fields.ts'
import type { Form } from './form.ts'

export function fileInputs(form: Form): RegExp {
  const names = allFields(form).flatMap(([name, field]) => fileInputNames(name, field))
  return new RegExp(`^(${names.join('|')})$`)
}

export function avatarInputs(form: Form): string[] {
  return allFields(form).flatMap(([name, { kind }]) => (kind === 'image' ? [name] : []))
}

function allFields({ groups }: Form): [string, Field][] {
  return groups.flatMap(({ fields }) => Object.entries(fields))
}

function fileInputNames(name: string, { kind, rows = {} }: Field): string[] {
  const parts = Object.entries(rows).filter(([, part]) => part.kind === 'upload')
  return [...(kind === 'upload' ? [name] : []), ...parts.map(([part]) => `${name}\\[\\d{1,4}\\]\\[${part}\\]`)]
}
