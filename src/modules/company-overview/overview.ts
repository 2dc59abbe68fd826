import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import { relatedLinks } from '../../web/card/list-tabs.ts'
import { mayReadHistory } from '../../web/history/list.ts'
import { queryOf } from '../../web/http.ts'
import { listUrl } from '../../web/list/show.ts'
import { may } from '../companies/access.ts'
import { companyCard } from '../companies/card.ts'
import type { Company } from '../companies/company.ts'
import { presentAccount } from '../ledger/account.ts'
import { presentDetails, presentFiles, presentManager, presentTerms } from './details.ts'
import { presentOrders } from './orders.ts'
import { presentPeople } from './people.ts'

/** A company as one reads it: orders and details beside terms and people, each part for those who may see it elsewhere. */
export function presentOverview(request: FastifyRequest, company: Company) {
  const { actor, t, language } = request
  return {
    title: companyCard.titleOf(company, t, language),
    company,
    mayList: allows(may.list, actor),
    listTitle: t('Companies'),
    back: listUrl(request, 'companies'),
    state: companyCard.stateOf?.(request, company),
    form: `/company/edit/${company.id}`,
    kept: queryOf(request).get('back'),
    mayEdit: allows(may.edit, actor, company),
    menuLinks: presentMenu(request, company),
    orders: presentOrders(request, company),
    details: presentDetails(request, company),
    terms: presentTerms(request, company),
    account: presentAccount(request, company),
    manager: presentManager(request, company),
    people: presentPeople(request, company),
    files: presentFiles(request, company),
  }
}

function presentMenu(request: FastifyRequest, { id }: Company) {
  const ledger = { label: request.t('Ledger'), icon: 'receipt', href: `/company/edit/${id}?tab=ledger` }
  const history = { label: request.t('History'), icon: 'history', href: `/company/edit/${id}?tab=history` }
  return [
    ...relatedLinks(request, companyCard, id),
    ...(seesPrices(request.actor) ? [ledger] : []),
    ...(allows(mayReadHistory, request.actor) ? [history] : []),
  ]
}
