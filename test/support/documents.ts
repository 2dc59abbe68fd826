import { eq } from 'drizzle-orm'
import { companies, documents, orderItems, orders, settings } from '../../src/database/schema/index.ts'
import type { Cabinet } from './cabinet.ts'
import { attributesOf, elementsOf, textOf } from './html.ts'

const supplier = {
  ...{ legal_name: 'Makers LLC', inn: '7707083893', legal_address: 'Tver, Lenina 1' },
  ...{ bank: 'A bank', bik: '044525225', rs: '40702810900000000001', cs: '30101810400000000225' },
}

/** Fills in what documents of the order of the cast cannot do without. */
export function makeIssuable({ db, cast }: Pick<Cabinet, 'db' | 'cast'>): void {
  db.update(settings).set(supplier).run()
  db.update(companies).set({ inn: '7701', legal_address: 'Moscow, Arbat 1' }).where(eq(companies.id, cast.companies.alpha)).run()
  addLine({ db }, cast.order)
}

export function addLine({ db }: Pick<Cabinet, 'db'>, order: number): void {
  db.insert(orderItems).values({ order_id: order, name: 'Window', quantity: 2, price: 1_000_00, discount: 0 }).run()
  db.update(orders)
    .set({ cost: 2_000_00, specification_number: order + 1000 })
    .where(eq(orders.id, order))
    .run()
}

/** An invoice without its file. */
export function insertDocument({ db, cast }: Pick<Cabinet, 'db' | 'cast'>, values: Partial<typeof documents.$inferInsert> = {}): number {
  const of = { order_id: cast.order, company_id: cast.companies.alpha, order_version: 1, content: '', file: 'd'.repeat(64) }
  const usual = { kind: 'invoice' as const, number: '1', serial: 1, year: 2025, date: '2025-11-27', actor_name: 'Maria', ...of }
  return Number(
    db
      .insert(documents)
      .values({ ...usual, ...values })
      .run().lastInsertRowid,
  )
}

/** What documents cannot do without, as it is said there: of whom, what, and where it is filled in. */
export function detailsIn(body: string, within: string) {
  return elementsOf(body, `${within} .missing-details > div`).flatMap((group) => {
    const owner = textOf(elementsOf(group, 'dt')[0] ?? '')
    return elementsOf(group, 'dd').map((one) => [`${owner}: ${textOf(one)}`, attributesOf(elementsOf(one, 'a')[0] ?? '').href])
  })
}
