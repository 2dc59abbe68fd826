import type { FastifyRequest } from 'fastify'
import { flash } from '../flash.ts'
import { type Form, fieldsOf } from './form.ts'
import type { Saved } from './submit.ts'

export function flashSaved(request: FastifyRequest, form: Form, { othersFields }: Saved, name: string): void {
  const fields = fieldsOf(form, { mode: 'edit' })
  const labels = othersFields.map((name) => request.t(fields.get(name)?.label ?? name)).join(', ')
  if (othersFields.length === 0) flash(request, '{name} saved', { name })
  else flash(request, '{name} saved. Someone else also updated: {fields}. Both sets of changes were kept.', { name, fields: labels })
}
