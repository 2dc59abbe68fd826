import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { checked, rowsOf } from '../support/imports.ts'
import { insertProduct } from '../support/products.ts'

const lists = ['companies', 'dealers', 'managers', 'productions', 'stocks', 'manufactures', 'categories', 'products']

for (const language of ['en', 'ru'])
  t.test(`what a list exports comes back as unchanged (${language})`, async (t) => {
    const { as, cast, db } = await startCabinet(t)
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
