import { lackingFor } from '../../../core/credit.ts'
import type { DocumentKind } from '../../../core/documents.ts'
import { documentKindLabels } from '../../../core/labels.ts'
import { paymentQr } from '../../../core/payment-qr.ts'
import { sumAmounts } from '../../../core/pricing.ts'
import { findSettings } from '../../../database/index.ts'
import type { Column, Document, Party, Property, Row, Total } from '../../../documents/document.ts'
import type { Context } from '../../../http/request/context.ts'
import { logoFile } from '../../../http/uploads/logo-file.ts'
import { amountInWords } from '../../../i18n/amount-in-words.ts'
import { formatCalendarDate } from '../../../i18n/format.ts'
import { type Company, findCompany } from '../../companies/company.ts'
import { companyForm } from '../../companies/form.ts'
import type { Order } from '../order.ts'
import { type ShownLine, type ShownLines, viewOfLines } from '../page/lines.ts'

interface Given {
  number: string
  /** YYYY-MM-DD */
  day: string
}

type Untitled = Omit<Document, 'title'>

type Build = (context: Context, order: Order, given: Given) => Document

/** What is to be paid for an order: what it still lacks. */
export const invoiceOf: Build = (context, order, given) => {
  const { t, language, server } = context
  const own = findSettings(server.db)
  const { totals, ...document } = issued(pricedOf(context, order), 'invoice', context, given)
  const lacking = lackingOf(order)
  const purpose = t('Payment of invoice {number}, {day}', { number: given.number, day: formatCalendarDate(given.day) })
  return {
    ...document,
    bank: propertiesOf(context, own, ['bank', 'bik', 'cs', 'rs', 'inn', 'kpp']),
    qr: inRubles(context) ? paymentQr(own, { kopecks: lacking, purpose }) : undefined,
    totals: [...totals, { label: t('To pay'), value: t.money(lacking), strong: true }],
    words: inRubles(context) ? amountInWords(lacking, language) : undefined,
    signatures: [{ role: t('Director'), name: own.signatory }, { role: t('Accountant') }],
    stamp: t('Place for stamp'),
  }
}

/** In kopecks. */
export const lackingOf = ({ cost, account }: Order): number => lackingFor(100, cost, account.paid)

export const specificationOf: Build = (context, order, given) => {
  const { t } = context
  const contract = companyOf(context, order)?.contract_number
  return {
    ...issued(pricedOf(context, order), 'specification', context, given),
    subject: contract ? t('To contract {number}', { number: contract }) : undefined,
    words: costInWords(context, order),
    stamp: t('Place for stamp'),
  }
}

export const offerOf: Build = (context, order, given) => ({
  ...issued(pricedOf(context, order), 'offer', context, given),
  words: costInWords(context, order),
})

export const deliveryNoteOf: Build = (context, order, given) => ({
  ...issued(documentOf(context, order), 'delivery_note', context, given),
  notice: context.t('This is not a primary accounting document.'),
})

function issued(document: Untitled, kind: DocumentKind, { t }: Context, { number, day }: Given): Document {
  const title = t('{document} No. {number}, {day}', { document: t(documentKindLabels[kind]), number, day: formatCalendarDate(day) })
  return { ...document, title }
}

/** With prices, as far as the reader sees them. */
export function pricedOf(context: Context, order: Order, shown = viewOfLines(context, order)): Untitled {
  const { t } = context
  const document = documentOf(context, order, shown)
  const { lines, amounts } = shown
  const prices = ['Price', 'Discount', 'Amount'].map((label): Column => ({ label: t(label), kind: 'number' }))
  if (!amounts) return document
  const rows = document.rows.map(({ cells }, at): Row => ({ cells: [...cells, ...pricesOf(context, lines[at])] }))
  return { ...document, columns: [...document.columns, ...prices], rows, totals: [...totalsOf(context, amounts), ...vatOf(context, lines)] }
}

