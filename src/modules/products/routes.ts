import { type SQL, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, isDealer } from '../../core/access.ts'
import { categories, products } from '../../database/index.ts'
import { updateRecord } from '../../database/records.ts'
import { action } from '../../http/action.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { editPage } from '../../records/card/show.ts'
import type { Card } from '../../records/kind/card.ts'
import { exportDescribed } from '../../records/list/export.ts'
import type { List } from '../../records/list/list.ts'
import { showList } from '../../records/list/show.ts'
import { type SwitchCell, switchRow } from '../../records/list/toggle.ts'
import { addRecord } from '../../records/record.ts'
import { productAccess } from './access.ts'
import { productPricesChange } from './bulk-prices.ts'
import { productCard } from './card.ts'
import { sheet as dealerSheet } from './dealer-sheet.ts'
import { productImports } from './imports.ts'
import { dealerProductList, type ProductRow, productDeletion, productList } from './list.ts'
import { showPicture } from './picture.ts'
import { findProduct, type Product, productLabel } from './product.ts'
import { productResource } from './resource.ts'
import { sheet as staffSheet } from './staff-sheet.ts'

const switchCell = template<SwitchCell>('components/switch-cell.njk')

/** @param overview what orders and companies, which lie above, say of products besides */
export function productRoutes(app: FastifyInstance, overview: Required<Card<Product>>['overview']): void {
  const card = { ...productCard, overview }
  const list = productList(app.db)
  const dealerList = dealerProductList(app.db)
  const menu = { icon: 'package', section: 'Sales', letter: 'p', says: ['price list, catalog, goods'] } as const
  addRecord(
    app,
    {
      list,
      card,
      deletion: productDeletion,
      search: { texts: searchTexts, labels: { name: 'Name', article: 'Article', category: 'Category' } },
      imports: productImports,
      api: productResource,
      menu,
    },
    { showList: showProducts(list, dealerList), exportList: exportProducts(list, dealerList), show: showCard },
  )
  app.post(
    '/products/:id/active',
    action({ access: productAccess.switch, record: findProduct }, switchRow(list, 'active', switchCell, saveActive)),
  )
  app.get('/products/images/:key', { access: productAccess.list, answers: 'file', compress: false }, showPicture)
  productPricesChange(app, list)

  /** Whoever may not change a product reads it. */
  function showCard(request: FastifyRequest, reply: FastifyReply, product: Product): FastifyReply {
    return editPage(request, reply, card, product, allows(productAccess.edit, request.actor, product) ? {} : { usual: 'overview' })
  }
}

function showProducts(list: List<ProductRow>, dealerList: List<ProductRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => showList(isDealer(request.actor) ? dealerList : list)(request, reply)
}

function exportProducts(list: List<ProductRow>, dealerList: List<ProductRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { company_id } = request.actor
    const serve = isDealer(request.actor)
      ? exportDescribed(dealerList, dealerSheet, company_id)
      : exportDescribed(list, staffSheet, undefined)
    return serve(request, reply)
  }
}

function saveActive({ server, author }: Context, product: Product, active: boolean): void {
  updateRecord(server.db, products, product, { active }, productLabel(product), author)
}

function searchTexts(ids: SQL): SQL {
  return sql`select ${products.id}, ${products.name}, ${products.article}, ${categories.name} from ${products}
    left join ${categories} on ${categories.id} = ${products.category_id} where ${products.id} in ${ids}`
}
