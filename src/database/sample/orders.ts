import { eq } from 'drizzle-orm'
import { discountOf } from '../../core/discount.ts'
import { fullName } from '../../core/text.ts'
import type { Database } from '../open.ts'
import { categories, categoryCompany, companies, orderItems, orders, statuses, users } from '../schema/index.ts'
import { dateOf, day, minute, now, today, workingMoment } from './calendar.ts'
import { readContent, type SampleFiles } from './content.ts'
import { anyAddress, mobile, russianName } from './names.ts'
import { type Dealer, makeHistoryWriter, type Step } from './order-history.ts'
import type { Random } from './random.ts'

const { stages, goods, comments } = readContent<{
  stages: { status: string; by: Step['by']; days: [min: number, max: number] }[]
  goods: Record<string, { name: string; min: number; max: number }[]>
  comments: string[]
}>('orders')

const count = 500

export function addOrders(db: Database, random: Random, files: SampleFiles): void {
  const dealers = dealersOf(db)
  const known = dealers.find(({ email }) => email === 'dealer@example.com') as Dealer
  const placed = Array.from({ length: count }, (_, index) => {
    const dealer = index % 20 === 0 || index >= count - 2 ? known : random.pick(dealers)
    if (index >= count - 4) return { dealer, at: now - random.integer(1, 25) * minute }
    return { dealer, at: workingMoment(random, Math.max(dealer.created_at, today - 300 * day), today) }
  })
  const writeHistory = makeHistoryWriter(db, files)
  const place = makeOrderPlacer(db, random, files)
  for (const { dealer, at } of placed.sort((a, b) => a.at - b.at)) {
    const steps = makeSteps(random, at)
    writeHistory(place(dealer, at, steps), steps, dealer)
  }
}

function dealersOf(db: Database): Dealer[] {
  const rows = db.select().from(users).innerJoin(companies, eq(companies.id, users.company_id)).where(eq(users.active, true)).all()
  return rows
    .map(({ users: dealer, companies: company }) => ({ ...dealer, company }))
    .filter(({ created_at }) => created_at < today - 5 * day)
}

function makeSteps(random: Random, placed: number): Step[] {
  const steps: Step[] = []
  const canceledAt = random.chance(0.08) ? random.integer(1, 5) : stages.length
  let at = placed
  for (const [index, { status, by, days }] of stages.entries()) {
    if (at > now) break
    if (index === canceledAt) return [...steps, { status_key: 'canceled', by: 'manager', at }]
    steps.push({ status_key: status === 'delivery' && random.chance(0.35) ? 'pickup' : status, by, at })
    at += random.integer(days[0] * 24 * 60 + 30, days[1] * 24 * 60 + 600) * minute
    if (random.chance(0.03)) at += random.integer(20, 60) * day
  }
  return steps
}

function makeOrderPlacer(db: Database, random: Random, files: SampleFiles) {
  const statusIds = new Map<string, number>()
  for (const { status_key, id } of db.select().from(statuses).all()) statusIds.set(status_key, id)
  const linesOf = makeLineGenerator(db, random)
  const numbers = new Map<number, number>()
  return ({ id: dealer_id, company }: Dealer, at: number, steps: Step[]): number => {
    const last = steps.at(-1) as Step
    const specification_number = (numbers.get(company.id) ?? company.specification_start_number ?? 0) + 1
    numbers.set(company.id, specification_number)
    const lines = linesOf(company)
    const row = {
      status_id: statusIds.get(last.status_key),
      dealer_id,
      company_id: company.id,
      specification_number,
      cost: lines.reduce((sum, line) => sum + Math.round((line.quantity * line.price * (100 - line.discount)) / 100), 0),
      ...filledFields(random, steps, files),
      comment: random.chance(0.3) ? random.pick(comments) : null,
      created_at: at,
      updated_at: last.at,
    }
    const order_id = Number(db.insert(orders).values(row).run().lastInsertRowid)
    const items = lines.map((line) => ({ order_id, ...line }))
    db.insert(orderItems).values(items).run()
    db.update(companies).set({ last_specification_number: specification_number }).where(eq(companies.id, company.id)).run()
    return order_id
  }
}

function makeLineGenerator(db: Database, random: Random) {
  const offered = db.select().from(categories).all()
  const discounts = db.select().from(categoryCompany).all()
  return (company: Dealer['company']) => {
    const own = discounts.filter(({ company_id }) => company_id === company.id)
    return random.some(offered, random.integer(1, 3)).map((category) => {
      const { name, min, max } = random.pick(goods[category.name] as (typeof goods)[string])
      const price = random.integer(min / 50, max / 50) * 5000
      const discount = discountOf(category.id, own, company.discount)
      return { category_id: category.id, name, quantity: random.integer(1, 6), price, discount }
    })
  }
}

function filledFields(random: Random, steps: Step[], { documents }: SampleFiles) {
  const reached = new Map(steps.map(({ status_key, at }) => [status_key, at]))
  const made = reached.get('production')
  const sent = reached.get('delivery') ?? reached.get('pickup')
  const paid = reached.get('paid')
  const billed = reached.has('payment')
  return {
    specification: (billed && documents.specification?.key) || null,
    invoice: (billed && documents.invoice?.key) || null,
    payment_order: (paid && documents.payment_order?.key) || null,
    payment: paid ? random.pick(['transfer', 'transfer', 'card', 'cash']) : null,
    date_payment: paid ? dateOf(paid) : null,
    deferred_payment: random.chance(0.1),
    sn: made ? `${random.integer(1000, 9999)}-${random.integer(10, 99)}` : null,
    date_make: made ? dateOf(made + 7 * day) : null,
    date_delivery: sent ? dateOf(sent + 2 * day) : null,
    delivery: reached.has('pickup') ? 'pickup' : random.pick(['address', 'carrier']),
    receiver: fullName(russianName(random)),
    phone: mobile(random),
    address: anyAddress(random),
  }
}
