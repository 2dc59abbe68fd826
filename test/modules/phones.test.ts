import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { errorsOf, fieldOf, textOf } from '../support/html.ts'
import { checked, csv } from '../support/imports.ts'

const wrong = { phone: 'Enter the whole phone number, such as +7(912) 345 67 89.' }

t.test('a phone that is not whole is refused where somebody types it, in every form, and nothing typed is lost', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  const { alpha } = cast.companies
  for (const path of [`/company/edit/${alpha}`, `/dealers/edit/${cast.denis}`, `/managers/edit/${cast.maria}`, '/profile']) {
    const refused = await root.post(path, { phone: '+7(912) 345' })
    t.same([refused.statusCode, errorsOf(refused)], [422, wrong], path)
    t.equal(fieldOf(refused, 'phone')?.value, '+7(912) 345', path)
  }
  t.match(errorsOf(await root.post('/orders/add', { dealer_id: cast.denis, without_lines: 1, phone: '+7 later' })), wrong)
  t.equal((await root.post(`/company/edit/${alpha}`, { phone: '+49 30 901820' })).statusCode, 303, 'of another country')
  t.equal((await root.post(`/company/edit/${alpha}`, { phone: 'ask for Ivan, 12345' })).statusCode, 303, 'what has another form')
  t.equal((await root.post(`/company/edit/${alpha}`, { phone: '' })).statusCode, 303, 'or none')
  db.update(companies).set({ phone: '+7 12' }).where(eq(companies.id, alpha)).run()
  t.equal((await root.post(`/company/edit/${alpha}`, { phone: '+7 12', bank: 'B' })).statusCode, 303, 'what is there already stays')
  t.equal((await root.post(`/company/edit/${alpha}`, { phone: '+7 13' })).statusCode, 422)
})

t.test('programs and sheets say phones as they have them', async (t) => {
  const cabinet = await startCabinet(t)
  const patched = await clientOf(cabinet, 'root').patch(`/companies/${cabinet.cast.companies.alpha}`, { version: 1, phone: '+7 12' })
  t.equal(patched.statusCode, 200)
  const { page } = await checked(
    await cabinet.as('root'),
    'companies',
    csv([
      ['Organization', 'Phone'],
      ['Lira', '+7 12'],
    ]),
  )
  const said = textOf(page.body)
  t.match(said, /Lira/)
  t.notMatch(said, /whole phone number/)
})
