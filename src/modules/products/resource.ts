import { type Actor, isDealer } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import { products } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { isoTime, jsonOfFields } from '../../records/api/fields-json.ts'
import { integer, kopecks, moment, orNull } from '../../records/fields/json-schema.ts'
import { unseenFields } from '../../records/form/form.ts'
import type { Resource } from '../../records/kind/resource.ts'
import { productAccess } from './access.ts'
import { productCard } from './card.ts'
import { productForm } from './form.ts'
import { dealerProductList, type ProductRow, pricedRows, productList } from './list.ts'
import { findProduct, type Product, pricesOf } from './product.ts'

/** Dealers see what their company pays today, others the price of today. */
function jsonOfProduct({ actor }: Context, product: ProductRow) {
  const { id, version, created_at, updated_at, price = null, own_price = null } = product
  return {
    ...{ id, version, ...jsonOfFields(productForm, product, [...unseenOf(actor), 'prices']) },
    ...(seesPrices(actor) && (isDealer(actor) ? { own_price } : { price })),
    ...{ created_at: isoTime(created_at), updated_at: isoTime(updated_at) },
  }
}

function jsonOfWholeProduct(context: Context, { id }: Product) {
  const [row] = pricedRows(context, [id])
  const prices = pricesOf(context.server.db, id)
  return { ...(row && jsonOfProduct(context, row)), ...jsonOfFields(productForm, { prices }, unseenOf(context.actor)) }
}

export const productResource: Resource<Product, ProductRow> = {
  name: 'products',
  schema: 'Product',
  table: products,
  find: findProduct,
  may: productAccess,
  list: (context) => (isDealer(context.actor) ? dealerProductList : productList)(context.server.db),
  rows: pricedRows,
  rowJson: jsonOfProduct,
  json: jsonOfWholeProduct,
  card: productCard,
  fields: {
    ...{ id: integer, version: integer, price: orNull(kopecks), own_price: orNull(kopecks), created_at: moment, updated_at: moment },
  },
}

const unseenOf = (actor: Actor): string[] => unseenFields(Object.entries(productForm.fields), actor)
