import { eq, getTableColumns, getTableName } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import type { RecordTable } from '../../src/database/index.ts'
import { companies, orders, products, users } from '../../src/database/schema/index.ts'
import { companyForm } from '../../src/modules/companies/form.ts'
import { orderForm } from '../../src/modules/orders/form.ts'
import { productForm } from '../../src/modules/products/form.ts'
import { dealerForm } from '../../src/modules/users/dealers/form.ts'
import { type Field, kindOf } from '../../src/records/fields/index.ts'
import { type Form, fieldsOf, type Mode } from '../../src/records/form/form.ts'
import { type Answer, type Cabinet, encode, startCabinet } from '../support/cabinet.ts'
import { errorsOf } from '../support/html.ts'
import { insertProduct } from '../support/products.ts'
import { takingBack } from '../support/taking-back.ts'

/** What somebody types into a field, and what a program sends for it. */
interface Value {
  typed: string
  json: unknown
}

/** Mostly what is valid, so that whole bodies are. */
const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>) => fc.oneof({ weight: 15, arbitrary: good }, { weight: 1, arbitrary: bad })

const texts = mostly(
  fc.oneof(fc.stringMatching(/^[\wёЁ«»№<>&'" -]{1,40}$/), fc.constantFrom(' a ', '\u202ea', 'e\u0301', '<b>&amp;', 'ё'.repeat(60))),
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', ' ', 'a\nb', 'a\r\nb', '\u0000', 'x'.repeat(256), 'ё'.repeat(4001))),
)
const emails = mostly(fc.constantFrom('a@example.com', 'Ä@example.com', ' b@example.com '), texts)
const numbers = mostly(fc.integer({ min: 1, max: 100 }), fc.constantFrom(0, -1, 101, 1_000_000_000, 1_000_000_001, 2 ** 53 - 1))
const days = mostly(
  fc.constantFrom('2026-03-04', '2024-02-29', ''),
  fc.constantFrom('2026-02-29', '0000-00-00', '04.03.2026', 'soon', '9999-12-31'),
)

const phones = fc.constantFrom('+7(912) 345 67 89', ' 8 (800) 200-06-00 ', '')

const asText = (texts: fc.Arbitrary<string>) => texts.map((text): Value => ({ typed: text, json: text }))

function valuesOf(field: Field, id = 1): fc.Arbitrary<Value> {
  const { kind } = field
  if (kind === 'money') return numbers.map((kopecks) => ({ typed: kindOf(field).show(kopecks, field), json: kopecks }))
  if (kind === 'number' || kind === 'decimal') return numbers.map((number) => ({ typed: String(number), json: number }))
  if (kind === 'choice') return mostly(fc.constant(id), fc.constantFrom(0, 999_999)).map((id) => ({ typed: String(id), json: id }))
  if (kind === 'switch') return fc.boolean().map((on) => ({ typed: on ? '1' : '0', json: on }))
  if (kind === 'date') return asText(days)
  // A number that is not whole is refused only where a person types it.
  if (kind === 'phone') return asText(phones)
  if (kind === 'option') return asText(mostly(fc.constantFrom(...Object.keys(field.values)), fc.constantFrom('', 'other', 'toString')))
  return asText(kind === 'email' ? emails : texts)
}

const codes = asText(mostly(fc.stringMatching(/^\d{1,3} ?\d{1,17}$/), texts))

const codeNames = new Set(['inn', 'ogrn', 'kpp', 'okpo', 'okato', 'bik', 'rs', 'cs'])
const skipped = new Set(['password', 'upload', 'picture', 'images', 'repeater', 'shownMoney', 'readOnly', 'readOnlyDateTime'])
/** Sends mail, or asks for what only some orders have. */
const elsewhere = new Set(['invite', 'agreed', 'agreed_reason', 'agreed_raises', 'without_lines'])

function bodies(form: Form, mode: Mode, ids: Record<string, number>): fc.Arbitrary<Record<string, Value>> {
  const fields = [...fieldsOf(form, { mode })].filter(([name, { kind }]) => !skipped.has(kind) && !elsewhere.has(name))
  const required = mode === 'create' ? fields.filter(([, field]) => field.required).map(([name]) => name) : []
  const values = fc.record(
    Object.fromEntries(fields.map(([name, field]) => [name, codeNames.has(name) ? codes : valuesOf(field, ids[name])])),
    {
      requiredKeys: required,
    },
  )
  return values as fc.Arbitrary<Record<string, Value>>
}

/** What came of it: the stored row without what differs from one moment to the next, or the fields that are not valid. */
function outcome({ db }: Cabinet, table: RecordTable, { statusCode }: Answer, errors: string[], id?: number): unknown {
  if (statusCode >= 400) return statusCode === 422 ? errors.sort() : statusCode
  const { created_at, updated_at, status_since, password, id: _, ...columns } = getTableColumns(table) as Record<string, never>
  const rows = db.select(columns).from(table)
  const found = id === undefined ? rows.all().at(-1) : rows.where(eq(table.id, id)).get()
  return found
}

interface Case {
  form: Form
  mode: Mode
  table: RecordTable
  page: string
  api: string
  id?: number
  always?: Record<string, Value>
}

t.test('the API accepts the values that the pages accept, stores the same, and refuses the others by the same names', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const product = insertProduct(db, { article: 'W-1', category_id: cast.category })
  const root = await cabinet.as('root')
  const password = { typed: 'correct horse battery', json: 'correct horse battery' }
  const { alpha } = cast.companies
  // A page gives a new dealer to whoever registers them, the API to the manager of the company: one person here.
  db.update(companies).set({ manager_id: cast.root }).where(eq(companies.id, alpha)).run()
  const cases: Case[] = [
    { form: companyForm, mode: 'create', table: companies, page: '/company/add', api: '/companies' },
    { form: companyForm, mode: 'edit', table: companies, page: `/company/edit/${alpha}`, api: `/companies/${alpha}`, id: alpha },
    { form: productForm, mode: 'create', table: products, page: '/products/add', api: '/products' },
    { form: productForm, mode: 'edit', table: products, page: `/products/edit/${product}`, api: `/products/${product}`, id: product },
    { form: dealerForm, mode: 'create', table: users, page: '/dealers/add', api: '/dealers', always: { password } },
    { form: orderForm, mode: 'edit', table: orders, page: `/orders/edit/${cast.order}`, api: `/orders/${cast.order}`, id: cast.order },
  ]
  const people = { dealer_id: cast.denis, manager_id: cast.maria, company_id: alpha }
  const ids = { ...people, category_id: cast.category, stock_id: cast.stock, manufacture_id: cast.site }
  const counts = new Map<string, number>()
  for (const { form, mode, table, page, api, id, always } of cases) {
    await fc.assert(
      fc.asyncProperty(bodies(form, mode, ids), async (values) => {
        const sent = { ...always, ...values, ...(mode === 'edit' && { version: { typed: '1', json: 1 } }) }
        const part = (name: keyof Value) => Object.fromEntries(Object.entries(sent).map(([field, value]) => [field, value[name]]))
        const byPage = await takingBack(cabinet, async () => {
          const type = { 'content-type': 'application/x-www-form-urlencoded' }
          const answer = await root.send('POST', page, type, encode(part('typed') as Record<string, string>))
          return outcome(cabinet, table, answer, Object.keys(errorsOf(answer)), id)
        })
        const byApi = await takingBack(cabinet, async () => {
          const method = mode === 'edit' ? 'PATCH' : 'POST'
          const answer = await root.send(method, `/api/v1${api}`, { 'content-type': 'application/json' }, JSON.stringify(part('json')))
          return outcome(cabinet, table, answer, Object.keys(answer.json().errors ?? {}), id)
        })
        const what = Array.isArray(byPage) ? 'refused' : 'saved'
        counts.set(what, (counts.get(what) ?? 0) + 1)
        if (JSON.stringify(byApi) !== JSON.stringify(byPage))
          throw new Error(`${getTableName(table)} ${mode}: ${JSON.stringify(byPage)} by page, ${JSON.stringify(byApi)} by API`)
      }),
      { numRuns: 25, includeErrorInReport: true },
    )
  }
  t.ok((counts.get('refused') ?? 0) > 20 && (counts.get('saved') ?? 0) > 20, JSON.stringify([...counts]))
})
