import { recordLabelFor } from '../../../core/default-workflow.ts'
import { fullName } from '../../../core/text.ts'
import { findSettings } from '../../../database/index.ts'
import type { Document, Party, Property } from '../../../documents/document.ts'
import type { Context } from '../../../http/request/context.ts'
import { formatCalendarDate, formatDate } from '../../../i18n/format.ts'
import { findCompany } from '../../companies/company.ts'
import type { Order } from '../order.ts'
import { viewOfLines } from '../page/lines.ts'
import { managerOf } from '../page/people.ts'
import { placesOf, viewOfProperties, viewOfProperty } from '../page/properties.ts'
import { describeLine, organizationDetails, pricedOf, propertiesOf } from './builders.ts'

/** The whole order on paper, as far as the reader may see it. */
export function orderSheetOf(context: Context, order: Order): Document {
  const { t } = context
  const shown = viewOfLines(context, order)
  const document = pricedOf(context, order, shown)
  const { customer, delivery, production } = viewOfProperties(context, order)
  const said = [customer, delivery, production].flatMap(({ properties }) => properties).filter(({ value }) => value)
  return {
    ...document,
    title: titleOf(context, 'Order sheet', order),
    subject: [nameSpecification(context, order), `${t('Order created')}: ${formatDate(order.created_at)}`].filter(Boolean).join(' · '),
    parties: partiesOf(context, order),
    rows: document.rows.map(({ cells: [at = '', product = '', ...others] }, index) => {
      const terms = shown.lines[index]?.terms
      return { cells: [at, terms ? `${product}\n${terms}` : product, ...others] }
    }),
    groups: [{ title: t('Customer, delivery, and dates'), properties: said }],
  }
}

/** What is to be made, for whom and when: nothing of prices. */
export function workSheetOf(context: Context, order: Order): Document {
  const { server, t, language } = context
  const { lines, pieces } = viewOfLines(context, order)
  const { manufacture, stock } = placesOf(server.db).get({ company: order.owner_company_id }) ?? {}
  const company = findCompany(server.db, order.owner_company_id ?? 0)
  const delivery = (['receiver', 'phone', 'delivery', 'address'] as const).map((name) => viewOfProperty(context, order, name))
  return {
    language,
    title: titleOf(context, 'Work sheet', order),
    subject: [nameSpecification(context, order), company?.org ?? '—'].filter(Boolean).join(' · '),
    parties: [],
    facts: [
      { label: t('Serial number'), value: order.sn ?? '' },
      { label: t('Production site'), value: manufacture ?? '' },
      { label: t('Warehouse'), value: stock ?? '' },
      { label: t('Production date'), value: formatCalendarDate(order.date_make) },
      { label: t('Delivery date'), value: formatCalendarDate(order.date_delivery) },
    ],
    columns: [
      { label: '№' },
      { label: t('Product') },
      { label: t('Category') },
      { label: t('Quantity'), kind: 'number' },
      { label: t('Done'), box: true },
    ],
    rows: lines.map((line, at) => ({ cells: [String(at + 1), describeLine(line), line.category ?? '—', String(line.quantity)] })),
    totals: [{ label: t('Total'), value: String(pieces), strong: true }],
    groups: [
      ...(order.comment ? [{ title: t('Comment'), text: order.comment }] : []),
      { title: t('Delivery'), properties: delivery.map(({ label, value }) => ({ label, value })) },
    ],
    signatures: [{ role: t('Made by') }, { role: t('Checked by') }],
  }
}

function titleOf({ t, language }: Context, kind: 'Order sheet' | 'Work sheet', order: Order): string {
  return `${t(kind)} ${recordLabelFor(language, 'orders', `#${order.id}`)}`
}

const nameSpecification = ({ t }: Context, { specification_number: number }: Order) =>
  number === null ? undefined : t('Specification No. {number}', { number })

/** With everything that is known of both, and whom to ask. */
function partiesOf(context: Context, order: Order): Party[] {
  const { server, t } = context
  const own = findSettings(server.db)
  const company = findCompany(server.db, order.owner_company_id ?? 0)
  const manager = managerOf(server.db).get({ manager: order.owner_manager_id })
  const contact =
    manager && `${t('Manager')}: ${[fullName(manager), manager.phone?.replaceAll(' ', '\u00a0'), manager.email].filter(Boolean).join(', ')}`
  return [
    {
      role: t('Supplier'),
      name: own.legal_name ?? own.name,
      details: propertiesOf(context, own, organizationDetails),
      contact: contact ?? undefined,
    },
    {
      role: t('Customer company'),
      name: company?.org,
      details: company ? propertiesOf(context, company, organizationDetails) : unknown(context),
    },
  ]
}

const unknown = ({ t }: Context): Property[] =>
  [`${t('INN')} / ${t('KPP')}`, t('Registered address'), t('Bank account')].map((label) => ({ label, value: '' }))
