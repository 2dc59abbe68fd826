import { eq } from 'drizzle-orm'
import { allows, anyOf, isStaff, superadministrator } from '../../../core/access.ts'
import { type DocumentKind, pricedKinds } from '../../../core/documents.ts'
import type { MissingDetail } from '../../../core/plan-transition.ts'
import { findSettings, orderItems, prepareOnce } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { describeSuperadministrators } from '../../../records/whom-to-ask.ts'
import { companyAccess } from '../../companies/access.ts'
import { findCompany } from '../../companies/company.ts'
import type { Order } from '../order.ts'
import { editAddress } from '../sections.ts'

/** Something that a document cannot do without is not known yet. */
export class Incomplete extends HttpError {
  readonly missing: readonly MissingDetail[]
  constructor(missing: readonly MissingDetail[]) {
    super(422, 'Nothing was issued. Fill in first: {fields}', { fields: missing.map(({ label }) => label).join(', ') })
    this.missing = missing
  }
}

const details = { inn: 'INN', legal_address: 'Legal address' }
const account = { bank: 'Bank', bik: 'BIK', rs: 'Bank account' }

const asked: Record<DocumentKind, { supplier: Record<string, string>; customer: Record<string, string> }> = {
  invoice: { supplier: { legal_name: 'Full legal name', ...details, ...account }, customer: details },
  specification: { supplier: { legal_name: 'Full legal name', ...details }, customer: details },
  offer: { supplier: {}, customer: {} },
  delivery_note: { supplier: {}, customer: {} },
}

/** What a document cannot do without, each with where it is filled in by those who may. */
export function missingFor(context: Pick<Context, 'server' | 'actor' | 't'>, order: Order, kind: DocumentKind): MissingDetail[] {
  const { server, actor, t } = context
  const { db } = server
  const company = findCompany(db, order.owner_company_id ?? 0)
  const { supplier, customer } = asked[kind]
  const mayChange = allows(anyOf(superadministrator), actor)
  const mayEditCompany = company && allows(companyAccess.edit, actor, company)
  const linesAddress = editAddress(context, order, 'lines')
  const ask = mayChange || !isStaff(actor) ? undefined : describeSuperadministrators(context)
  const unpriced = pricedKinds.includes(kind) && order.lacksPrices
  return [
    ...emptyOf(findSettings(db), supplier).map(([name, label]) => ({
      ...{ label: t('{field} of the supplier', { field: t(label) }), of: 'supplier' as const, name: t(label) },
      href: mayChange ? url(server, `/settings#${name}`) : undefined,
      ask,
    })),
    ...(company ? [] : [{ ...ofOrder(t('Company')), href: editAddress(context, order, 'dealer') }]),
    ...emptyOf(company ?? {}, company ? customer : {}).map(([name, label]) => ({
      ...{ label: t('{field} of the company', { field: t(label) }), of: 'company' as const, name: t(label) },
      href: mayEditCompany ? url(server, `/company/edit/${company.id}#${name}`) : undefined,
    })),
    ...(lineOf(db).get({ order: order.id }) === undefined ? [{ ...ofOrder(t('Order lines')), href: linesAddress }] : []),
    ...(unpriced ? [{ ...ofOrder(t('Prices of all lines')), href: linesAddress, field: 'prices' as const }] : []),
  ]
}

const ofOrder = (name: string) => ({ label: name, of: 'order' as const, name })

const emptyOf = (record: object, fields: Record<string, string>) =>
  Object.entries(fields).filter(([name]) => !(record as Record<string, unknown>)[name])

const lineOf = prepareOnce((db, params) =>
  db.select({ id: orderItems.id }).from(orderItems).where(eq(orderItems.order_id, params.order)).limit(1).prepare(),
)
