import { allows } from '../../core/access.ts'
import { type CardFrame, cardPart, type Tab } from '../../web/card/card.ts'
import type { Context } from '../../web/context.ts'
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

function presentOverview(context: Context, company: Company) {
  return {
    form: `/company/edit/${company.id}`,
    mayEdit: allows(may.edit, context.actor, company),
    orders: presentOrders(context, company),
    details: presentDetails(context, company),
    terms: presentTerms(context, company),
    account: presentAccount(context, company),
    manager: presentManager(context, company),
    people: presentPeople(context, company),
    files: presentFiles(context, company),
  }
}
