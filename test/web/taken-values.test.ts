import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, users } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, password } from '../support/cast.ts'
import { errorsOf } from '../support/html.ts'
import { checked, csv } from '../support/imports.ts'
import { insertProduct } from '../support/products.ts'

const email = 'This email is already in use.'
const external_id = 'Another record has this value.'

t.test('what another record has already is said together with everything else that is wrong', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  insertProduct(db, { article: 'Дверь-1', external_id: 'p-1' })
  db.update(users).set({ external_id: 'd-1' }).where(eq(users.id, cast.daria)).run()
  db.update(orders).set({ external_id: 'o-1' }).where(eq(orders.id, cast.order)).run()
  await root.post('/status/add', { status_key: 'glazing', name: 'Glazing' })
  const denis = emailOf('denis').toUpperCase()
  const wrong: [path: string, fields: Record<string, string | number>, errors: Record<string, string>][] = [
    ['/managers/add', { email: denis, lastname: '', name: 'N', password }, { email, lastname: 'Enter the last name.' }],
    [
      '/dealers/add',
      { email: denis, external_id: 'd-1', lastname: 'L' },
      { email, external_id, name: 'Enter the first name.', company_id: 'Choose a company.' },
    ],
    [`/dealers/edit/${cast.denis}`, { email: emailOf('daria'), lastname: '' }, { email, lastname: 'Enter the last name.' }],
    [`/managers/edit/${cast.plain}`, { email: denis, lastname: '' }, { email, lastname: 'Enter the last name.' }],
    [
      '/products/add',
      { article: 'двёрь-1', external_id: 'p-1' },
      { article: 'Another product has this article.', external_id, name: 'Enter a name.' },
    ],
    ['/status/add', { status_key: 'GLAZING', name: '' }, { status_key: 'This key is already in use.', name: 'Enter a name.' }],
    ['/company/add', { org: '', external_id: 'c-1' }, { org: 'Enter a name.', external_id }],
    ['/orders/add', { dealer_id: '', external_id: 'o-1', without_lines: 1 }, { external_id, dealer_id: 'Choose a dealer.' }],
  ]
  await root.post(`/company/edit/${cast.companies.alpha}`, { external_id: 'c-1' })
  for (const [path, fields, errors] of wrong) {
    const refused = await root.post(path, fields)
    t.equal(refused.statusCode, 422, path)
    t.match(errorsOf(refused), errors, path)
  }
})

t.test('several values that others have are said at once, where nothing else is wrong', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  db.update(users).set({ external_id: 'd-1' }).where(eq(users.id, cast.daria)).run()
  const root = await as('root')
  const taken = await root.post(`/dealers/edit/${cast.denis}`, { email: emailOf('daria'), external_id: 'd-1' })
  t.same(errorsOf(taken), { email, external_id })
  t.equal(
    (await root.post(`/dealers/edit/${cast.denis}`, { email: emailOf('denis').toUpperCase() })).statusCode,
    303,
    'one may keep what one has',
  )
  t.same(
    errorsOf(await root.post(`/dealers/edit/${cast.denis}`, { email: emailOf('denis'), lastname: '' })),
    { lastname: 'Enter the last name.' },
    'and it is not said of it',
  )
})

t.test('as specified, only administrators may be given the email of somebody else, and never a new one', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const lastname = { lastname: 'Enter the last name.' }
  t.same(errorsOf(await root.post(`/admins/edit/${cast.clerk}`, { email: emailOf('denis'), lastname: '' })), lastname)
  t.same(errorsOf(await root.post('/admins/add', { email: emailOf('denis'), lastname: '', name: 'N', password })), { email, ...lastname })
  const strict = await startCabinet(t, { environment: { RULES: 'strict' } })
  const refused = await (await strict.as('root')).post(`/admins/edit/${strict.cast.clerk}`, { email: emailOf('denis') })
  t.same(errorsOf(refused), { email })
})

t.test('programs and sheets are told of it with the rest, too', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  grant(db, cast.admin, 'product_can_view', 'product_can_edit')
  insertProduct(db, { article: 'A', external_id: 'p-1' })
  const answer = await clientOf(cabinet, 'root').post('/products', { article: 'a', external_id: 'p-1', name: '' })
  t.same([answer.statusCode, Object.keys(answer.json().errors).sort()], [422, ['article', 'category_id', 'external_id', 'name']])
  const admin = await as('admin')
  const { page } = await checked(
    admin,
    'products',
    csv([
      ['External ID', 'Article', 'Product name', 'Unit'],
      ['p-2', 'a', 'Door', 'parsecs'],
    ]),
  )
  t.match(page.body, /Another product has this article/)
})
