import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { type CardFrame, cardPart, type Tab } from '../../web/card/card.ts'
import { template } from '../../web/http.ts'
import { may } from '../companies/access.ts'
import type { Company } from '../companies/company.ts'
import { presentAccount } from '../ledger/account.ts'
import { presentDetails, presentFiles, presentManager, presentTerms } from './details.ts'
import { presentOrders } from './orders.ts'
import { presentPeople } from './people.ts'

const overviewPage = template<CardFrame & ReturnType<typeof presentOverview>>('company-overview/page.njk')

/** A company as one reads it: orders and details beside terms and people, each part for those who may see it elsewhere. */
export const overviewTab: Tab<Company> = {
  name: 'overview',
  label: 'Overview',
  rule: may.view,
  first: true,
  ...cardPart(overviewPage, presentOverview),
}

function presentOverview(request: FastifyRequest, company: Company) {
  return {
    form: `/company/edit/${company.id}`,
    mayEdit: allows(may.edit, request.actor, company),
    orders: presentOrders(request, company),
    details: presentDetails(request, company),
    terms: presentTerms(request, company),
    account: presentAccount(request, company),
    manager: presentManager(request, company),
    people: presentPeople(request, company),
    files: presentFiles(request, company),
  }
}
