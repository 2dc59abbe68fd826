import { type AnyRule, allows, anyOf, has, isDealer } from '../../core/access.ts'
import { unitNames } from '../../core/labels.ts'
import { seesPrices } from '../../core/prices.ts'
import { pricedUnit, type UnitPrice } from '../../core/pricing.ts'
import { type ChangedFields, categories, createRecord, findSettings, products, updateRecord } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { type FormInput, parseId } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { formatCalendarDate, today } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { whenAsked } from '../../records/form/choices.ts'
import type { CreateValues, EditValues, Entry, FormState } from '../../records/form/form.ts'
import { type Card, type CardFrame, cardPart, type Fact, type FormTab, type RecordState } from '../../records/kind/card.ts'
import { nameChoices } from '../../records/list/record-filters.ts'
import { productAccess } from './access.ts'
import { basisNames, productForm } from './form.ts'
import { afterDiscount, findBuyer, unitPrices } from './own-price.ts'
import { describeOrigin } from './price-origin.ts'
import { currentPrices, findProduct, type Product, priceOn, pricesOf, productLabel, savePrices } from './product.ts'

const productPanel = template<CardFrame & FormTab & { needsCategory: AnyRule | undefined }>('products/card.njk')

/** Every product is in a category: without one the form of a new product could not be sent. */
export const productCard: Card<Product, typeof productForm> = {
  list: 'products',
  path: '/products',
  form: productForm,
  may: productAccess,
  find: findProduct,
  titleOf: productLabel,
  head: {
    state: describeSale,
    facts: viewOfPrice,
    menu: ({ actor, t }, { id }) =>
      isDealer(actor) && seesPrices(actor)
        ? [{ label: t('Offer for the customer'), icon: 'file-text', href: `/products/${id}/customer-offer` }]
        : [],
  },
  panel: cardPart(productPanel, ({ server }: Context, product?: object, _state?: FormState, entry?: Entry) => ({
    needsCategory: !product && !entry && nameChoices(server.db, categories).length === 0 ? anyOf(has('category_can_edit')) : undefined,
  })),
  formState: productFormState,
  creation: {
    title: 'New product',
    done: 'Product {name} added',
    again: ({ category_id, unit, basis }) => ({ ...(category_id && { category: String(category_id) }), unit, basis }),
    create: createProduct,
  },
  save: saveProduct,
}

function describeSale(context: Context, product: Product): RecordState {
  const { t } = context
  if (!product.active) return { state: 'off', text: t('Not for sale') }
  if (seesPrices(context.actor) && priceToday(context, product) === null) return { state: 'lacking', text: t('No price') }
  return { state: 'on', text: t('For sale') }
}

/** Whoever may order a product begins with it. */
export function offerOrder(context: Context, product: Product): CardFrame['purpose'] {
  const { server, actor, t } = context
  const mayOrder = server.records.get('orders')?.card?.may.add
  if (!mayOrder || !allows(mayOrder, actor) || !findSettings(server.db).catalog) return undefined
  const buys = !isDealer(actor) || actor.company_id !== null
  if (!buys || !product.active || priceToday(context, product) === null) return undefined
  return { label: t('Order this product'), icon: 'shopping-cart', href: `/orders/add?product=${product.id}`, quiet: !isDealer(actor) }
}

/** What the list says or, for dealers, what their company pays. */
function priceToday({ server: { db }, actor }: Context, product: Product): number | null {
  if (!isDealer(actor)) return priceOn(pricesOf(db, product.id), today())
  const price = unitPrices(db, findBuyer(db, actor.company_id, today()), [product]).get(product.id)
  return price ? afterDiscount(price) : null
}

function viewOfPrice(context: Context, product: Product): Fact[] {
  if (!seesPrices(context.actor)) return []
  return isDealer(context.actor) ? ownPrice(context, product) : listPrice(context, product)
}

function ownPrice({ server: { db }, actor, t }: Context, product: Product): Fact[] {
  const price = unitPrices(db, findBuyer(db, actor.company_id, today()), [product]).get(product.id)
  if (!price) return [{ label: 'Your price', text: t('no price yet') }]
  return [priceFact(t, 'Your price', afterDiscount(price), product), { label: 'Price source', text: sourceOf(price) }]

  /** Of a price without a discount there is no amount but itself. */
  function sourceOf(found: UnitPrice): string {
    if (found.discount) return describeOrigin(t, db, found, product)
    return t(found.origin === 'contract' ? 'Contract price' : 'Price list')
  }
}

