import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import { translator } from '../../src/i18n/translate.ts'
import { startCabinet } from '../support/cabinet.ts'
import { textOf } from '../support/html.ts'

const ru = translator('ru')

t.test('Russian plural forms follow the number: 1, 21 and 101; 2 to 4; everything else including 11 to 14', async (t) => {
  const forms: [string, number[]][] = [
    ['запись', [1, 21, 101, 1001]],
    ['записи', [2, 3, 4, 22, 104]],
    ['записей', [0, 5, 11, 12, 14, 20, 25, 111, 112]],
  ]
  for (const [word, counts] of forms)
    for (const count of counts)
      t.match(ru('{count} records restored', { count }), new RegExp(`${count.toLocaleString('ru')} ${word}$`), String(count))
})

t.test('English has a singular and a plural form', async (t) => {
  const en = translator('en')
  t.equal(en('{count} records restored', { count: 1 }), '1 record restored')
  for (const count of [0, 2, 21]) t.equal(en('{count} records restored', { count }), `${count} records restored`)
})

t.test('a Russian administrator confirms deletions in correct Russian', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  await root.post('/preferences', { language: 'ru' })
  const asked = async (ids: number[]) => textOf((await root.get(`/companies/delete?${ids.map((id) => `id=${id}`).join('&')}`)).body)
  const ids = Object.values(cast.companies)
  for (const org of ['Fourth', 'Fifth']) ids.push(Number(db.insert(companies).values({ org, search: org }).run().lastInsertRowid))
  t.match(await asked(ids.slice(0, 3)), 'Удалить 3 компании?')
  t.match(await asked(ids), 'Удалить 5 компаний?')
})
