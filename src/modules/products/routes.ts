import { readFile } from 'node:fs/promises'
import { asc, eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { categories, prepareOnce, products } from '../../database/index.ts'
import { updateRecord } from '../../database/records.ts'
import { action } from '../../http/action.ts'
import type { Context } from '../../http/request/context.ts'
import { fileForbidden, notFound } from '../../http/request/errors.ts'
import { paramOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { findPicture } from '../../http/uploads/folder.ts'
import { today } from '../../i18n/format.ts'
import { attachmentsOfCard } from '../../records/attachments.ts'
import { cardRoutes } from '../../records/card/routes.ts'
import { readCell } from '../../records/import/columns.ts'
import type { ImportPart } from '../../records/kind/registry.ts'
import { exportDescribed } from '../../records/list/export.ts'
import type { List } from '../../records/list/list.ts'
import { showList } from '../../records/list/show.ts'
import { type SwitchCell, toggle } from '../../records/list/toggle.ts'
import { declareRecord } from '../../records/record.ts'
import { productAccess } from './access.ts'
import { productPricesChange } from './bulk-prices.ts'
import { productCard } from './card.ts'
import { sheet as dealerSheet } from './dealer-sheet.ts'
import { productForm } from './form.ts'
import { dealerProductList, type ProductRow, productDeletion, productList } from './list.ts'
import { findProduct, type Product, productLabel } from './product.ts'
import { productResource } from './resource.ts'
import { sheet as staffSheet } from './staff-sheet.ts'

const switchCell = template<SwitchCell>('components/switch-cell.njk')

export async function productRoutes(app: FastifyInstance): Promise<void> {
  const list = productList(app.db)
  const dealerList = dealerProductList(app.db)
  const menu = { icon: 'package', section: 'Sales', letter: 'p' } as const
  declareRecord(app, {
    list,
    card: productCard,
    deletion: productDeletion,
    search: { texts: searchTexts },
    imports: productImports,
    api: productResource,
    menu,
  })
  app.get('/products', { access: productAccess.list }, showProducts(list, dealerList))
  app.get('/products/export', { access: productAccess.list, answers: 'spreadsheet' }, exportProducts(list, dealerList))
  cardRoutes(app, productCard)
  app.post(
    '/products/:id/active',
    action({ access: productAccess.switch, record: findProduct }, toggle(list, 'active', switchCell, saveActive)),
  )
  app.get('/products/images/:key', { access: productAccess.list, answers: 'file', compress: false }, showPicture)
  productPricesChange(app, list)
}

function showProducts(list: List<ProductRow>, dealerList: List<ProductRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => showList(isDealer(request) ? dealerList : list)(request, reply)
}

function exportProducts(list: List<ProductRow>, dealerList: List<ProductRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { company_id } = request.actor
    const serve = isDealer(request) ? exportDescribed(dealerList, dealerSheet, company_id) : exportDescribed(list, staffSheet, undefined)
    return serve(request, reply)
  }
}

const isDealer = ({ actor }: Context) => actor.group_id === group.dealer

function saveActive({ server, author }: Context, product: Product, active: boolean): void {
  updateRecord(server.db, products, product, { active }, productLabel(product), author)
}

/** The picture of a product as lists show it, 480 pixels wide. */
async function showPicture(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { server, actor } = request
  const key = paramOf(request, 'key')
  const path = findPicture(server.config.dataDir, 'gallery', key, '480')
  if (!path) throw notFound()
  if (!attachmentsOfCard(server.db, productCard, key).some(({ mayRead }) => mayRead(actor))) throw fileForbidden()
  reply.type('image/webp').header('Cache-Control', 'private, max-age=3600')
  return reply.send(await readFile(path))
}

const basisOfUnit: Record<string, string> = { m2: 'area', m: 'length' }

const productImports: ImportPart = {
  keys: ['external_id', 'article'],
  unique: 'article',
  groups: 'category_id',
  adds: { category_id: 'categories' },
  missing: {
    label: 'Products missing from this file',
    choices: ['Leave for sale', 'Switch off'],
    values: { active: false },
    ids: (db) =>
      idsForSale(db)
        .all()
        .map(({ id }) => id),
  },
  splits: {
    price: {
      label: 'Price from a day',
      synonyms: [
        'Price',
        'Цена',
        'Стоимость',
        'Цена за ед.',
        'Цена за единицу',
        'Цена с НДС',
        'Цена без НДС',
        'Price excl. VAT',
        'Price incl. VAT',
        'Розничная цена',
        'Цена розничная',
        'List price',
        'Unit price',
      ],
      fields: ['prices'],
      rivals: /(^|[^\p{L}])(цен[аыу]|стоимост|розни|опт|price|retail|wholesale)/iu,
      split: (cell, { prices_from }) => [`${prices_from ?? today()}: ${cell}`],
    },
  },
  complete: completeBasis,
}

const idsForSale = prepareOnce((db) =>
  db.select({ id: products.id }).from(products).where(eq(products.active, true)).orderBy(asc(products.id)).prepare(),
)

/** What a price is for follows from the unit, unless the sheet says it. */
function completeBasis(texts: Map<string, string>): void {
  const { unit } = productForm.fields
  const cell = texts.get('unit')
  if (texts.has('basis') || !cell) return
  try {
    const basis = basisOfUnit[String(readCell(unit, cell))]
    if (basis) texts.set('basis', basis)
  } catch {
    // The row is refused for its unit.
  }
}

function searchTexts(ids: SQL): SQL {
  return sql`select ${products.id}, ${products.name}, ${products.article}, ${categories.name} from ${products}
    left join ${categories} on ${categories.id} = ${products.category_id} where ${products.id} in ${ids}`
}
