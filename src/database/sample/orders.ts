import { eq } from 'drizzle-orm'
import { discountOf, orderCost, piecePrice, type Size } from '../../core/pricing.ts'
import type { Database } from '../open.ts'
import { categories, categoryCompany, companies, orderItems, orders, products, statuses, users } from '../schema/index.ts'
import { dateOf, day, daysAgo, insertAll, minute, now, readTable, type SampleFiles } from './content.ts'
import { addHistories, type Dealer, makeHistoryWriter, type Step } from './order-history.ts'

/** A row of the orders: the dealer by email, the steps as `status who days-ago`, or minutes ago for those just placed. */
type OrderRow = Record<'dealer' | 'steps' | 'delivery' | 'deferred_payment' | 'receiver' | 'phone' | 'address', string> &
  Record<'payment' | 'sn' | 'comment', string | null>

type ItemRow = Record<'order' | 'category' | 'name' | 'quantity' | 'price', string> & Record<keyof Size, string | null>

export function addOrders(db: Database, files: SampleFiles): void {
  const dealers = new Map(dealersOf(db).map((dealer) => [dealer.email, dealer]))
  const items = Map.groupBy(readTable<ItemRow>('order-items'), ({ order }) => Number(order))
  const writeHistory = makeHistoryWriter(db, files)
  const place = makeOrderPlacer(db, files)
  const placed = readTable<OrderRow>('orders').map((row, index) => {
    const dealer = dealers.get(row.dealer) as Dealer
    const steps = row.steps.split('; ').map(readStep)
    const { order, lines } = place(dealer, row, steps, items.get(index + 1) ?? [])
    return { lines, history: writeHistory(order, steps, dealer) }
  })
  insertAll(
    db,
    orderItems,
    placed.flatMap(({ lines }) => lines),
  )
  addHistories(
    db,
    placed.map(({ history }) => history),
  )
}

function dealersOf(db: Database): Dealer[] {
  const rows = db.select().from(users).innerJoin(companies, eq(companies.id, users.company_id)).all()
  return rows.map(({ users: dealer, companies: company }) => ({ ...dealer, company }))
}

function readStep(text: string): Step {
  const [status_key, by, ago] = text.split(' ') as [string, Step['by'], string]
  return { status_key, by, at: ago.endsWith('min') ? now - Number.parseInt(ago, 10) * minute : daysAgo(Number(ago)) }
}

function makeOrderPlacer(db: Database, files: SampleFiles) {
  const statusIds = new Map<string, number>()
  for (const { status_key, id } of db.select().from(statuses).all()) statusIds.set(status_key, id)
  const offered = db.select().from(categories).all()
  const discounts = db.select().from(categoryCompany).all()
  const sold = new Map(
    db
      .select()
      .from(products)
      .all()
      .map((product) => [product.name, product]),
  )
  const numbers = new Map<number, number>()
  return ({ id: dealer_id, company }: Dealer, row: OrderRow, steps: Step[], items: ItemRow[]) => {
    const { dealer, steps: _, deferred_payment, ...columns } = row
    const [first, last] = [steps[0], steps.at(-1)] as [Step, Step]
    const specification_number = (numbers.get(company.id) ?? company.specification_start_number ?? 0) + 1
    numbers.set(company.id, specification_number)
    const own = discounts.filter(({ company_id }) => company_id === company.id)
    const lines = items.map(({ category, name, quantity, price, ...size }) => {
      const category_id = offered.find((one) => one.name === category)?.id ?? null
      const discount = discountOf(category_id, own, company.discount)
      const line = { category_id, name, quantity: Number(quantity), price: Number(price), discount, vat: '22' as const }
      const product = sold.get(name)
      if (!product) return line
      const [width, height] = [millimeters(size.width), millimeters(size.height)]
      const byCategory = own.some((row) => row.category_id === category_id)
      return {
        ...line,
        product_id: product.id,
        article: product.article,
        unit: product.unit,
        basis: product.basis,
        width,
        height,
        piece_price: piecePrice(line, product, { width, height }),
        price_origin: byCategory ? ('category' as const) : discount > 0 ? ('base' as const) : ('list' as const),
        priced_on: dateOf(first.at),
      }
    })
    const order = {
      ...columns,
      ...reachedFields(steps, files),
      version: steps.length,
      status_id: statusIds.get(last.status_key),
      dealer_id,
      company_id: company.id,
      specification_number,
      cost: orderCost(lines),
      deferred_payment: deferred_payment === '1',
      created_at: first.at,
      updated_at: last.at,
    }
    const id = Number(db.insert(orders).values(order).run().lastInsertRowid)
    db.update(companies).set({ last_specification_number: specification_number }).where(eq(companies.id, company.id)).run()
    return { order: { id, ...order }, lines: lines.map((line) => ({ order_id: id, ...line })) }
  }
}

const millimeters = (text: string | null) => (text === null ? null : Number(text))

/** The documents and dates of an order that has come so far. */
function reachedFields(steps: Step[], { documents }: SampleFiles) {
  const reached = new Map(steps.map(({ status_key, at }) => [status_key, at]))
  const made = reached.get('production')
  const sent = reached.get('delivery') ?? reached.get('pickup')
  const paid = reached.get('paid')
  const billed = reached.has('payment')
  return {
    specification: (billed && documents.specification?.key) || null,
    invoice: (billed && documents.invoice?.key) || null,
    payment_order: (paid && documents.payment_order?.key) || null,
    date_payment: paid ? dateOf(paid) : null,
    date_make: made ? dateOf(made + 7 * day) : null,
    date_delivery: sent ? dateOf(sent + 2 * day) : null,
  }
}
