import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { allOf, allows, anyOf, has, type Rule } from '../../core/access.ts'
import { type companies, ledgerEntries } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import { template } from '../../http/request/template.ts'
import { openList } from '../../records/card/list-tabs.ts'
import { type CardFrame, cardPart, type Tab } from '../../records/kind/card.ts'
import type { ListRegion } from '../../records/list/show.ts'
import { paymentAccess } from './access.ts'
import { ledgerList } from './list.ts'
import { findPayer } from './payer.ts'

type Company = typeof companies.$inferSelect

interface LedgerTab {
  /** The act of reconciliation. */
  act: string
  /** Where a correction is entered, for those who may. */
  correction: string | undefined
  /** Where a refund is booked, for those who may. */
  refund: string | undefined
}

const ledgerTabPage = template<CardFrame & ListRegion & LedgerTab>('ledger/tab.njk')

/** Corrects the ledger of a company. */
export const correctionRule = (mayAct: Rule<Company>): Rule<Company> =>
  allOf(mayAct, anyOf(has('company_can_edit_limit')), anyOf(has('order_can_view_prices')))

export function ledgerTab(may: Record<'view' | 'act', Rule<Company>>): Tab<Company> {
  return {
    name: 'ledger',
    label: 'Ledger',
    rule: allOf(may.view, anyOf(has('order_can_view_prices'))),
    ...cardPart(ledgerTabPage, (request: FastifyRequest, company: Company) => ({
      ...openList(request, ledgerOf(company.id)),
      act: url(request.server, `/company/${company.id}/reconciliation`),
      correction: allows(correctionRule(may.act), request.actor, company)
        ? url(request.server, `/company/${company.id}/ledger`)
        : undefined,
      refund: allows(paymentAccess.decide, request.actor, findPayer(request.server.db, company.id))
        ? url(request.server, `/company/${company.id}/refund`)
        : undefined,
    })),
  }
}

function ledgerOf(companyId: number) {
  const place = { path: `/company/edit/${companyId}`, query: { tab: 'ledger' }, alone: { company: String(companyId) } }
  return ledgerList({ place, baseCondition: eq(ledgerEntries.company_id, companyId) })
}
