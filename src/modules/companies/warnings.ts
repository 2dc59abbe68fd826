import type { FastifyReply, FastifyRequest } from 'fastify'
import { findWarnings } from '../../core/requisites.ts'
import { queryOf } from '../../web/request.ts'
import { companyForm } from './form.ts'

/** GET of the warnings about the requisites that are being typed: one for each field that was asked about. */
export function showWarnings(request: FastifyRequest, reply: FastifyReply) {
  const typed = Object.fromEntries(queryOf(request))
  const found = findWarnings(typed)
  const asked = Object.keys(typed).filter((name) => companyForm.warnings?.fields.includes(name))
  return reply.page('companies/warnings.njk', { warnings: asked.map((id) => ({ id, text: request.t(found[id] ?? '') })) })
}
