import { and, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { categories, categoryCompany, changes } from '../../src/database/schema/index.ts'
import { type Browser, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { companyOf, discountsOf } from '../support/companies.ts'
import { elementsOf, errorsOf, fieldOf, hiddenOf, isDocument } from '../support/html.ts'

const unknown = 999_999

t.test('category discounts of a company', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, beta } = cast.companies
  const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
  const windows = cast.category
  const path = `/company/edit/${alpha}`
  const rows = () => discountsOf(cabinet, alpha).map(({ category_id, discount }) => [category_id, discount])
  const save = async (fields: Fields, browser?: Browser) => (browser ?? (await as('admin'))).post(path, fields)

  t.test('category discounts are added in the order in which they were sent', async (t) => {
    const added = {
      discounts: '',
      'discounts[0][category_id]': windows,
      'discounts[0][discount]': 5,
      'discounts[7][category_id]': doors,
      'discounts[7][discount]': 100,
    }
    t.equal((await save(added)).statusCode, 303)
    t.same(rows(), [
      [windows, 5],
      [doors, 100],
    ])
    const card = await (await as('admin')).get(path)
    t.equal(fieldOf(card, 'discounts[0][discount]')?.value, '5')
    t.equal(fieldOf(card, 'discounts[1][category_id]')?.value, String(doors))
    t.same(hiddenOf(card, 'discounts'), [''], 'the marker')
  })

  t.test('a save that does not name the category discounts keeps them', async (t) => {
    t.equal((await save({ bank: 'Any' })).statusCode, 303)
    t.equal(rows().length, 2)
  })

  t.test('a category discount sent with its id is changed, and one left out is deleted', async (t) => {
    const [first] = discountsOf(cabinet, alpha)
    const id = first?.id as number
    t.equal(
      (await save({ discounts: '', 'discounts[0][id]': id, 'discounts[0][category_id]': windows, 'discounts[0][discount]': 6 })).statusCode,
      303,
    )
    t.match(discountsOf(cabinet, alpha), [{ id, category_id: windows, discount: 6 }])
    t.equal(discountsOf(cabinet, alpha).length, 1)
    const { version } = companyOf(cabinet, alpha)
    t.equal((await save({ discounts: '' })).statusCode, 303)
    t.same(rows(), [])
    t.equal(companyOf(cabinet, alpha).version, version + 1, 'writing the rows raises the version of the record')
  })

  t.test('a category discount needs an existing category, once, and a percentage from 0 to 100 (422)', async (t) => {
    const cases: [Fields, string][] = [
      [{ 'discounts[3][category_id]': windows, 'discounts[3][discount]': '' }, 'discounts.3.discount'],
      [{ 'discounts[3][category_id]': windows }, 'discounts.3.discount'],
      [{ 'discounts[3][category_id]': '', 'discounts[3][discount]': 5 }, 'discounts.3.category_id'],
      [{ 'discounts[3][category_id]': unknown, 'discounts[3][discount]': 5 }, 'discounts.3.category_id'],
      [{ 'discounts[3][category_id]': 'x', 'discounts[3][discount]': 5 }, 'discounts.3.category_id'],
      [{ 'discounts[0][category_id]': windows, 'discounts[0][discount]': 101 }, 'discounts.0.discount'],
      [{ 'discounts[0][category_id]': windows, 'discounts[0][discount]': -1 }, 'discounts.0.discount'],
      [{ 'discounts[0][category_id]': windows, 'discounts[0][discount]': 'five' }, 'discounts.0.discount'],
      [
        {
          ...{ 'discounts[2][category_id]': windows, 'discounts[2][discount]': 5 },
          ...{ 'discounts[4][category_id]': windows, 'discounts[4][discount]': 6 },
        },
        'discounts.4.category_id',
      ],
    ]
    for (const [fields, wrong] of cases) {
      const answer = await save({ discounts: '', bank: 'Typed', ...fields })
      t.equal(answer.statusCode, 422, wrong)
      t.same(Object.keys(errorsOf(answer)), [wrong], 'named by the index that was sent')
      t.equal(fieldOf(answer, 'bank')?.value, 'Typed')
      t.same(rows(), [])
      t.not(companyOf(cabinet, alpha).bank, 'Typed')
    }
    for (const discount of [0, 100])
      t.equal((await save({ discounts: '', 'discounts[0][category_id]': windows, 'discounts[0][discount]': discount })).statusCode, 303)
  })

  t.test('a category discount of another company cannot be changed (422)', async (t) => {
    const foreign = Number(
      db.insert(categoryCompany).values({ company_id: beta, category_id: windows, discount: 50 }).run().lastInsertRowid,
    )
    const answer = await save({
      discounts: '',
      'discounts[0][id]': foreign,
      'discounts[0][category_id]': doors,
      'discounts[0][discount]': 1,
    })
    t.equal(answer.statusCode, 422)
    t.match(discountsOf(cabinet, beta), [{ id: foreign, category_id: windows, discount: 50 }])
  })

  t.test('more than 200 category discounts are refused (413)', async (t) => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`discounts[${index}][discount]`, 1]))
    t.equal((await save({ discounts: '', ...many })).statusCode, 413)
  })

  t.test('without JavaScript, buttons add and remove a category discount and save nothing', async (t) => {
    const before = rows()
    const admin = await as('admin')
    const added = await save({
      org: 'Typed',
      discounts: '',
      'discounts[0][category_id]': doors,
      'discounts[0][discount]': 3,
      _add: 'discounts',
    })
    t.equal(added.statusCode, 200)
    t.equal(fieldOf(added, 'org')?.value, 'Typed')
    t.equal(fieldOf(added, 'discounts[0][discount]')?.value, '3')
    t.ok(fieldOf(added, 'discounts[1][discount]'), 'a row more')
    const removed = await save({
      discounts: '',
      'discounts[0][category_id]': doors,
      'discounts[0][discount]': 3,
      'discounts[1][discount]': 4,
      _remove: 'discounts.0',
    })
    t.equal(removed.statusCode, 200)
    t.notOk(fieldOf(removed, 'discounts[0][discount]'))
    t.equal(fieldOf(removed, 'discounts[1][discount]')?.value, '4')
    for (const odd of ['nothing', 'org', 'constructor', '__proto__', 'toString', 'discounts[0]'])
      for (const button of ['_add', '_remove', '_up']) {
        const { statusCode } = await admin.post(path, { [button]: button === '_add' ? odd : `${odd}.0` })
        t.ok(statusCode < 500, `${button}=${odd}: ${statusCode}`)
      }
    t.same(rows(), before)
    t.equal(companyOf(cabinet, alpha).org, 'Alpha Windows')
  })

  t.test('an empty category discount row has the requested index', async (t) => {
    const admin = await as('admin')
    const row = await admin.get(`${path}/discounts/row?index=12`, htmx)
    t.equal(row.statusCode, 200)
    t.notOk(isDocument(row))
    t.ok(fieldOf(row, 'discounts[12][category_id]'))
    t.equal(fieldOf(row, 'discounts[12][discount]')?.value, '')
    for (const index of ['', '-1', 'x', '12345678', '1.5', '"><script>']) {
      const { statusCode } = await admin.get(`${path}/discounts/row?index=${encodeURIComponent(index)}`)
      t.ok([404, 422].includes(statusCode), `${index}: ${statusCode}`)
    }
    t.equal((await (await as('mikhail')).get(`${path}/discounts/row?index=0`)).statusCode, 403)
    t.equal((await admin.get(`/company/edit/${unknown}/discounts/row?index=0`)).statusCode, 404)
  })
})

