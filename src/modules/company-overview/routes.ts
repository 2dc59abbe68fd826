import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../web/access/record-routes.ts'
import { page } from '../../web/http.ts'
import { may } from '../companies/access.ts'
import { type Company, findCompany } from '../companies/company.ts'
import { presentOverview } from './overview.ts'

const overviewPage = page<ReturnType<typeof presentOverview>>('company-overview/page.njk')

export async function companyOverviewRoutes(app: FastifyInstance): Promise<void> {
  app.get('/companies/:id', onRecord({ access: may.view, record: findCompany }, showOverview))
}

function showOverview(request: FastifyRequest, reply: FastifyReply, company: Company): FastifyReply {
  return reply.page(overviewPage, presentOverview(request, company))
}
