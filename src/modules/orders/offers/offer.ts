import type { FastifyInstance } from 'fastify'
import { allows, authorizer } from '../../../core/access.ts'
import { addDays } from '../../../core/days.ts'
import { AmountTooLarge, lineAmount, lineCost, retailPrice, sumAmounts } from '../../../core/pricing.ts'
import type { Column, Document, Row } from '../../../documents/document.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { findPicture, storedPath } from '../../../http/uploads/folder.ts'
import { formatCalendarDate, today } from '../../../i18n/format.ts'
import { findCompany } from '../../companies/company.ts'
import { termsAccess } from '../../offers/access.ts'
import { findTerms, markupsOf, type OfferTerms } from '../../offers/terms.ts'
import { productAccess } from '../../products/access.ts'
import { findProducts } from '../../products/product.ts'
import { findSelf } from '../../users/user.ts'
import { describeSize } from '../page/lines.ts'
import type { Item } from '../pricing/lines.ts'

/** What an offer is made of. */
export interface Subject {
  items: readonly Item[]
  /** What is wrong with lines that are not among the items. */
  problems: string[]
  /** The order that it is of. */
  number?: number
}

export interface Missing {
  label: string
  href?: string
}

/** What dealers show to their customers, or what is missing for it. Pictures are keys: a page has addresses, a file pictures themselves. */
export type Offer = { missing: Missing[] } | Made

interface Made {
  missing?: undefined
  document: Document
  logo: string | null
  pictures: (string | null)[]
}

/** The offer of the company of a dealer. */
export function customerOffer(context: Context, subject: Subject): Offer {
  const { server, actor } = context
  const terms = findTerms(server.db, actor.company_id ?? 0)
  const missing = missingFor(context, terms, subject)
  if (!terms || missing.length > 0) return { missing }
  try {
    const lines = linesOf(context, subject.items, terms)
    return { document: documentOf(context, terms, lines, subject.number), logo: terms.logo, pictures: lines.map(({ picture }) => picture) }
  } catch (error) {
    if (error instanceof AmountTooLarge) return { missing: [{ label: context.t('The amount is too large.') }] }
    throw error
  }
}

function missingFor(context: Context, terms: OfferTerms | undefined, { items, problems }: Subject): Missing[] {
  const { server, actor, t } = context
  const mayEdit = allows(termsAccess.own, actor, findSelf(context))
  return [
    ...(terms ? [] : [{ label: t('Set the markup first.'), ...(mayEdit && { href: url(server, '/profile?tab=offer') }) }]),
    ...(items.length + problems.length === 0 ? [{ label: t('No lines yet.') }] : []),
    ...(items.some(({ price }) => price === null) ? [{ label: t('Some lines have no price yet.') }] : []),
    ...problems.map((label) => ({ label })),
  ]
}

function documentOf(context: Context, terms: OfferTerms, lines: readonly OfferLine[], number: number | undefined): Document {
  const { server, language, t } = context
  const { phone, text } = terms
  const day = formatCalendarDate(today())
  const amounts = ['Quantity', 'Price', 'Amount'].map((label): Column => ({ label: t(label), kind: 'number' }))
  const total = t.money(sumAmounts(lines.map(({ amount }) => amount)))
  return {
    language,
    title: number === undefined ? t('Offer, {day}', { day }) : t('Offer No. {number}, {day}', { number, day }),
    subject: t('Valid until {day}', { day: formatCalendarDate(addDays(today(), terms.valid_days)) }),
    parties: [
      {
        role: t('Seller'),
        name: terms.name ?? findCompany(server.db, terms.company_id)?.org,
        details: phone ? [{ label: t('Phone'), value: phone }] : [],
      },
    ],
    columns: [{ label: '№' }, { label: t('Product') }, ...amounts],
    rows: lines.map((line, at) => rowOf(context, line, at)),
    totals: [{ label: t('Total'), value: total, strong: true }],
    note: text ?? undefined,
    signatures: [],
  }
}

function rowOf({ t }: Context, { name, size, remark, quantity, price, amount }: OfferLine, at: number): Row {
  const product = [name, size].filter(Boolean).join(', ')
  return { cells: [String(at + 1), remark ? `${product}\n${remark}` : product, String(quantity), t.money(price), t.money(amount)] }
}

/** With the files of its pictures, of which those of products are taken as lists show them. */
export function withFiles({ config }: FastifyInstance, { document, logo, pictures }: Made): Document {
  const { dataDir } = config
  const rows = document.rows.map((row, at) => ({ ...row, picture: findPicture(dataDir, 'gallery', pictures[at] ?? '', '480') }))
  return { ...document, rows, logo: logo ? storedPath(dataDir, logo) : undefined }
}

/** A line as a customer sees it: what it costs the company is nowhere in it. */
interface OfferLine {
  name: string
  size: string
  remark: string | null
  quantity: number
  price: number
  amount: number
  /** The key of a picture of the product, if this person may see that. */
  picture: string | null
}

/**
 * Lines that have their price, at that of the company with its markup.
 * @throws AmountTooLarge when a number does not hold one exactly
 */
function linesOf({ server: { db }, actor, t }: Context, items: readonly Item[], terms: OfferTerms): OfferLine[] {
  const markups = new Map(markupsOf(db, terms.company_id).map(({ category_id, markup }) => [category_id, markup]))
  const products = findProducts(
    db,
    items.flatMap(({ product_id }) => product_id ?? []),
  )
  const sees = authorizer(productAccess.view, actor)
  return items.map((item) => {
    const { name, quantity, remark = null, category_id, product_id } = item
    const markup = markups.get(category_id ?? 0) ?? terms.markup
    const product = products.get(product_id ?? 0)
    const picture = product && sees(product) ? product.image : null
    return { name, size: describeSize(t, item), remark, quantity, ...priceOf(item, markup, terms), picture }
  })
}

function priceOf(item: Item, markup: number, { round_to }: OfferTerms): Pick<OfferLine, 'price' | 'amount'> {
  const price = retailPrice(lineCost({ ...item, quantity: 1 }), markup, round_to)
  return { price, amount: lineAmount(price, item.quantity) }
}
