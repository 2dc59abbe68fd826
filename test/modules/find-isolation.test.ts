import fc from 'fast-check'
import t from 'tap'
import { companies, news, orderItems, orders, users } from '../../src/database/schema/index.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { insertOrder } from '../support/orders.ts'

const letters = fc.string({ unit: fc.constantFrom(...'абвёЖaxyzQ1-('), minLength: 4, maxLength: 9 })
const part = fc.record({ of: fc.nat(), from: fc.nat(), length: fc.nat(), spelling: fc.nat() })
const strangers = fc.record({
  texts: fc.array(letters, { minLength: 16, maxLength: 16 }),
  digits: fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 10, maxLength: 10 }),
  parts: fc.array(part, { minLength: 4, maxLength: 4 }),
})
type Stranger = typeof strangers extends fc.Arbitrary<infer Values> ? Values : never
type Part = Stranger['parts'][number]

/** A text as somebody may type it: whole or some of it, in another case, as digits only. */
function termFrom(texts: string[], { of, from, length, spelling }: Part): string {
  const text = texts[of % texts.length] as string
  const start = from % text.length
  const piece = spelling % 2 === 0 ? text : text.slice(start, start + 1 + (length % (text.length - start)))
  return [piece, piece.toUpperCase(), piece.replace(/\D/g, '') || piece, piece.replace(/^\+7/, '8')][spelling % 4] as string
}

t.test('what a dealer is answered does not depend on another company', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { alpha } = cast.companies
  const own = { dealer_id: cast.denis, company_id: alpha }
  for (const receiver of ['Анна Ёж', 'xyz 1', 'Жба-(']) insertOrder(cabinet, 'new', { ...own, receiver, phone: '+7(999) 123 45 67' })
  // biome-ignore lint/suspicious/noExplicitAny: any table with an id
  const insert = (table: any, values: object) => Number(db.insert(table).values(values).run().lastInsertRowid)

  /** A company with a dealer, an order, a manager of its own and news that is not yet published; every text that says something of them. */
  function insertStranger({ texts, digits }: Stranger): string[] {
    const [
      org = '',
      inn,
      email,
      lastname,
      name,
      receiver,
      address,
      sn,
      item,
      managerName,
      managerEmail,
      title,
      excerpt,
      tg_id,
      dealerEmail,
    ] = texts
    const phone = `+7(${digits.slice(0, 3)}) ${digits.slice(3, 6)} ${digits.slice(6, 8)} ${digits.slice(8)}`
    const user = { password: '-', phone, name, tg_id }
    const manager_id = insert(users, { ...user, group_id: 3, lastname: managerName, email: `${managerEmail}@staff.example` })
    const company_id = insert(companies, { org, inn, phone, email: `${email}@firm.example`, manager_id })
    const dealer_id = insert(users, { ...user, group_id: 2, lastname, email: `${dealerEmail}@dealer.example`, company_id, manager_id })
    const specification_number = Number(digits.slice(4))
    const order = insert(orders, { dealer_id, company_id, status_id: 1, specification_number, receiver, phone, address, sn })
    insert(orderItems, { order_id: order, name: item, quantity: 1, price: 1, discount: 0 })
    insert(news, { name: title, description: `<p>${excerpt}</p>`, excerpt, published: false })
    return [...texts, phone, String(order), `#${order}`, String(specification_number)]
  }

  for (const name of ['denis', 'daria'] as const)
    t.test(`${name} finds nothing by any term of a company that is not theirs, not even by count`, async (t) => {
      const dealer = await as(name)
      const ask = async (term: string) => {
        const q = `q=${encodeURIComponent(term)}`
        const answers = [`/find?${q}`, `/orders?${q}`, `/orders?${q}&size=all&sort=cost&status=1`, `/news?${q}`].map((path) =>
          dealer.get(path, htmx),
        )
        return (await Promise.all(answers)).map(({ statusCode, body }) => `${statusCode} ${body}`)
      }
      const changesNothing = async (stranger: Stranger) => {
        db.$client.exec('savepoint stranger')
        const texts = insertStranger(stranger)
        const terms = stranger.parts.map((part) => termFrom(texts, part))
        const beside = []
        for (const term of terms) beside.push(await ask(term))
        db.$client.exec('rollback to stranger; release stranger')
        for (const [at, term] of terms.entries()) t.same(await ask(term), beside[at], term)
      }
      await fc.assert(fc.asyncProperty(strangers, changesNothing), { numRuns: 10 })
    })

  t.test('whoever may see that company finds it by the same terms', async (t) => {
    const texts = insertStranger({ texts: Array.from({ length: 16 }, (_, at) => `unique${at}x`), digits: '9995554433', parts: [] })
    const root = await as('root')
    for (const term of texts.filter((_, at) => at !== 12 && at !== 15)) {
      const { body } = await root.get(`/find?q=${encodeURIComponent(term)}`, htmx)
      t.match(body, /data-found="(orders|companies|dealers|managers|news)-/, term)
    }
  })
})
