import { eq } from 'drizzle-orm'
import t from 'tap'
import { categoryCompany, companies, payments, products, uploads } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { grant, revoke } from '../support/cast.ts'
import { insertPayment } from '../support/ledger.ts'
import { startWithDiscounts } from '../support/orders.ts'
import { dayIn, insertContractPrice, insertProduct } from '../support/products.ts'

const made = Date.UTC(2026, 1, 28, 23, 30)
const changed = Date.UTC(2026, 2, 1, 0, 30)
const moments = { created_at: '2026-02-28T23:30:00.000Z', updated_at: '2026-03-01T00:30:00.000Z' }
const stored = { created_at: made, updated_at: changed }

t.test('a program reads of a company what its card holds: amounts in kopecks, and its rows only of one company', async (t) => {
  const cabinet = await startWithDiscounts(t)
  const { db, cast, alpha, windows, doors } = cabinet
  db.update(categoryCompany).set({ category_id: doors }).run()
  db.insert(categoryCompany).values({ company_id: alpha, category_id: windows, discount: 5 }).run()
  const product = insertProduct(db, { article: 'A' })
  insertContractPrice(db, alpha, product, 12_345)
  const values = {
    ...stored,
    ...{ org: 'Alpha Windows', phone: '+7(999) 111 22 33', email: 'a@example.com', address: 'Tver', legal_address: 'Pskov' },
    ...{
      director_name_full: 'Ivan Ivanov',
      director_name_short: 'I. Ivanov',
      inn: '1',
      ogrn: '2',
      kpp: '3',
      okpo: '4',
      okato: '5',
      okved: '6',
    },
    ...{ bank: 'Bank', bik: '7', rs: '8', cs: '9', contract_number: 'K-1', contract_date: '2026-01-30', specification_start_number: 17 },
    ...{ discount: 10, credit_limit: 500_050, payment_days: 7, custom_lines: true, stock_id: cast.stock, manufacture_id: cast.site },
  }
  db.update(companies)
    .set({ ...values, files: [{ name: 'Contract', file: 'a.pdf' }] })
    .where(eq(companies.id, alpha))
    .run()
  const held = { id: alpha, version: 1, ...values, manager_id: cast.maria, external_id: null, ...moments }
  const maria = clientOf(cabinet, 'maria')
  const whole = (await maria.get(`/companies/${alpha}`)).json()
  t.same(whole, {
    ...held,
    discounts: [
      { id: 1, category_id: doors, discount: 15 },
      { id: 2, category_id: windows, discount: 5 },
    ],
    contract_prices: [{ id: 1, product_id: product, from: dayIn(-1), until: null, price: 12_345 }],
    files: [{ name: 'Contract', file: 'a.pdf', url: whole.files[0].url }],
  })
  t.match(whole.files[0].url, /\/files\/a\.pdf\?name=Contract$/)
  t.same((await maria.get('/companies')).json().items, [held])
  revoke(db, cast.maria, 'order_can_view_prices')
  const { discount, credit_limit, payment_days, ...others } = held
  t.same((await maria.get('/companies')).json().items, [others])
  const { discounts, contract_prices, files, ...rest } = (await maria.get(`/companies/${alpha}`)).json()
  t.same([discounts, contract_prices, files.length, rest], [undefined, undefined, 1, others])
  grant(db, cast.daria, 'company_can_view')
  const read = (await clientOf(cabinet, 'daria').get(`/companies/${alpha}`)).json()
  t.same([read.files, read.org], [undefined, 'Alpha Windows'])
})

