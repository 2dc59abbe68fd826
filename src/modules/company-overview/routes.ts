import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { url } from '../../http/request/addresses.ts'
import { tabQuery } from '../../records/kind/card.ts'
import { companyAccess } from '../companies/access.ts'
import { type Company, findCompany } from '../companies/company.ts'
import { companyRoutes } from '../companies/routes.ts'
import { companyOfferTab } from '../offers/routes.ts'
import { moveWhenPaid } from '../orders/transitions/move-when-paid.ts'
import { overviewTab } from './overview.ts'

/** Companies, with what orders and people say of them, of which their own module knows nothing. */
export async function companyOverviewRoutes(app: FastifyInstance): Promise<void> {
  companyRoutes(app, [overviewTab, companyOfferTab], moveWhenPaid)
  app.get('/companies/:id', onRecord({ access: companyAccess.view, record: findCompany, answers: 'redirect' }, showOverview))
}

function showOverview(request: FastifyRequest, reply: FastifyReply, { id }: Company): FastifyReply {
  return reply.redirect(url(request.server, `/company/edit/${id}`) + tabQuery(request, overviewTab.name), 303)
}