function listPrice({ server: { db }, t }: Context, product: Product): Fact[] {
  const prices = pricesOf(db, product.id)
  const { current, next } = currentPrices(prices, today())
  return [
    current ? priceFact(t, 'Price today', current.price, product) : { label: 'Price today', text: t('no price yet') },
    ...(next ? [priceFact(t, t('From {date}', { date: formatCalendarDate(next.from) }), next.price, product)] : []),
  ]
}

function priceFact(t: Translate, label: string, kopecks: number, { basis, unit }: Product): Fact {
  if (basis === 'each') return { label, amount: { kopecks } }
  return { label, text: t('{price} per {unit}', { price: t.money(kopecks), unit: t(unitNames[pricedUnit(basis, unit)]) }) }
}

function createProduct({ server: { db }, author }: Context, { prices = [], ...values }: CreateValues<typeof productForm>): number {
  refuseProblems(rangeProblems(values))
  const addRows = (id: number): ChangedFields => (prices.length > 0 ? { prices: savePrices(db, id, prices) } : {})
  return createRecord(db, products, values, productLabel(values), author, addRows)
}

function saveProduct({ server: { db }, author }: Context, product: Product, input: EditValues<typeof productForm>): void {
  const { prices, ...values } = input
  const after = { ...product, ...values }
  refuseProblems(rangeProblems(after))
  const rows: ChangedFields = prices ? { prices: savePrices(db, product.id, prices) } : {}
  updateRecord(db, products, product, values, productLabel(after), author, rows)
}

function productFormState({ server: { db } }: Context, product: Product | undefined, { query }: FormInput): FormState {
  const choices = whenAsked({ category_id: () => nameChoices(db, categories) })
  const findProblems = ({ values }: Entry) => rangeProblems({ ...product, ...values })
  if (!product) {
    const named = (name: string, values: object) => (Object.hasOwn(values, query.get(name) ?? '') ? query.get(name) : undefined)
    const rows = { prices: { initial: { from: today() } } }
    const stored = {
      category_id: parseId(query.get('category')) ?? null,
      unit: named('unit', unitNames) ?? 'pcs',
      basis: named('basis', basisNames) ?? 'each',
    }
    return { mode: 'create', stored: { ...stored, active: true }, choices, rows, findProblems }
  }
  const prices = pricesOf(db, product.id)
  const from = prices.some((price) => price.from === today()) ? null : today()
  return {
    mode: 'edit',
    stored: { ...product, prices },
    choices,
    rows: { prices: { initial: { from } } },
    findProblems,
    hints: priceChanges(prices),
  }
}

/** By how much each price differs from the one before it. */
function priceChanges(prices: readonly { price: number }[]): FormState['hints'] {
  const changes = prices.map(({ price }, at) => {
    const before = prices[at - 1]?.price
    const percent = before ? Math.round((price / before - 1) * 1000) / 10 : 0
    const text = percent > 0 ? '+{percent}% to the previous price' : '−{percent}% to the previous price'
    return [`prices.${at}.price`, { text, params: { percent: Math.abs(percent) } }] as const
  })
  return Object.fromEntries(changes.filter(([, { params }]) => params.percent > 0))
}

type Ranges = Partial<Record<'width_min' | 'width_max' | 'height_min' | 'height_max', number | null>>

/** A largest size below the smallest one. */
function rangeProblems({ width_min, width_max, height_min, height_max }: Ranges): Record<string, Problem> {
  const message = 'Smaller than the smallest one.'
  return {
    ...(isBelow(width_max, width_min) && { width_max: { message } }),
    ...(isBelow(height_max, height_min) && { height_max: { message } }),
  }
}

function isBelow(most: number | null | undefined, least: number | null | undefined): boolean {
  return most != null && least != null && most < least
}

function refuseProblems(problems: Record<string, Problem>): void {
  if (Object.keys(problems).length > 0) throw new ValidationFailed(problems)
}
