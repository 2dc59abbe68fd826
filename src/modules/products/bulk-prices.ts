import type { FastifyReply, FastifyRequest } from 'fastify'
import { lineLimits } from '../../core/order-cost.ts'
import { changedPrice, type PriceChange } from '../../core/price-change.ts'
import { productPrices, touch } from '../../database/index.ts'
import { products } from '../../database/schema/index.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import type { Acting } from '../../web/acting.ts'
import { date, decimal, type Entry, type FormPage, form } from '../../web/form/form.ts'
import { readForm } from '../../web/form/read.ts'
import { readSubmittedForm } from '../../web/form/submit.ts'
import { presentForm } from '../../web/form/view.ts'
import { bodyOf, HttpError, notFound, page, queryOf, url } from '../../web/http.ts'
import { type BulkResult, changeEach, sendBulkReport } from '../../web/list/bulk-change.ts'
import { hasChanged, selectedRecords, selectionFields } from '../../web/list/selection.ts'
import { type List, readState, stateQuery } from '../../web/list/state.ts'
import { findSubmission, oneAtATimePerSubmission } from '../../web/submissions/idempotency.ts'
import { formatMoney, today } from '../../web/view/format.ts'
import { may } from './access.ts'
import type { ProductRow } from './list.ts'
import { findProduct, type PriceRow, type Product, priceOn, pricesOf, productLabel, savePrices } from './product.ts'

/** Each product takes a transaction of its own, while the user waits. */
const limit = 5000

const changeForm = form(
  productPrices,
  [
    {
      title: 'Change',
      fields: {
        percent: decimal('Change, %', { least: -10_000, most: 100_000, hint: 'Such as 5 or -3,5' }),
        amount: decimal('Change by amount', { least: -lineLimits.price, most: lineLimits.price, hint: 'Such as 100 or -50' }),
        from: date('Valid from', { required: true }),
      },
    },
  ],
  { extras: ['percent', 'amount'] },
)

const changePage = page<Awaited<ReturnType<typeof presentChange>>>('products/bulk-prices.njk')

export function showPriceChange(list: List<ProductRow>) {
  return async (request: FastifyRequest, reply: FastifyReply) =>
    reply.page(changePage, await presentChange(request, list, queryOf(request)))
}

export function performPriceChange(list: List<ProductRow>) {
  const perform = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf(request)
    const again = async (status: number, rejection: Rejection) =>
      reply.code(status).page(changePage, await presentChange(request, list, body, rejection))
    const done = findSubmission(request, body)?.report
    if (done) return renderReport(request, reply, list, done)
    const selected = await selectedProducts(request, list, body)
    const entry = readForm(changeForm, formPage(), readSubmittedForm(request))
    const ids = selected.map(({ id }) => id)
    if (hasChanged(body, ids)) return again(409, { entry, notice: 'The list has changed. Review it and try again.' })
    if (Object.keys(entry.errors).length > 0) return again(422, { entry })
    const change = readChange(entry)
    if (!change) return again(422, { entry, notice: 'Enter either a percentage or an amount.' })
    if (body.has('_preview')) return again(200, { entry, change })
    const results = await changeEach(request, body, selected, productLabel, (id) => changeProduct(request, id, change))
    return renderReport(request, reply, list, results)
  }
  return (request: FastifyRequest, reply: FastifyReply) => oneAtATimePerSubmission(request, () => perform(request, reply))
}

type DatedChange = PriceChange & { from: string }

interface Rejection {
  entry?: Entry
  change?: DatedChange
  notice?: string
}

function readChange({ values: { percent, amount, from } }: Entry): DatedChange | undefined {
  const given = [percent, amount].filter((value) => typeof value === 'number')
  if (given.length !== 1) return undefined
  return { by: typeof percent === 'number' ? 'percent' : 'amount', hundredths: given[0] as number, from: from as string }
}

const formPage = (): FormPage => ({ mode: 'create', present: { from: today() }, choices: {} })

const previewed = 50

async function presentChange(
  request: FastifyRequest,
  list: List<ProductRow>,
  source: URLSearchParams,
  { entry, change, notice }: Rejection = {},
) {
  const { t, server } = request
  const selected = await selectedProducts(request, list, source)
  const ids = selected.map(({ id }) => id)
  return {
    title: t('Change prices of {count} products', { count: selected.length }),
    names: selected.slice(0, 10).map(productLabel),
    more: selected.length - 10,
    action: url(server, '/products/prices'),
    back: listAddress(request, list, source),
    fields: selectionFields(request, list, source, ids),
    form: presentForm(changeForm, formPage(), t, entry),
    notice: notice && t(notice),
    preview: change && selected.slice(0, previewed).map((product) => presentPreview(request, product, change)),
    unseen: selected.length - previewed,
  }
}

function presentPreview({ server: { db }, t }: Acting, product: Product, change: DatedChange) {
  const before = priceOn(pricesOf(db, product.id), change.from)
  const after = before === null ? undefined : changedPrice(before, change)
  return {
    name: productLabel(product),
    before: before ?? undefined,
    after,
    reason: after === undefined ? t(...problemOf(before)) : undefined,
  }
}

function problemOf(before: number | null): [message: string, params?: Record<string, string>] {
  if (before === null) return ['It has no price by then.']
  return ['The new price would not be between 0 and {most}.', { most: formatMoney(lineLimits.price) }]
}

function selectedProducts(acting: Acting, list: List<ProductRow>, source: URLSearchParams): Promise<Product[]> {
  const tooMany = 'Up to {limit} products can be changed at once. Narrow the list.'
  return selectedRecords(acting, list, source, { find: findProduct, rule: may.edit, limit, tooMany })
}

function changeProduct({ server: { db }, actor, author }: Acting, id: number, change: DatedChange): void {
  const product = findProduct(db, id)
  if (!product) throw notFound()
  authorize(may.edit, actor, product)
  const prices = pricesOf(db, id)
  const before = priceOn(prices, change.from)
  const price = before === null ? undefined : changedPrice(before, change)
  if (price === undefined) {
    const [message, params] = problemOf(before)
    throw new HttpError(422, message, params)
  }
  const rows = savePrices(db, id, withPrice(prices, change.from, price))
  touch(db, products, product, productLabel(product), { prices: rows }, author)
}

function withPrice(prices: PriceRow[], from: string, price: number): PriceRow[] {
  const same = prices.find((row) => row.from === from)
  return [...prices.filter((row) => row !== same), { ...same, from, price }]
}

function listAddress({ server, actor }: Acting, list: List<ProductRow>, source: URLSearchParams): string {
  return url(server, `/products${stateQuery(list, readState(list, source, actor))}`)
}

function renderReport(request: FastifyRequest, reply: FastifyReply, list: List<ProductRow>, results: BulkResult[]) {
  const { t, server } = request
  return sendBulkReport(reply, results, {
    titleOf: (count) => t('Prices of {count} products changed', { count }),
    refusedOf: (count) => t('{count} products were not changed:', { count }),
    card: url(server, '/products/edit/'),
    back: listAddress(request, list, bodyOf(request)),
  })
}
