import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, statuses, statusTransitions } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { hiddenOf, parseHtml } from '../support/html.ts'

const linkOf = ({ body }: Answer, rel: 'prev' | 'next') => parseHtml(body)(`a[rel="${rel}"]`)
const hrefOf = (answer: Answer, rel: 'prev' | 'next') => linkOf(answer, rel).attr('href')

t.test('the order page links to the previous and next order of the list that the user came from', async (t) => {
  const { cast, db, as } = await startCabinet(t)
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const statusId = (key: string) =>
    db
      .select()
      .from(statuses)
      .all()
      .find(({ status_key }) => status_key === key)?.id as number
  const [fresh, waiting] = [statusId('new'), statusId('apply')]
  db.delete(orders).run()
  const insert = (status_id: number, values = of) =>
    Number(
      db
        .insert(orders)
        .values({ ...values, status_id })
        .run().lastInsertRowid,
    )
  const [one, two, foreign, three] = [
    insert(fresh),
    insert(fresh),
    insert(fresh, { dealer_id: cast.daria, company_id: cast.companies.beta }),
    insert(fresh),
  ]
  const maria = await as('maria')
  const list = `?${new URLSearchParams({ status: String(fresh), sort: 'id', dir: 'asc' })}`
  const back = new URLSearchParams({ back: list })
  const page = (id: number) => `/orders/${id}?${back}`

  t.test(
    'previous and next keep the search, filters and order of the list, across pages and only within what this user sees',
    async (t) => {
      const row = parseHtml((await maria.get(`/orders${list}`)).body)(`#orders-${two} .row-link`)
      t.equal(row.attr('href'), page(two), 'a row of the list says where one comes from')
      const answer = await maria.get(page(two))
      t.equal(hrefOf(answer, 'prev'), page(one))
      t.equal(hrefOf(answer, 'next'), page(three), `not ${foreign}, an order of another company`)
      t.same(
        (['prev', 'next'] as const).map((rel) => linkOf(answer, rel).attr('aria-label')),
        ['Previous order', 'Next order'],
      )
      const [first, last] = [await maria.get(page(one)), await maria.get(page(three))]
      t.same([hrefOf(first, 'prev'), hrefOf(last, 'next')], [undefined, undefined])
      const many = Array.from({ length: 25 }, () => insert(fresh))
      const second = `${list}&page=2`
      const onSecond = await maria.get(`/orders/${many[22]}?${new URLSearchParams({ back: second })}`)
      t.match(hrefOf(onSecond, 'prev'), `/orders/${many[21]}?`, 'the last of the page before')
      t.ok(hrefOf(onSecond, 'next'))
      const rows = [one, two, three, ...many]
      for (const [place, from, sort] of [
        ['page', list, rows],
        ['last page', second, rows],
        ['whole list', `${list}&size=all`, rows],
        ['turned list', list.replace('dir=asc', 'dir=desc'), rows.toReversed()],
      ] as const) {
        const shown = place === 'whole list' ? sort : place === 'last page' ? sort.slice(25) : sort.slice(0, 25)
        const at = async (id: number | undefined) => maria.get(`/orders/${id}?${new URLSearchParams({ back: from })}`)
        const idIn = (answer: Answer, rel: 'prev' | 'next') => Number(/\/orders\/(\d+)/.exec(hrefOf(answer, rel) ?? '')?.[1])
        const [top, bottom] = [await at(shown[0]), await at(shown.at(-1))]
        const expected = [sort[sort.indexOf(shown[0] as number) - 1], sort[sort.indexOf(shown.at(-1) as number) + 1]]
        t.same([idIn(top, 'prev'), idIn(bottom, 'next')], expected.map(Number), `the first and the last row of the ${place}`)
        t.same([idIn(top, 'next'), idIn(bottom, 'prev')], [shown[1], shown.at(-2)], `and those beside them on the ${place}`)
      }
      const all = await maria.get(`/orders/${many[10]}?${new URLSearchParams({ back: `${list}&size=all&q=1` })}`)
      t.equal(all.statusCode, 200)
      const plain = parseHtml((await maria.get('/orders')).body)(`#orders-${many[24]} .row-link`)
      t.equal(plain.attr('href'), `/orders/${many[24]}?back=%3F`)
      t.ok(hrefOf(await maria.get(`/orders/${many[24]}?back=%3F`), 'next'), 'the whole list is a list too')
      for (const id of many) db.delete(orders).where(eq(orders.id, id)).run()
    },
  )

  t.test('the order page has no links to neighbors without a list or with one that does not contain the order', async (t) => {
    for (const address of [`/orders/${two}`, `/orders/${two}?back=https://example.com`, `/orders/${two}?back=%3Fstatus%3D${waiting}`]) {
      const answer = await maria.get(address)
      t.equal(answer.statusCode, 200)
      t.same([hrefOf(answer, 'prev'), hrefOf(answer, 'next')], [undefined, undefined], address)
    }
  })

  t.test('after a transition the next order of the queue is offered, although the moved order has left it', async (t) => {
    const before = await maria.get(page(two))
    t.same([hiddenOf(before, 'back')[0], hiddenOf(before, 'prev')[0], hiddenOf(before, 'next')[0]], [list, String(one), String(three)])
    t.equal(parseHtml(before.body)('#composer [name=back]').attr('value'), list, 'a message leads back to the list, too')
    const step = db
      .select()
      .from(statusTransitions)
      .all()
      .find(({ parent_status_id, child_status_id }) => parent_status_id === fresh && child_status_id === waiting)
    const moved = await maria.post(`/orders/${two}/transition`, { transition_id: step?.id as number, back: list, prev: one, next: three })
    t.equal(moved.statusCode, 303)
    const after = await maria.get(moved.headers.location as string)
    t.equal(hrefOf(after, 'next'), page(three))
    t.equal(hrefOf(after, 'prev'), page(one), 'and the one before it')
    t.same([hiddenOf(after, 'prev')[0], hiddenOf(after, 'next')[0]], [one, three].map(String), 'also after the next step')
    t.match(linkOf(after, 'next').text(), 'Next order')
    const odd = await maria.get(`/orders/${two}?${back}&next=${foreign}`)
    t.equal(hrefOf(odd, 'next'), undefined, 'an order of another company is not offered')
    const lacking = db
      .select()
      .from(statusTransitions)
      .all()
      .find(({ parent_status_id, required_fields }) => parent_status_id === waiting && required_fields.length > 0)
    const refused = await maria.post(`/orders/${two}/transition`, { transition_id: lacking?.id as number, back: list, next: three })
    t.equal(refused.statusCode, 422)
    t.equal(hrefOf(refused, 'next'), page(three), 'a step that lacks something leads on, too')
    t.equal(hiddenOf(refused, 'back')[0], list)
  })

  t.test('sending a message redirects to the order page with its list', async (t) => {
    const sent = await maria.post(`/orders/${one}/messages`, { text: 'Which color?', back: list })
    t.match(sent.headers.location, new RegExp(`^/orders/${one}\\?back=.+#message-\\d+$`))
  })
})
