import type { Field, Fields, Form } from './form.ts'

export function fileInputs(form: Form): RegExp {
  const names = Object.entries(form.fields as Fields).flatMap(([name, field]) => fileInputNames(name, field))
  return new RegExp(`^(${names.join('|')})$`)
}

export function avatarInputs(form: Form): string[] {
  return Object.keys(form.fields).filter((name) => form.fields[name]?.kind === 'image')
}

function fileInputNames(name: string, { kind, rows = {} }: Field): string[] {
  const parts = Object.entries(rows).filter(([, part]) => part.kind === 'upload')
  return [...(kind === 'upload' ? [name] : []), ...parts.map(([part]) => `${name}\\[\\d{1,4}\\]\\[${part}\\]`)]
}
