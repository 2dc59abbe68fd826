import type { DocumentKind } from '../../../core/documents.ts'
import { documentKindLabels } from '../../../core/labels.ts'
import { findSettings } from '../../../database/index.ts'
import type { Column, Document } from '../../../documents/document.ts'
import type { Context } from '../../../http/request/context.ts'
import { formatCalendarDate } from '../../../i18n/format.ts'
import { findCompany } from '../../companies/company.ts'
import type { Order } from '../order.ts'
import { viewOfLines } from '../page/lines.ts'

interface Given {
  number: string
  day: string
}

type Build = (context: Context, order: Order, given: Given) => Document

export const invoiceOf: Build = (...about) => priced('invoice', ...about)
export const specificationOf: Build = (...about) => priced('specification', ...about)
export const offerOf: Build = (...about) => priced('offer', ...about)
export const deliveryNoteOf: Build = (context, order, given) => documentOf('delivery_note', context, order, given)

function priced(kind: DocumentKind, context: Context, order: Order, given: Given): Document {
  const { t } = context
  const { lines, ...document } = { ...documentOf(kind, context, order, given), ...viewOfLines(context, order) }
  const columns: Column[] = [...document.columns, { label: t('Price'), kind: 'number' }, { label: t('Amount'), kind: 'number' }]
  const rows = document.rows.map(({ cells }, at) => {
    const line = lines[at] as { price?: number | null; sum?: number } | undefined
    return { cells: [...cells, t.money(line?.price ?? 0), t.money(line?.sum ?? 0)] }
  })
  const { pieces: _, amounts: __, ...written } = document
  return { ...written, columns, rows, totals: [{ label: t('Total'), value: t.money(order.cost), strong: true }] }
}

function documentOf(kind: DocumentKind, context: Context, order: Order, { number, day }: Given): Document {
  const { server, t, language } = context
  const own = findSettings(server.db)
  const company = findCompany(server.db, order.owner_company_id ?? 0)
  const details = ({ inn, legal_address }: { inn?: string | null; legal_address?: string | null }) => [
    { label: t('INN'), value: inn ?? '' },
    { label: t('Legal address'), value: legal_address ?? '' },
  ]
  return {
    kind,
    language,
    title: `${t(documentKindLabels[kind])} № ${number}, ${formatCalendarDate(day)}`,
    parties: [
      { role: t('Supplier'), name: own.legal_name, details: details(own) },
      { role: t('Customer company'), name: company?.org, details: details(company ?? {}) },
    ],
    columns: [{ label: t('Name') }, { label: t('Quantity'), kind: 'number' }],
    rows: viewOfLines(context, order).lines.map(({ name, size, quantity }) => ({
      cells: [[name, size].filter(Boolean).join('\n'), String(quantity)],
    })),
    totals: [],
    sections: [],
    notes: [],
    signatures: [{ role: t('Supplier'), name: own.signatory }],
  }
}
