import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, products } from '../../src/database/schema/index.ts'
import { companyForm } from '../../src/modules/companies/form.ts'
import { productForm } from '../../src/modules/products/form.ts'
import { columnsOf } from '../../src/records/list/columns.ts'
import type { AnyList } from '../../src/records/list/list.ts'
import { startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { elementsOf, textOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { insertJob } from '../support/jobs.ts'
import { attributesIn } from '../support/parts.ts'

const column = columnsOf(companyForm, companies)

t.test('a column that names a field takes label, kind, cell and who sees it from the field', async (t) => {
  const { app, as, db, cast } = await startCabinet(t, { anew: true })
  const list = app.records.get('companies')?.list as AnyList
  list.columns = [
    column('org', { kind: 'name', opens: true }),
    ...[column('credit_limit'), column('payment_days'), column('contract_date'), column('phone'), column('custom_lines')],
    { key: 'created_at', label: 'Created', kind: 'moment' },
    { key: 'updated_at', label: 'Never', kind: 'moment' },
  ]
  const all = () => db.select().from(companies).all()
  list.rows = { load: (ids: number[]) => all().flatMap((row) => (ids.includes(row.id) ? { ...row, updated_at: null } : [])) }
  const { alpha, beta } = cast.companies
  const terms = { credit_limit: 1_500_00, payment_days: 0, contract_date: '2026-03-01', phone: '+7(912) 000 00 00', custom_lines: true }
  const created_at = new Date(2026, 2, 4, 5, 6).getTime()
  db.update(companies)
    .set({ ...terms, created_at })
    .where(eq(companies.id, alpha))
    .run()
  db.update(companies).set({ credit_limit: null, payment_days: null }).where(eq(companies.id, beta)).run()
  const { body } = await (await as('root')).get('/companies')
  const cellsOf = (id: number) => elementsOf(body, `#companies-${id} td[data-col]`).map((cell) => textOf(cell).replaceAll('\u00a0', ' '))
  t.same(elementsOf(body, 'th[data-col]').map(textOf), [
    ...['Organization', 'Credit limit', 'Days to pay', 'Contract date', 'Phone', 'Lines without product', 'Created', 'Never'],
  ])
  t.same(cellsOf(alpha), ['Alpha Windows', '1 500,00 ₽', '0', '1 Mar', '+7(912) 000 00 00', 'Yes', '4 Mar', '—'])
  t.same(cellsOf(beta).slice(0, 5), ['ООО «Бета Ёлка»', '—', '—', '—', '—'], 'nothing is a dash')
  const shown = (id: number, selector: string, ...names: string[]) => attributesIn(body, `#companies-${id} ${selector}`, ...names)
  t.same(shown(alpha, 'td[data-col]', 'class').flat(), [undefined, 'money', 'number', 'moment', undefined, 'is-blank', 'moment', 'moment'])
  t.same(shown(alpha, '[data-kopecks]', 'data-kopecks').concat(shown(beta, '[data-kopecks]', 'data-kopecks')), [['150000']])
  t.same(shown(alpha, '.row-link', 'href'), [[`/company/edit/${alpha}?tab=overview&back=%3F`]])
  t.equal(cellsOf(beta)[5], 'No', 'what nobody may switch is told in words')
  t.same(shown(alpha, '.row-select input', 'aria-label'), [['Select: Alpha Windows']], 'a record is called what leads to it')
  revoke(db, cast.maria, 'order_can_view_prices')
  const unpriced = (await (await as('maria')).get('/companies')).body
  t.notMatch(unpriced, /data-col="(credit_limit|payment_days)"/)
  t.match(unpriced, 'data-col="contract_date"')
})

t.test('what no cell can show is no column', (t) => {
  t.throws(() => columnsOf(productForm, products)('minimum'), /no column can show minimum/)
  t.throws(() => column('files'), /no column can show files/)
  t.match(columnsOf(productForm, products)('unit'), { words: { pcs: /./ } }, 'values that are keys have names')
  t.end()
})

t.test('when something happened is a moment in a spreadsheet, too, however the list shows it', async (t) => {
  exportInProcess(t)
  const { as, db, cast } = await startCabinet(t)
  insertJob(db, cast.root, { created_at: new Date(2026, 2, 4, 5, 6).getTime() })
  t.match((await (await as('root')).get('/jobs/export?format=csv')).body, /,2026-03-04 05:06$/m)
})
