import { type Field, type Form, fieldsOf, type Mode } from './form.ts'

/** The inputs of a form that take files, if it has any. */
export function fileInputs(form: Form, mode: Mode): RegExp | undefined {
  const names = [...fieldsOf(form, { mode })].flatMap(([name, field]) => fileInputNames(name, field))
  return names.length > 0 ? new RegExp(`^(${names.join('|')})$`) : undefined
}

export function avatarInputs(form: Form): string[] {
  return Object.keys(form.fields).filter((name) => form.fields[name]?.kind === 'image')
}

function fileInputNames(name: string, { kind, rows = {} }: Field): string[] {
  const parts = Object.entries(rows).filter(([, part]) => part.kind === 'upload')
  return [...(kind === 'upload' ? [name] : []), ...parts.map(([part]) => `${name}\\[\\d{1,4}\\]\\[${part}\\]`)]
}
