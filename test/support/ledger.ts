import { eq } from 'drizzle-orm'
import { type Database, write } from '../../src/database/open.ts'
import { allocations, companyBalances, ledgerEntries, orderBalances, orders, payments } from '../../src/database/schema/index.ts'
import { allocate } from '../../src/modules/ledger/allocations.ts'
import { companyOfEntries, lackOf } from '../../src/modules/ledger/balance.ts'
import { bookPayment } from '../../src/modules/ledger/book.ts'

export const entriesOf = (db: Database, order: number) =>
  db.select().from(ledgerEntries).where(eq(ledgerEntries.order_id, order)).orderBy(ledgerEntries.id).all()

/** The amounts of an order's entries, with their kinds. */
export const amountsOf = (db: Database, order: number) => entriesOf(db, order).map(({ kind, amount }) => [kind, amount])

export const balanceOf = (db: Database, company: number) =>
  db.select().from(companyBalances).where(eq(companyBalances.company_id, company)).get()?.balance ?? 0

const author = { id: null, name: 'The test' }

/** A confirmed payment of an order, booked and paying it as far as it lacks money, as the service books it. */
export function payOrder(db: Database, order_id: number, amount: number, date = '2026-01-15'): number {
  const company_id = companyOfEntries(db, order_id) as number
  return write(db, () => {
    const id = insertPayment(db, order_id, { state: 'confirmed', company_id, amount, date })
    bookPayment(db, { id, company_id, order_id, direction: 'incoming', amount, date, note: null }, author)
    allocate(db, { payment_id: id, company_id, order_id, amount: Math.min(amount, Math.max(0, lackOf(db, order_id))), date }, author)
    return id
  })
}

/** A reported payment of an order, past all rules. */
export function insertPayment(db: Database, order_id: number, values: Partial<typeof payments.$inferInsert> = {}): number {
  const reported = { state: 'reported', amount: 100_00, date: '2026-01-15', kind: 'transfer', reporter_name: 'Denisov Denis' } as const
  const company_id = companyOfEntries(db, order_id)
  return db
    .insert(payments)
    .values({ order_id, company_id, ...reported, ...values })
    .returning()
    .get().id
}

/** A charge of a company, past all rules. */
export function insertEntry(db: Database, company_id: number, values: Partial<typeof ledgerEntries.$inferInsert> = {}): number {
  const charge = { kind: 'charge', amount: -100_00, date: '2026-01-15', at: 1_800_000_000_000, actor_name: 'Adminov Anton' } as const
  return db
    .insert(ledgerEntries)
    .values({ company_id, ...charge, ...values })
    .returning()
    .get().id
}

/** What a company, and each order, owes by the entries, worked out anew. */
export function ledgerProblems(db: Database, isDue: (order: number) => boolean): string[] {
  const problems: string[] = []
  const entries = db.select().from(ledgerEntries).all()
  const sum = (of: (entry: (typeof entries)[number]) => boolean) => entries.filter(of).reduce((all, { amount }) => all + amount, 0)
  const allocated = db.select().from(allocations).all()
  for (const company of new Set(entries.map(({ company_id }) => company_id))) {
    const wanted = sum(({ company_id }) => company_id === company)
    if (balanceOf(db, company) !== wanted) problems.push(`company ${company}: ${balanceOf(db, company)}, entries ${wanted}`)
  }
  const existing = new Map(
    db
      .select()
      .from(orders)
      .all()
      .map((order) => [order.id, order]),
  )
  for (const order of new Set([...existing.keys(), ...entries.flatMap(({ order_id }) => order_id ?? [])])) {
    const own = entries.filter(({ order_id }) => order_id === order)
    if (new Set(own.map(({ company_id }) => company_id)).size > 1) problems.push(`order ${order}: entries of several companies`)
    const charged = 0 - sum(({ order_id, kind }) => order_id === order && kind === 'charge')
    const given = allocated.filter(({ order_id }) => order_id === order).reduce((all, { amount }) => all + amount, 0)
    const paid = given + sum(({ order_id, kind }) => order_id === order && kind === 'correction')
    const stored = db.select().from(orderBalances).where(eq(orderBalances.order_id, order)).get()
    if (own.length > 0 && (stored?.charged !== charged || stored.paid !== paid)) problems.push(`order ${order}: ${JSON.stringify(stored)}`)
    const wanted = existing.has(order) && isDue(order) ? (existing.get(order)?.cost ?? 0) : 0
    if (charged !== wanted) problems.push(`order ${order}: charged ${charged}, wanted ${wanted}`)
  }
  return problems
}
