import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { fullName } from '../../../core/text.ts'
import { findSettings } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { selectedRecords } from '../../../records/list/selection.ts'
import { readState, stateQuery } from '../../../records/list/state.ts'
import { findCompany } from '../../companies/company.ts'
import { companyForm } from '../../companies/form.ts'
import { orderAccess } from '../access.ts'
import { orderList } from '../list.ts'
import { findOrder, type Order } from '../order.ts'
import { viewOfLines } from './lines.ts'
import { findFacts, viewOfProperties, viewOfProperty } from './properties.ts'

type Sheet = ReturnType<typeof viewOfSheet>

const orderSheet = template<Sheet>('orders/print/sheet.njk')
const workSheets = template<{ title: string; back: { href: string; label: string }; sheets: Sheet[] }>('orders/print/work-sheets.njk')

const sheetLimit = 200

export function showSheet(request: FastifyRequest, reply: FastifyReply, order: Order) {
  return reply.page(orderSheet, viewOfSheet(request, order, 'Order sheet'))
}

/** The work sheet must not contain prices. */
export function showWorkSheet(request: FastifyRequest, reply: FastifyReply, order: Order) {
  const sheet = viewOfSheet(request, order, 'Work sheet')
  return reply.page(workSheets, { title: sheet.title, back: sheet.back, sheets: [sheet] })
}

/** Those of the selected orders in one document, a page each. */
export async function showWorkSheets(request: FastifyRequest, reply: FastifyReply) {
  const { server, t } = request
  const query = queryOf(request)
  const tooMany = 'Print up to {limit} work sheets at a time.'
  const list = orderList(server.db)
  const orders = await selectedRecords(request, list, query, { find: findOrder, rule: orderAccess.view }, { most: sheetLimit, tooMany })
  const back = { href: url(server, '/orders') + stateQuery(list, readState(list, query, request.actor)), label: t('Orders') }
  return reply.page(workSheets, {
    title: t('Work sheets'),
    back,
    sheets: orders.map((order) => viewOfSheet(request, order, 'Work sheet')),
  })
}

function viewOfSheet(context: Context, order: Order, title: string) {
  const { server, t, language } = context
  const number = recordLabelFor(language, 'orders', `#${order.id}`)
  const place = findFacts(server.db).get({ order: order.id })
  const contact = place?.manager && { ...place.manager, name: fullName(place.manager) }
  const own = findSettings(server.db)
  const company = findCompany(server.db, order.owner_company_id ?? 0)
  const signatory = company?.director_name_short ?? company?.director_name_full
  return {
    title: `${t(title)} ${number}`,
    back: { href: url(server, `/orders/${order.id}`), label: `${t('Order')} ${number}` },
    order,
    ...viewOfLines(context, order),
    properties: viewOfProperties(context, order),
    delivery: (['receiver', 'phone', 'delivery', 'address'] as const).map((name) => viewOfProperty(context, order, name)),
    place,
    parties: [
      { role: t('Supplier'), party: { org: own.legal_name ?? own.name, details: detailsOf(own, t), signatory: own.signatory, contact } },
      { role: t('Customer company'), party: { org: company?.org, details: detailsOf(company ?? {}, t), signatory } },
    ],
  }
}

const details = ['inn', 'kpp', 'ogrn', 'legal_address', 'bank', 'bik', 'rs', 'cs', 'phone', 'email', 'contract_number'] as const

function detailsOf(organization: Partial<Record<(typeof details)[number], string | null>>, t: Translate) {
  const found = details.map((name) => ({ label: t(companyForm.fields[name].label), value: organization[name] ?? '' }))
  return found.filter(({ value }) => value !== '')
}
