import type { FastifyReply, FastifyRequest } from 'fastify'
import { doubts } from '../../core/requisites.ts'
import { queryOf } from '../../web/list/state.ts'
import { companyForm } from './form.ts'

/** GET of the warnings about the requisites that are being typed: one for each field that was asked about. */
export function showDoubts(request: FastifyRequest, reply: FastifyReply) {
  const typed = Object.fromEntries(queryOf(request))
  const found = doubts(typed)
  const asked = Object.keys(typed).filter((name) => companyForm.doubts?.fields.includes(name))
  return reply.page('companies/doubts.njk', { doubts: asked.map((id) => ({ id, text: request.t(found[id] ?? '') })) })
}
