import { asc, eq } from 'drizzle-orm'
import t from 'tap'
import { companies, users } from '../../src/database/schema/index.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { checked, csv, rowsOf } from '../support/imports.ts'

const heading = ['Last name', 'Name', 'Email', 'Company']
const row = (name: string, company: string) => [name, 'Nora', `${name.toLowerCase()}@example.com`, company]

const outcomes = (page: Answer) =>
  rowsOf(page)
    .toSorted((one, other) => one.row - other.row)
    .map(({ row, outcome }) => `${row} ${outcome}`)

const asked = ({ body }: Answer) =>
  parseHtml(body)('.import-name')
    .toArray()
    .map((one) => {
      const $ = parseHtml(body)
      return [$(one).find('label').text(), $(one).find('option[selected]').attr('value') ?? '', String($(one).find('[name=others]').val())]
    })

const optionsFor = ({ body }: Answer) =>
  parseHtml(body)('.import-name option')
    .toArray()
    .map((option) => parseHtml(body)(option).text())

const dealersIn = ({ db }: Cabinet) =>
  db
    .select({ lastname: users.lastname, org: companies.org })
    .from(users)
    .innerJoin(companies, eq(companies.id, users.company_id))
    .orderBy(asc(users.id))
    .all()
    .slice(5)
    .map(({ lastname, org }) => `${lastname}: ${org}`)

t.test('each company that nobody knows is asked about once: it is added, is another one, or its rows are left out', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const sheet = csv([
    heading,
    row('One', 'ООО Альфа Windows'),
    row('Two', 'New Ltd'),
    row('Three', 'new ltd'),
    row('Four', 'Gone Ltd'),
    row('Five', 'Alpha Windows'),
    row('Six', 'Windows of Alpha'),
  ])
  const { path, page } = await checked(root, 'dealers', sheet)
  t.same(outcomes(page), ['2 refused', '3 refused', '4 refused', '5 refused', '6 new', '7 refused'])
  t.same(asked(page), [
    ['ООО Альфа Windows', '', ''],
    ['new ltd', '', ''],
    ['Gone Ltd', '', ''],
    ['Windows of Alpha', '', ''],
  ])
  t.ok(optionsFor(page).includes('It is Alpha Windows'), 'what is called alike is proposed')
  const names = ['ООО Альфа Windows', 'new ltd', 'Gone Ltd', 'Windows of Alpha'].map((name) => `company_id ${name}`)
  await root.post(path, { names, answers: ['is Alpha Windows', 'add', 'leave', ''], others: ['', '', '', 'Nobody'] })
  const mistyped = await root.get(path)
  t.same(outcomes(mistyped), ['2 new', '3 new', '4 new', '5 skipped', '6 new', '7 refused'])
  t.same(
    asked(mistyped).map(([, ...answer]) => answer),
    [
      ['is Alpha Windows', ''],
      ['add', ''],
      ['leave', ''],
      ['', 'Nobody'],
    ],
    'answers stand there, what was typed in vain too',
  )
  t.match(textOf(mistyped.body), 'There is no company “Nobody”')
  t.equal((await root.post(`${path}/save`)).statusCode, 422)
  await root.post(path, { names: [names[3] as string], answers: [''], others: ['nobody ltd'] })
  t.same(outcomes(await root.get(path)), ['2 new', '3 new', '4 new', '5 skipped', '6 new', '7 new'], 'other answers stay')
  t.equal((await root.post(`${path}/save`)).statusCode, 303)
  t.same(dealersIn(cabinet), ['One: Alpha Windows', 'Two: New Ltd', 'Three: New Ltd', 'Five: Alpha Windows', 'Six: Nobody Ltd'])
  t.equal(cabinet.db.select().from(companies).all().length, 4, 'one company is new')
})

t.test('nobody takes a name for a company that they do not see, nor adds one without the right to', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  db.$client
    .prepare("delete from user_policies where user_id = ? and policy_id = (select id from policies where key = 'company_can_add')")
    .run(cast.maria)
  const maria = await as('maria')
  const { path, page } = await checked(maria, 'dealers', csv([heading, row('One', 'Бета'), row('Two', 'New Ltd')]))
  t.notOk(optionsFor(page).includes('Add it'))
  t.notOk(page.body.includes('Ёлка'), 'the company of another manager is not proposed')
  const names = ['company_id Бета', 'company_id New Ltd']
  await maria.post(path, { names, answers: ['is ООО «Бета Ёлка»', 'add'], others: ['', ''] })
  t.same(outcomes(await maria.get(path)), ['2 refused', '3 refused'])
  const refused = await maria.post(path, { names, answers: ['something', ''], others: ['', ''] })
  t.equal(refused.statusCode, 422)
})
