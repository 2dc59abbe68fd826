import { eq, sql } from 'drizzle-orm'
import { allOf, anyOf, has, ignoringScope, isDealer, type Ownership, type Rule } from '../../core/access.ts'
import { ofPrices } from '../../core/prices.ts'
import { products } from '../../database/index.ts'

interface ProductFacts {
  active: boolean
}

const onSale: Ownership<ProductFacts> = {
  description: 'active products, for dealers',
  predicate: (actor, product) => !isDealer(actor) || product.active,
  where: (actor) => (isDealer(actor) ? eq(products.active, true) : sql`1`),
}

const list = anyOf<ProductFacts>(has('product_can_view', onSale))
const edit = allOf<ProductFacts>(ignoringScope(list), anyOf<ProductFacts>(has('product_can_edit')))

export const productAccess = {
  list,
  view: list,
  add: anyOf<ProductFacts>(has('product_can_edit')),
  edit,
  price: allOf<ProductFacts>(edit, anyOf<ProductFacts>(has(ofPrices.needs))),
  switch: edit,
  delete: edit,
} satisfies Record<string, Rule<ProductFacts>>
