import type { FastifyReply, FastifyRequest } from 'fastify'
import { fullName } from '../../../core/text.ts'
import { page } from '../../../web/http.ts'
import { findCompany } from '../../companies/company.ts'
import type { Order } from '../order.ts'
import { findFacts } from '../page/facts.ts'
import { presentLines } from '../page/lines.ts'
import { presentProperties } from '../page/properties.ts'
import { ownOrganization, type Party, partyOf } from './party.ts'

interface Sheet extends ReturnType<typeof presentLines> {
  title: string
  order: Order
  properties: ReturnType<typeof presentProperties>
  parties: { role: string; party: Party }[]
  place: { stock: string | null; manufacture: string | null } | undefined
}

const orderSheet = page<Sheet>('orders/print/sheet.njk')
const workSheet = page<Sheet>('orders/print/work-sheet.njk')

export function showSheet(request: FastifyRequest, reply: FastifyReply) {
  return reply.page(orderSheet, presentSheet(request, 'Order sheet'))
}

/** The work sheet must not contain prices. */
export function showWorkSheet(request: FastifyRequest, reply: FastifyReply) {
  return reply.page(workSheet, presentSheet(request, 'Work sheet'))
}

function presentSheet(request: FastifyRequest, title: string): Sheet {
  const { server, t } = request
  const order = request.record as Order
  const facts = findFacts(server.db).get({ order: order.id })
  const manager = facts?.manager
  return {
    title: `${t(title)} #${order.id}`,
    order,
    ...presentLines(server, order),
    properties: presentProperties(request, order),
    place: facts,
    parties: [
      {
        role: t('Supplier'),
        party: { ...ownOrganization(request.server.db, t), contact: manager ? { ...manager, name: fullName(manager) } : undefined },
      },
      { role: t('Customer company'), party: partyOf(findCompany(server.db, order.owner_company_id ?? 0), t) },
    ],
  }
}
