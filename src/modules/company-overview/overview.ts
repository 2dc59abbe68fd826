import { allows } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { type CardFrame, cardPart, type Tab } from '../../records/kind/card.ts'
import { companyAccess } from '../companies/access.ts'
import type { Company } from '../companies/company.ts'
import { viewOfAccount } from '../ledger/account.ts'
import { viewOfDetails, viewOfFiles, viewOfManager, viewOfTerms } from './details.ts'
import { viewOfOrders } from './orders.ts'
import { viewOfPeople } from './people.ts'

const overviewPage = template<CardFrame & ReturnType<typeof viewOfOverview>>('company-overview/page.njk')

/** A company as one reads it: orders and details beside terms and people, each part for those who may see it elsewhere. */
export const overviewTab: Tab<Company> = {
  name: 'overview',
  label: 'Overview',
  rule: companyAccess.view,
  first: true,
  ...cardPart(overviewPage, viewOfOverview),
}

function viewOfOverview(context: Context, company: Company) {
  return {
    form: `/company/edit/${company.id}`,
    mayEdit: allows(companyAccess.edit, context.actor, company),
    orders: viewOfOrders(context, company),
    details: viewOfDetails(context, company),
    terms: viewOfTerms(context, company),
    account: viewOfAccount(context, company),
    manager: viewOfManager(context, company),
    people: viewOfPeople(context, company),
    files: viewOfFiles(context, company),
  }
}
