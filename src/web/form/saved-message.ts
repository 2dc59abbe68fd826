import type { FastifyRequest } from 'fastify'
import { flash } from '../flash.ts'
import { type Form, fieldsOf } from './form.ts'
import type { Saved } from './submit.ts'

export function flashSaved(request: FastifyRequest, form: Form, { othersFields }: Saved): void {
  const fields = fieldsOf(form, { mode: 'edit' })
  const labels = othersFields.map((name) => request.t(fields.get(name)?.label ?? name)).join(', ')
  if (othersFields.length === 0) flash(request, 'Changes saved')
  else flash(request, 'Changes saved. Someone else also updated: {fields}. Both sets of changes were kept.', { fields: labels })
}