t.test(
  'a category that is deleted takes its discounts along, which the history of each company says, and a restore brings them back',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { as, cast, db } = cabinet
    const { alpha, beta } = cast.companies
    const doors = Number(db.insert(categories).values({ name: 'Doors', search: 'doors' }).run().lastInsertRowid)
    const of = (company_id: number, category_id: number, discount: number) => ({ company_id, category_id, discount })
    db.insert(categoryCompany)
      .values([of(alpha, cast.category, 5), of(alpha, doors, 7), of(beta, cast.category, 9)])
      .run()
    const root = await as('root')
    const kept = () =>
      db
        .select()
        .from(categoryCompany)
        .all()
        .map(({ company_id, discount }) => [company_id, discount])
    const history = (id: number) =>
      db
        .select()
        .from(changes)
        .where(and(eq(changes.entity, 'companies'), eq(changes.record_id, id)))
        .orderBy(desc(changes.id))
        .get()?.fields.discounts as [{ discount: number }[], { discount: number }[]]
    const discounts = (id: number) => history(id).map((rows) => rows.map(({ discount }) => discount))
    t.equal((await root.post('/categories/delete', { id: doors })).statusCode, 303)
    t.same(kept(), [
      [alpha, 5],
      [beta, 9],
    ])
    t.same(discounts(alpha), [[5, 7], [5]])
    t.equal(history(beta), undefined, 'the other company is not concerned')
    const [row] = elementsOf((await root.get('/bin')).body, 'tr[id^=bin-]')
    t.equal((await root.post(`/bin/${/bin-(\d+)/.exec(row ?? '')?.[1]}/restore`)).statusCode, 303)
    t.same(
      kept().sort(),
      [
        [alpha, 5],
        [alpha, 7],
        [beta, 9],
      ].sort(),
    )
    t.same(discounts(alpha), [[5], [5, 7]])
  },
)
