import { and, count, eq, isNotNull } from 'drizzle-orm'
import { specificationNumber } from '../../core/specification-number.ts'
import { companies, createRecord, type Database, orders } from '../../database/index.ts'
import { countHit } from '../../http/access/rate-limit.ts'
import type { Context, WriteContext } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { realAuthorOf } from '../../http/request/person.ts'
import type { CreateValues } from '../../records/form/form.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { companyOfDealer } from './dealer-choices.ts'
import { queueOrderEvent } from './events.ts'
import type { orderForm } from './form.ts'
import { orderLabel } from './order.ts'
import { saveItems } from './pricing/lines.ts'
import { lackOfLines, priceOrder } from './pricing/price-order.ts'
import { enterStatus } from './transitions/apply-plan.ts'

const orderLimit = { limit: 60, window: 3600_000 }

export function createOrder(context: Context, input: CreateValues<typeof orderForm>): number {
  const { db, rules } = context.server
  const { items: sent = [], without_lines, seen_total, agreed, agreed_reason, agreed_raises, ...values } = input
  const company_id = orderingCompany(db, values.dealer_id)
  if (sent.length === 0 && !without_lines) throw new ValidationFailed(lackOfLines(db))
  const person = realAuthorOf(context.author).id
  countHit(db, `order by ${person}`, orderLimit, 'You can place up to {max} orders an hour. Try again after {time}.')
  const { items, cost } = priceOrder(context, company_id, sent, [], { seen_total, agreed, agreed_reason, agreed_raises })
  const specification_number = takeSpecificationNumber(db, company_id, rules.specificationNumberRepeats)
  const order = { ...values, company_id, specification_number, cost }
  const label = (id: number) => orderLabel({ id })
  const id = createRecord(db, orders, order, label, context.author, (id) => ({ items: saveItems(db, id, items) }))
  applyInitialStatus(context, id)
  queueOrderEvent(context.server, 'order.created', id)
  return id
}

export function orderingCompany(db: Database, dealerId: number): number {
  const company = companyOfDealer(db, dealerId)
  if (company === null) throw new ValidationFailed({ dealer_id: 'This dealer has no company and cannot place orders.' })
  return company
}

function takeSpecificationNumber(db: Database, companyId: number, repeats: boolean): number {
  const { specification_start_number: start, last_specification_number: last } = companies
  const company = db.select({ start, last }).from(companies).where(eq(companies.id, companyId)).get()
  const ofCompany = and(eq(orders.owner_company_id, companyId), isNotNull(orders.dealer_id))
  const existing = db.select({ orders: count() }).from(orders).where(ofCompany).get()
  const highest = company?.last ?? null
  const number = specificationNumber({ start: company?.start ?? null, orders: existing?.orders ?? 0, highest }, repeats)
  const values = { last_specification_number: Math.max(number, highest ?? 0) }
  db.update(companies).set(values).where(eq(companies.id, companyId)).run()
  return number
}

/** A new order starts in the first status, if there is any. */
function applyInitialStatus(context: WriteContext, id: number): void {
  const [to] = loadWorkflow(context.server.db).statuses
  if (to) enterStatus(context, id, to, { isInitial: true })
}
