import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../web/access/record-routes.ts'
import { url } from '../../web/addresses.ts'
import { tabQuery } from '../../web/card/card.ts'
import { cardRoutes } from '../../web/card/routes.ts'
import { companyAccess } from '../companies/access.ts'
import { companyCard } from '../companies/card.ts'
import { type Company, findCompany } from '../companies/company.ts'
import { overviewTab } from './overview.ts'

/** The card of a company, with what orders and people say of it, of which companies know nothing. */
export async function companyOverviewRoutes(app: FastifyInstance): Promise<void> {
  const card: typeof companyCard = { ...companyCard, tabs: [overviewTab, ...(companyCard.tabs ?? [])] }
  cardRoutes(app, card)
  app.get('/companies/:id', onRecord({ access: companyAccess.view, record: findCompany, answers: 'redirect' }, showOverview))
}

function showOverview(request: FastifyRequest, reply: FastifyReply, { id }: Company): FastifyReply {
  return reply.redirect(url(request.server, `/company/edit/${id}`) + tabQuery(request, overviewTab.name), 303)
}