/** As written on the line: the price of a product has its discount in it already. */
function pricesOf({ t }: Context, { price, discount, included, sum }: Partial<ShownLine> = {}): string[] {
  const percent = included ? t('{percent}% in the price', { percent: included }) : t('{percent}%', { percent: discount ?? 0 })
  return [t.money(price ?? 0), included || discount ? percent : '—', t.money(sum ?? 0)]
}

function totalsOf({ t }: Context, amounts: NonNullable<ShownLines['amounts']>): Total[] {
  const { subtotal, discount, total } = amounts
  const before = [
    { label: t('Subtotal'), value: t.money(subtotal) },
    { label: t('Discount'), value: `−${t.money(discount)}` },
  ]
  return [...(discount ? before : []), { label: t('Total'), value: t.money(total), strong: true }]
}

/** For each rate that lines were written with; where nothing is said of VAT, none. */
function vatOf({ t }: Context, lines: ShownLine[]): Total[] {
  const rates = new Set(lines.flatMap(({ vatName }) => vatName ?? []))
  return [...rates].map((rate) => {
    const taxed = lines.filter(({ vatName, vat }) => vatName === rate && vat !== undefined)
    if (taxed.length === 0) return { label: rate, value: '—' }
    return { label: t('Including {rate}', { rate }), value: t.money(sumAmounts(taxed.map(({ vat = 0 }) => vat))) }
  })
}

/** What every document of an order says. */
function documentOf(context: Context, order: Order, { lines } = viewOfLines(context, order)): Untitled {
  const { server, t, language } = context
  const own = findSettings(server.db)
  const company = companyOf(context, order)
  const supplier = { role: t('Supplier'), name: own.legal_name ?? own.name, details: detailsOf(context, own) }
  const customer: Party = { role: t('Customer company'), name: company?.org, details: detailsOf(context, company ?? {}) }
  return {
    language,
    subject: t('Order {number}', { number: order.id }),
    logo: logoFile(server),
    parties: [supplier, customer],
    columns: [{ label: '№' }, { label: t('Product') }, { label: t('Quantity'), kind: 'number' }],
    rows: lines.map((line, at) => ({ cells: [String(at + 1), describeLine(line), String(line.quantity)] })),
    totals: [],
    signatures: [
      { role: supplier.role, name: own.signatory },
      { role: customer.role, name: company?.director_name_short ?? company?.director_name_full },
    ],
  }
}

const companyOf = ({ server }: Context, order: Order): Company | undefined => findCompany(server.db, order.owner_company_id ?? 0)

/** Name and size on the first line, what is to be made of it on those below. */
export function describeLine({ article, name, size, remark, files }: ShownLine): string {
  const product = [article, name, size].filter(Boolean).join(', ')
  return [product, remark, ...files.map((file) => file.name)].filter(Boolean).join('\n')
}

/** All that is known of an organization. */
export const organizationDetails = [
  'inn',
  'kpp',
  'ogrn',
  'legal_address',
  'bank',
  'bik',
  'rs',
  'cs',
  'phone',
  'email',
  'contract_number',
] as const
type Details = (typeof organizationDetails)[number]
type Organization = Partial<Record<Details, string | null>>

const detailsOf = (context: Context, organization: Organization) =>
  propertiesOf(context, organization, ['inn', 'kpp', 'ogrn', 'legal_address'])

export function propertiesOf({ t }: Context, organization: Organization, names: readonly Details[]): Property[] {
  return names.flatMap((name) => {
    const value = organization[name]
    return value ? [{ label: t(companyForm.fields[name].label), value }] : []
  })
}

const costInWords = (context: Context, { cost }: Order) => (inRubles(context) ? amountInWords(cost, context.language) : undefined)

/** Another currency has other names for its coins, and no code that banks read. */
const inRubles = ({ server }: Context) => findSettings(server.db).currency_symbol === null
