import type { FastifyReply, FastifyRequest } from 'fastify'
import { findLegalDetailWarnings } from '../../core/legal-details.ts'
import { queryOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import { companyForm } from './form.ts'

const warningsFragment = page<{ warnings: { id: string; text: string }[] }>('companies/warnings.njk')

export function showWarnings(request: FastifyRequest, reply: FastifyReply) {
  const typed = Object.fromEntries(queryOf(request))
  const found = findLegalDetailWarnings(typed)
  const requested = Object.keys(typed).filter((name) => companyForm.warnings?.fields.includes(name))
  return reply.page(warningsFragment, { warnings: requested.map((id) => ({ id, text: request.t(found[id] ?? '') })) })
}
