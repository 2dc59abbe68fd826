import { eq } from 'drizzle-orm'
import t from 'tap'
import { manufactures, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, fieldOf, rowsOf, textOf } from '../support/html.ts'

const member = { lastname: 'Semyonov', name: 'Semyon', email: 'semyon@example.com', password: 'a good password', active: 1 }

t.test('a production user of no site and no warehouse is told why there are no orders, and administrators see who that is', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const set = (values: Partial<typeof users.$inferInsert>) => db.update(users).set(values).where(eq(users.id, cast.pavel)).run()
  const pages = async () => {
    const pavel = await as('pavel')
    const bodies = await Promise.all(
      ['/', '/orders', '/orders?waiting=1', '/orders?q=window', '/orders/board'].map(async (path) => (await pavel.get(path)).body),
    )
    return bodies.map((body) =>
      /Your workplace is not set yet You are assigned to no production site and no warehouse\. Ask an administrator/.test(textOf(body)),
    )
  }
  const root = await as('root')
  const marks = async () =>
    rowsOf(await root.get('/productions'), 'productions').map(({ html }) => /None: sees no orders/.test(textOf(html)))
  const onCard = async () => /Workplace None: sees no orders/.test(textOf((await root.get(`/productions/edit/${cast.pavel}`)).body))
  set({ manufacture_id: null, stock_id: null })
  t.same([await pages(), await marks(), await onCard()], [[true, true, true, true, true], [true], true])
  for (const path of ['/', '/orders?waiting=1'])
    t.notMatch(textOf((await (await as('pavel')).get(path)).body), /all caught up|All done/, `${path} does not say that all is done`)
  set({ manufacture_id: cast.site })
  t.same([await pages(), await marks(), await onCard()], [[false, false, false, false, false], [false], false], 'a site is enough')
  set({ manufacture_id: null, stock_id: cast.stock })
  t.same([await pages(), await marks(), await onCard()], [[false, false, false, false, false], [false], false], 'so is a warehouse')
  t.notMatch(textOf((await (await as('denis')).get('/orders/board')).body), 'workplace', 'nobody else has one')
})

t.test('the form of a production user says what a missing workplace means, and chooses the only site', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const chosen = async () => {
    const { body } = await root.get('/productions/add')
    return elementsOf(body, '#manufacture_id option[selected]').map(textOf)
  }
  const [only] = db.select().from(manufactures).all()
  t.same(await chosen(), [only?.name])
  t.match(textOf((await root.get('/productions/add')).body), 'Without a production site or a warehouse this person sees no orders at all.')
  db.insert(manufactures).values({ name: 'Second site' }).run()
  t.same(await chosen(), [], 'of two nobody knows which')
  t.equal((await root.post('/productions/add', { ...member, manufacture_id: '' })).statusCode, 303, 'it may stay open')
  t.ok(fieldOf(await root.get('/productions/add'), 'stock_id'))
})
