import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { checked, rowsOf } from '../support/imports.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { insertProduct } from '../support/products.ts'
import { setTimeZone } from '../support/time-zone.ts'

const lists = ['companies', 'dealers', 'managers', 'productions', 'stocks', 'manufactures', 'categories', 'products']

for (const [language, zone] of [
  ['en', 'UTC'],
  ['en', 'Europe/Moscow'],
  ['ru', 'UTC'],
  ['ru', 'Europe/Moscow'],
] as const)
  t.test(`what a list exports comes back as unchanged (${language}, ${zone})`, async (t) => {
    setTimeZone(t, zone)
    exportInProcess(t)
    const { as, cast, db } = await startCabinet(t)
    const terms = { contract_number: '0016/26', contract_date: '2026-01-01', discount: 2.5, credit_limit: 150_000_050 }
    db.update(companies)
      .set({ ...terms, inn: '0274062111', kpp: '027401001' })
      .where(eq(companies.id, cast.companies.alpha))
      .run()
    insertProduct(db, { article: '00123', name: 'Окно', category_id: cast.category, basis: 'area', unit: 'm2' }, [
      ['2026-01-01', 100_050],
      ['2026-02-01', 110_000],
    ])
    const root = await as('root')
    for (const list of lists)
      for (const format of ['xlsx', 'csv']) {
        const exported = await root.get(`/${list}/export?format=${format}`, { 'accept-language': language })
        t.equal(exported.statusCode, 200)
        if (format === 'csv') t.equal(/[а-я]{4}/.test(exported.body.split('\n')[0] as string), language === 'ru')
        const { page } = await checked(root, list, exported.rawPayload)
        const others = rowsOf(page).filter(({ outcome }) => outcome !== 'unchanged')
        t.same([rowsOf(page).length > 0, others], [true, []], `${list} ${format}`)
      }
  })
