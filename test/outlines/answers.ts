import { eq } from 'drizzle-orm'
import t from 'tap'
import { categoryCompany, companies, products, trash, users } from '../../src/database/schema/index.ts'
import { type Answer, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { content, recordedOutlines } from '../support/outlines.ts'
import { insertProduct } from '../support/products.ts'

t.test('what is answered to forms is as written down: errors, questions, conflicts and reports', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const { alpha, beta } = cast.companies
  const [root, admin, clerk] = [await as('root'), await as('admin'), await as('clerk')]
  const { shows, end } = recordedOutlines('answers')
  const check = (title: string, { statusCode, body }: Answer) =>
    shows(t, statusCode === 200 ? title : `${title}: ${statusCode}`, body, body.includes('id="main"') ? content : ':root')
  const post = async (path: string, fields: Fields, title = `POST ${path}`, browser = root) =>
    check(title, await browser.post(path, fields))
  const get = async (path: string, browser = root, headers = {}) =>
    check(
      `GET ${path}${browser === clerk ? ' of the clerk' : ''}${headers === htmx ? ', a fragment' : ''}`,
      await browser.get(path, headers),
    )

  for (const path of ['/company/add', '/dealers/add', '/managers/add', '/products/add', '/categories/add', '/news/add'])
    await post(path, {})
  for (const path of ['/orders/add', '/company/edit/1'])
    await post(path, { items: '', org: '', email: 'x'.repeat(256), phone: 'no\nphone' })
  for (const path of [
    '/company/edit/1/discounts',
    '/company/edit/1/contract_prices',
    '/company/edit/1/files',
    '/status/edit/1/transitions',
  ])
    await get(`${path}/row?index=3`, root, htmx)
  for (const path of ['/orders/add/items', '/products/add/prices', '/company/edit/1/discounts'])
    await get(`${path}/row?index=1`, root, htmx)
  await get('/company/edit/1/discounts/row?index=x')

  db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: 5 }).run()
  await admin.post(`/company/edit/${alpha}`, { bank: 'Theirs', discounts: '' })
  const conflict = {
    bank: 'Mine',
    version: 1,
    discounts: '',
    'discounts[0][id]': 1,
    'discounts[0][category_id]': 1,
    'discounts[0][discount]': 9,
  }
  await post(`/company/edit/${alpha}`, conflict, 'a conflict')

  await get('/dealers?q=nowhere&active=1')
  await get('/dealers?q=denis', root, htmx)
  await get('/nothing/there')
  await get('/companies', clerk)
  await get('/companies', clerk, htmx)
  await get(`/company/edit/${beta}`, await as('maria'))
  grant(db, cast.clerk, 'company_can_view', 'dealer_can_view')
  for (const tab of ['', '?tab=files', '?tab=prices']) await get(`/company/edit/${beta}${tab}`, clerk)
  await get('/dealers', clerk)
  await get(`/dealers/edit/${cast.denis}`, clerk)

  await get(`/dealers/change?id=${cast.denis}&id=${cast.vera}`, admin)
  await post('/dealers/change', { id: [cast.denis, cast.vera] }, 'a change of nothing', admin)
  await post('/dealers/change', { id: [cast.denis, cast.roman], account: 0 }, 'a report on a change', admin)
  await post('/dealers/delete', { all: 1, q: 'e', seen: 'others' }, 'a deletion of others than were seen')
  await post(`/managers/${cast.maria}/hand-over`, { hand_over_to: 'x' }, 'a hand-over to nobody')
  await root.post('/dealers/delete', { id: cast.roman, once: 'roman' })
  await get('/dealers')
  const product = insertProduct(db, { article: 'W-1' })
  await root.post('/products/delete', { id: product })
  insertProduct(db, { article: 'W-1' })
  t.equal(db.select().from(products).all().length, 1)
  const deleted = db.select().from(trash).where(eq(trash.list, 'products')).get()
  await post(`/bin/${deleted?.id}/restore`, {}, 'a restore of what is taken')
  await get('/bin?kind=products')
  await post('/companies/import', {}, 'an import without a file')
  await post('/imports/1', {}, 'an import of nobody')
  await post('/login', { email: 'nobody@example.com', password: 'wrong' }, 'a wrong password', cabinet.newBrowser())
  const key = 'a'.repeat(64)
  db.update(users).set({ image: key }).where(eq(users.id, cast.maria)).run()
  db.update(products).set({ image: key }).run()
  db.update(companies)
    .set({ files: [{ name: 'Contract', file: key }] })
    .where(eq(companies.id, alpha))
    .run()
  await get(`/managers/edit/${cast.maria}`)
  await get(`/products/edit/${db.select().from(products).get()?.id}`)
  for (const browser of [root, clerk]) await get(`/company/edit/${alpha}?tab=files`, browser)
  db.update(companies).set({ inn: '1', ogrn: '2' }).where(eq(companies.id, beta)).run()
  await post(`/company/edit/${beta}`, { email: 'x'.repeat(300) }, 'an error beside warnings')
  await get('/company/warnings?inn=1&ogrn=1&bik=1', root, htmx)
  end(t)
})