t.test('a program reads of a product what staff see of it, and a dealer what their company pays instead of prices', async (t) => {
  const cabinet = await startWithDiscounts(t)
  const { db, windows } = cabinet
  const sizes = { width_min: 400, width_max: 2000, height_min: 500, height_max: 2500 }
  const words = { article: 'W-1', name: 'Window', unit: 'm2', basis: 'area', description: 'Two wings' } as const
  const id = insertProduct(db, { ...words, ...sizes, ...stored, category_id: windows, minimum: 50, external_id: '1C-77' }, [
    [dayIn(-9), 100],
    [dayIn(0), 100_001],
    [dayIn(9), 300],
  ])
  insertProduct(db, { article: 'X', active: false })
  const held = { id, version: 1, ...words, ...sizes, ...moments, category_id: windows, minimum: 0.5, image: null }
  const ofStaff = { ...held, active: true, external_id: '1C-77', price: 100_001 }
  const root = clientOf(cabinet, 'root')
  const prices = [dayIn(-9), dayIn(0), dayIn(9)].map((from, at) => ({ id: at + 1, from, price: [100, 100_001, 300][at] }))
  t.same((await root.get(`/products/${id}`)).json(), { ...ofStaff, prices })
  t.same((await root.get('/products')).json().items.length, 2)
  t.same((await root.get('/products?active=1')).json().items, [ofStaff])
  const denis = clientOf(cabinet, 'denis')
  t.same((await denis.get(`/products/${id}`)).json(), { ...held, own_price: 85_001 })
  t.same((await denis.get('/products')).json().items, [{ ...held, own_price: 85_001 }])
  db.update(products).set({ active: false }).run()
  t.equal((await denis.get(`/products/${id}`)).statusCode, 403)
  t.same((await denis.get('/products')).json().items, [])
})

t.test('a program reads of a payment who reported it and who decided, when and why', async (t) => {
  const cabinet = await startWithDiscounts(t)
  const { db, cast } = cabinet
  const values = { amount: 40_050, date: '2026-02-28', kind: 'card', note: 'First half' } as const
  const waiting = insertPayment(db, cast.order, { ...values, ...stored, reporter_id: cast.denis })
  const decided = {
    state: 'rejected',
    reason: 'Not there',
    decider_id: cast.admin,
    decider_name: 'Adminov Anton',
    decided_at: made,
  } as const
  const rejected = insertPayment(db, cast.order, { ...values, ...stored, ...decided, note: null })
  const denis = clientOf(cabinet, 'denis')
  const owned = { company_id: cast.companies.alpha, direction: 'incoming', allocations: [], credit: 0, corrects_id: null }
  const unreversed = { reversed_on: null, reverser_id: null, reverser: null, reversed_at: null }
  const held = {
    version: 1,
    order_id: cast.order,
    ...owned,
    ...unreversed,
    ...values,
    file: null,
    files: [],
    ...moments,
    reporter: 'Denisov Denis',
  }
  const undecided = { state: 'reported', reason: null, decider_id: null, decider: null, decided_at: null }
  const first = { ...held, id: waiting, reporter_id: cast.denis, ...undecided }
  const { decider_name: decider, decided_at: _, ...verdict } = decided
  const second = { ...held, id: rejected, reporter_id: null, note: null, ...verdict, decider, decided_at: moments.created_at }
  t.same((await denis.get(`/payments/${waiting}`)).json(), first)
  t.same((await denis.get(`/payments/${rejected}`)).json(), second)
  t.same((await denis.get(`/orders/${cast.order}/payments`)).json(), { items: [second, first], next: null })
  t.same((await denis.get('/payments?state=rejected')).json().items, [second])
  t.equal(db.select().from(payments).all().length, 2)
  const key = 'a'.repeat(64)
  const scan = { key, type: 'application/pdf', size: 1 }
  db.insert(uploads)
    .values([
      { ...scan, name: 'Receipt.pdf', user_id: cast.denis, at: 1 },
      { ...scan, name: 'Draft.pdf', user_id: cast.admin, at: 2 },
    ])
    .run()
  db.update(payments).set({ file: key }).where(eq(payments.id, waiting)).run()
  const [{ name }] = (await denis.get(`/payments/${waiting}`)).json().files
  t.equal(name, 'Receipt.pdf', 'a file has the name that its reporter gave it')
})
