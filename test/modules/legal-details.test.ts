import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, findSettings } from '../../src/database/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { controlsOf, elementById, textOf } from '../support/html.ts'
import { checked, csv, rowsOf } from '../support/imports.ts'

const ofCompanies = ['inn', 'ogrn', 'okpo', 'okato', 'bik', 'rs', 'cs']
const ofSettings = ['inn', 'ogrn', 'bik', 'rs', 'cs']
const digitsOnly = 'Use digits only.'
const codeOnly = 'Use digits and capital Latin letters only.'

t.test('legal details that are digits take nothing else: in forms, by the API and in imports', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const { alpha } = cast.companies
  const find = () => db.select().from(companies).where(eq(companies.id, alpha)).get()
  const before = find()
  const admin = await as('admin')
  const error = (body: string, name: string) => textOf(elementById({ body } as never, `${name}-error`) ?? '')
  const wrong = { inn: 'abc', ogrn: '12-3', okpo: '1.2', okato: '45,2', bik: 'x', rs: '№4070', cs: '+301', kpp: '77010а001' }
  const saved = await admin.post(`/company/edit/${alpha}`, { ...wrong, phone: '12345' })
  t.equal(saved.statusCode, 422)
  for (const name of ofCompanies) t.equal(error(saved.body, name), digitsOnly, name)
  t.equal(error(saved.body, 'kpp'), codeOnly)
  const typed = new Map(controlsOf(saved.body).map(({ name, value }) => [name, value]))
  for (const [name, value] of Object.entries({ ...wrong, phone: '12345' })) t.equal(typed.get(name), value, `${name} is still there`)
  t.same(find(), before, 'nothing is saved')
  const added = await admin.post('/company/add', { org: 'New', ...wrong })
  t.equal(added.statusCode, 422)
  for (const name of ofCompanies) t.equal(error(added.body, name), digitsOnly, name)

  const client = clientOf(cabinet, 'admin')
  for (const name of ofCompanies) {
    const answer = await client.patch(`/companies/${alpha}`, { version: before?.version, [name]: '1x' })
    t.match([answer.statusCode, answer.json().errors], [422, { [name]: digitsOnly }], name)
    t.match((await client.post('/companies', { org: 'New', [name]: '1x' })).json().errors, { [name]: digitsOnly })
  }
  t.match((await client.patch(`/companies/${alpha}`, { version: before?.version, kpp: 'abc' })).json().errors, { kpp: codeOnly })

  const { path, page } = await checked(
    admin,
    'companies',
    csv(
      [
        ['Organization', ...Object.keys(wrong)],
        ['Alpha Windows', ...Object.values(wrong)],
      ],
      ';',
    ),
  )
  const [row] = rowsOf(page)
  t.equal(row?.outcome, 'refused')
  for (const [at, name] of Object.keys(wrong).entries())
    t.ok(row?.text.includes(`${'BCDEFGHI'[at]}2`) && row.text.includes(name === 'kpp' ? codeOnly : digitsOnly), name)
  t.equal((await admin.post(`${path}/save`)).statusCode, 422)
  t.same(find(), before)

  const root = await as('root')
  const own = await root.post('/settings', { ...Object.fromEntries(ofSettings.map((name) => [name, 'abc'])), kpp: 'abc' })
  t.equal(own.statusCode, 422)
  for (const name of ofSettings) t.equal(error(own.body, name), digitsOnly, name)
  t.equal(error(own.body, 'kpp'), codeOnly)
  t.equal(findSettings(db).inn, null)
})

t.test('lengths and check digits are no more than warnings, and spaces between digits are left out', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const { alpha } = cast.companies
  const admin = await as('admin')
  const values = { inn: '12', ogrn: '1', okpo: '2', okato: '3', kpp: '7701AB001', bik: '044 525\u00a0225', rs: ' 4070 2810\t9 ', cs: '' }
  t.equal((await admin.post(`/company/edit/${alpha}`, values)).statusCode, 303)
  const find = () => db.select().from(companies).where(eq(companies.id, alpha)).get()
  t.match(find(), { inn: '12', ogrn: '1', okpo: '2', okato: '3', kpp: '7701AB001', bik: '044525225', rs: '407028109', cs: null })
  const sent = { version: find()?.version, inn: '7701 234567' }
  t.equal((await clientOf(cabinet, 'admin').patch(`/companies/${alpha}`, sent)).statusCode, 200)
  t.equal(find()?.inn, '7701234567')
})
