import { desc } from 'drizzle-orm'
import t from 'tap'
import { categories, products, users } from '../../src/database/schema/index.ts'
import { type Answer, type Browser, type Fields, startCabinet } from '../support/cabinet.ts'
import { fieldOf, parseHtml, textOf } from '../support/html.ts'

const button = (answer: Answer) => parseHtml(answer.body)('[name=_another]').length
const focused = (answer: Answer) => parseHtml(answer.body)('[autofocus]').attr('name')

/** Saves, and says what is told where that leads. */
async function save(browser: Browser, path: string, fields: Fields) {
  const location = String((await browser.post(path, fields)).headers.location)
  const answer = await browser.get(location)
  const page = parseHtml(answer.body)
  return { location, answer, said: textOf(page('.flash [role=status]').text()), opens: page('.flash > a').attr('href') }
}

t.test('whoever adds several in a row gets the next form, begun with what they share, and the way to what was added', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  const newest = (table: typeof categories | typeof products | typeof users) =>
    db.select({ id: table.id }).from(table).orderBy(desc(table.id)).get()?.id

  t.equal(button(await root.get('/categories/add')), 1)
  const category = await save(root, '/categories/add?back=q%3Da', { name: 'Doors', _another: 1 })
  t.match(category, {
    location: '/categories/add?back=q%3Da',
    said: 'Doors added',
    opens: `/categories/edit/${newest(categories)}?back=q%3Da`,
  })
  t.equal(focused(category.answer), 'name')
  t.match(
    await save(root, '/categories/add', { name: 'Gates' }),
    { location: `/categories/edit/${newest(categories)}` },
    'without it the record opens',
  )

  const doors = Number(newest(categories))
  const product = await save(root, '/products/add', {
    article: 'A',
    name: 'Door',
    category_id: doors,
    unit: 'm2',
    basis: 'area',
    active: 1,
    _another: 1,
  })
  t.match(product, { location: `/products/add?category=${doors}&unit=m2&basis=area`, opens: `/products/edit/${newest(products)}` })
  for (const [name, value] of Object.entries({ article: '', name: '', category_id: String(doors), unit: 'm2', basis: 'area' }))
    t.equal(fieldOf(product.answer, name)?.value, value, name)
  t.equal(focused(product.answer), 'article')

  const { alpha } = cast.companies
  const dealer = await save(root, '/dealers/add', {
    company_id: alpha,
    lastname: 'L',
    name: 'N',
    email: 'n@example.com',
    invite: 1,
    _another: 1,
  })
  t.match(dealer, { location: `/dealers/add?company=${alpha}`, opens: `/dealers/edit/${newest(users)}?tab=invitation` })
  t.equal(fieldOf(dealer.answer, 'company_id')?.value, String(alpha))
  t.equal(focused(dealer.answer), 'lastname', 'the company is chosen')

  const place = { stock_id: cast.stock, manufacture_id: cast.site }
  const made = { lastname: 'L', name: 'N', email: 'p@example.com', invite: 1, active: 1, _another: 1 }
  const production = await save(root, '/productions/add', { ...place, ...made })
  for (const [name, id] of Object.entries(place)) t.equal(fieldOf(production.answer, name)?.value, String(id), name)
})

t.test('a form that is wrong stays, and one that changes a record, or places an order, goes on with no other', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  t.equal((await root.post('/categories/add', { name: '', _another: 1 })).statusCode, 422)
  for (const path of [`/categories/edit/${cast.category}`, '/orders/add', '/status/add', '/news/add'])
    t.equal(button(await root.get(path)), 0, path)
  const saved = await save(root, `/categories/edit/${cast.category}`, { name: 'Doors', _another: 1 })
  t.equal(saved.location, `/categories/edit/${cast.category}`)
})
