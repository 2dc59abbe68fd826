import { eq, ne } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { expectations } from '../../src/core/transition-rules.ts'
import { companies, orderBalances, orders, statuses, statusTransitions, users } from '../../src/database/schema/index.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { elementsOf, errorsOf, idsOf, parseHtml, textOf } from '../support/html.ts'
import { insertOrder, orderOf, setOrder, statusId, transitionBetween } from '../support/orders.ts'

const parties = ['dealer', 'manager', 'production'] as const
type Party = (typeof parties)[number]

interface Step {
  from: number
  to: number
  own: Record<Party, boolean>
  any: Record<Party, boolean>
  whenPaid: boolean
  minPaid: number | null
}
interface Design {
  expected: (typeof expectations)[number][]
  steps: Step[]
}

const flags = fc.record({ dealer: fc.boolean(), manager: fc.boolean(), production: fc.boolean() })
const size = 5
const index = fc.nat({ max: size - 1 })
const anyDesign: fc.Arbitrary<Design> = fc.record({
  expected: fc.array(fc.constantFrom('default', ...expectations), { minLength: size, maxLength: size }),
  steps: fc.array(
    fc
      .record({ from: index, to: index, own: flags, any: flags, whenPaid: fc.boolean(), minPaid: fc.constantFrom(null, 30) })
      .filter(({ from, to }) => from !== to),
    { maxLength: 10 },
  ),
})

/** The rule in the words of the specification: who is expected to act in a status. */
function expectedIn({ expected, steps }: Design, status: number): Party | undefined {
  const outgoing = steps.filter(({ from }) => from === status)
  const isFinal = (one: number) => !steps.some(({ from }) => from === one)
  if (outgoing.length === 0) return undefined
  const said = expected[status]
  if (said !== 'default') return said === 'nobody' ? undefined : said
  const forward = outgoing.filter(({ to }) => !isFinal(to))
  const onward = forward.length > 0 ? forward : outgoing
  return parties.find((party) => onward.some(({ own }) => own[party]))
}

const cost = 1001

/** Who is expected to act on an order: on one that is paid and has not moved on its manager. */
function atTurn(design: Design, status: number, { paid }: Owner): Party | undefined {
  const marked = design.steps.find(({ from, whenPaid }) => whenPaid && from === status)
  return marked && paid * 100 >= cost * (marked.minPaid ?? 100) ? 'manager' : expectedIn(design, status)
}

const people = {
  root: undefined,
  maria: 'manager',
  mikhail: 'manager',
  pavel: 'production',
  denis: 'dealer',
  roman: 'dealer',
  daria: 'dealer',
} as const satisfies Partial<Record<Name, Party | undefined>>
const names = Object.keys(people) as (keyof typeof people)[]

/** Orders of Denis, of Daria, and of a company without a manager; Pavel makes what Alpha orders. */
const owners = [
  { dealer: 'denis', manager: 'maria', made: true, paid: 1001 },
  { dealer: 'denis', manager: 'maria', made: true, paid: 1000 },
  { dealer: 'daria', manager: 'mikhail', made: false, paid: 301 },
  { dealer: undefined, manager: undefined, made: false, paid: 300 },
] as const
type Owner = (typeof owners)[number]

function isTurnOf(name: Name, party: Party | undefined, owner: Owner): boolean {
  if (party === 'dealer') return owner.dealer === name
  if (party === 'manager') return owner.manager ? owner.manager === name : name === 'root'
  return party === 'production' && name === 'pavel' && owner.made
}

/** Replaces the workflow and all orders: one order of each owner and kind in each status. */
function build({ db, cast }: Cabinet, { expected, steps }: Design) {
  db.delete(orderBalances).run()
  db.delete(orders).run()
  db.delete(statuses).run()
  const ids = expected.map((said, at) =>
    Number(
      db
        .insert(statuses)
        .values({ status_key: `s${at}`, name: `S${at}`, index: at, expected: said })
        .run().lastInsertRowid,
    ),
  )
  const ways = steps.map(({ from, to, own, any, whenPaid: when_paid, minPaid: min_paid }) => {
    const performers = {
      ...{ dealer_can: own.dealer, manager_can: own.manager, production_can: own.production },
      ...{ dealers_can: any.dealer, managers_can: any.manager, productions_can: any.production },
    }
    const way = { parent_status_id: ids[from] as number, child_status_id: ids[to] as number, when_paid, min_paid, ...performers }
    return Number(db.insert(statusTransitions).values(way).run().lastInsertRowid)
  })
  const { alpha, beta, nobodys } = cast.companies
  const companyOf = [alpha, alpha, beta, nobodys]
  const all = ids.flatMap((status_id, status) =>
    owners.map((owner, at) => {
      const company_id = companyOf[at] as number
      const values = { status_id, company_id, dealer_id: owner.dealer ? cast[owner.dealer] : null, cost }
      const id = Number(db.insert(orders).values(values).run().lastInsertRowid)
      db.insert(orderBalances).values({ order_id: id, company_id, charged: 0, paid: owner.paid }).run()
      return { id, status, owner }
    }),
  )
  return { ways, orders: all }
}

t.test('whatever the workflow, every order waits for whom the rule says, and for nobody else', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  const waitingFor = async (name: Name) => idsOf(await (await as(name)).get('/orders?waiting=1&size=all'), 'orders').sort(byNumber)
  await fc.assert(
    fc.asyncProperty(anyDesign, async (design) => {
      const built = build(cabinet, design)
      const model = (name: Name) =>
        built.orders.filter(({ status, owner }) => isTurnOf(name, atTurn(design, status, owner), owner)).map(({ id }) => id)
      for (const name of names) {
        same(await waitingFor(name), model(name), `waits for ${name}`)
        const dashboard = parseHtml((await (await as(name)).get('/')).body)
        same(Number(dashboard('#waiting-title .count').text()), model(name).length, `counted for ${name}`)
      }
      for (const name of names) {
        const order = built.orders.find(({ id }) => model(name).includes(id))
        const at = design.steps.findIndex(({ from, own, any, minPaid }) => {
          const party = people[name]
          const paid = order && order.owner.paid * 100 >= cost * (minPaid ?? 0)
          return paid && order.status === from && (party === undefined || own[party] || any[party])
        })
        if (!order || at < 0) continue
        const answer = await (await as(name)).post(`/orders/${order.id}/transition`, { transition_id: built.ways[at] as number })
        same(answer.statusCode, 303, `a step by ${name}`)
        order.status = (design.steps[at] as Step).to
        const again = isTurnOf(name, atTurn(design, order.status, order.owner), order.owner)
        same((await waitingFor(name)).includes(order.id), again, `after their step it ${again ? 'waits' : 'no longer waits'} for ${name}`)
      }
    }),
    { numRuns: 12 },
  )
})

function same(found: unknown, expected: unknown, what: string): void {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
}

const byNumber = (a: number, b: number) => a - b

t.test('whose turn it is', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const found = async (name: Name, query: string) => idsOf(await (await as(name)).get(`/orders?${query}&size=all`), 'orders')

  t.test('what a manager has asked of the dealer no longer waits for the manager, but can still be moved', async (t) => {
    const id = setOrder(cabinet, 'apply', { specification: 'a', invoice: 'b' })
    t.same([await found('maria', 'waiting=1'), await found('denis', 'waiting=1')], [[id], []])
    const asked = await (await as('maria')).post(`/orders/${id}/transition`, {
      transition_id: transitionBetween(cabinet, 'apply', 'payment').id,
    })
    t.equal(asked.statusCode, 303)
    t.same([await found('maria', 'waiting=1'), await found('denis', 'waiting=1')], [[], [id]])
    t.same([await found('maria', 'mine=1'), await found('mikhail', 'mine=1'), await found('root', 'mine=1')], [[id], [], [id]])
    setOrder(cabinet, 'completed')
    t.same([await found('maria', 'mine=1'), await found('root', 'mine=1')], [[], []])
  })

  t.test('the page of an order says whose turn it is', async (t) => {
    const id = setOrder(cabinet, 'apply')
    const turn = async (name: Name) => elementsOf((await (await as(name)).get(`/orders/${id}`)).body, '[data-turn]').map(textOf)
    t.same(
      [await turn('maria'), await turn('denis'), await turn('root')],
      [['Your turn'], ['Waiting for the manager'], ['Waiting for the manager']],
    )
    setOrder(cabinet, 'new')
    t.same(
      [await turn('maria'), await turn('denis'), await turn('roman')],
      [['Waiting for the dealer'], ['Your turn'], ['Waiting for the dealer']],
    )
    setOrder(cabinet, 'production')
    t.same(await turn('maria'), ['Waiting for production'])
    setOrder(cabinet, 'apply')
    const manager = (manager_id: number | null) => {
      db.update(companies).set({ manager_id }).where(eq(companies.id, cast.companies.alpha)).run()
      db.update(users).set({ manager_id }).where(eq(users.id, cast.denis)).run()
    }
    manager(null)
    t.same([await turn('denis'), await turn('root')], [['Waiting for an administrator'], ['Your turn']])
    manager(cast.maria)
    setOrder(cabinet, 'canceled')
    t.same(await turn('maria'), [])
  })

  t.test('a card on the board says what is expected of whoever sees it', async (t) => {
    const [mine, dealers] = [insertOrder(cabinet, 'apply', of), insertOrder(cabinet, 'new', of)]
    const onCard = async (name: Name, id: number) =>
      elementsOf((await (await as(name)).get('/orders/board')).body, `[data-order="${id}"] .board-turn`).map(textOf)
    t.same(await onCard('maria', mine), ['Your turn Request payment'])
    t.same(await onCard('maria', dealers), [])
    t.same(await onCard('denis', dealers), ['Your turn Send for signing'])
    t.same(await onCard('root', mine), [])
    db.update(companies).set({ manager_id: null }).where(eq(companies.id, cast.companies.alpha)).run()
    db.update(users).set({ manager_id: null }).where(eq(users.id, cast.denis)).run()
    t.same(await onCard('root', mine), ['Your turn Request payment'], 'without a manager')
    t.same(await found('root', 'waiting=1'), [mine])
    db.update(companies).set({ manager_id: cast.maria }).where(eq(companies.id, cast.companies.alpha)).run()
    db.update(users).set({ manager_id: cast.maria }).where(eq(users.id, cast.denis)).run()
  })

  t.test('a status says who is expected to act; the effect is shown before it is saved', async (t) => {
    const root = await as('root')
    const id = setOrder(cabinet, 'delivery')
    db.delete(orders).where(ne(orders.id, id)).run()
    t.same(await found('maria', 'waiting=1'), [id])
    const address = '/status/edit/delivery?tab=transitions'
    const chosen = parseHtml((await root.get(address)).body)('[name=expected] option')
    t.same(
      chosen
        .toArray()
        .map((option) => [option.attribs.value, textOf(option.children.map((one) => ('data' in one ? one.data : '')).join())]),
      [
        ['', 'Not selected'],
        ['default', 'Default'],
        ['dealer', "Order's dealer"],
        ['manager', "Company's manager"],
        ['production', 'Production'],
        ['nobody', 'No one'],
      ],
    )
    const preview = async (expected: string) => {
      const { body } = await root.post(address, { expected, _preview: 1 })
      return textOf(elementsOf(body, '#preview').join())
    }
    t.match(
      await preview('production'),
      "Expected to act in Delivery: the order's production team; until now: the company's manager. Orders: 1",
    )
    t.notMatch(await preview('manager'), 'Expected to act in')
    t.match(
      await preview('nobody'),
      /Expected to act in Delivery: nobody; .*New problems.*nobody is expected to act\. Able to move orders on: managers, production users\./,
    )
    t.same(await found('maria', 'waiting=1'), [id], 'nothing was saved')

    t.equal((await root.post(address, { expected: 'dealer' })).statusCode, 303)
    t.same([await found('maria', 'waiting=1'), await found('denis', 'waiting=1')], [[], [id]])
    const changes = await root.get('/status/edit/delivery?tab=history')
    t.match(textOf(elementsOf(changes.body, '#history-table tbody tr').join()), "Expected to act: Default → Order's dealer")
    for (const wrong of ['', 'administrator', 'anybody']) {
      const refused = await root.post(address, { expected: wrong })
      t.equal(refused.statusCode, 422, wrong)
      t.ok('expected' in errorsOf(refused), 'a message at the field')
    }
    t.equal(db.select().from(statuses).where(eq(statuses.status_key, 'delivery')).get()?.expected, 'dealer')
    t.equal((await (await as('maria')).post(address, { expected: 'nobody' })).statusCode, 403)

    const lint = async () => textOf(elementsOf((await root.get('/statuses')).body, '#workflow-check').join())
    t.notMatch(await lint(), 'nobody is expected to act')
    await root.post(address, { expected: 'nobody' })
    t.match(await lint(), 'Delivery: nobody is expected to act. Able to move orders on: managers')
    t.same([await found('maria', 'waiting=1'), await found('denis', 'waiting=1'), await found('maria', 'mine=1')], [[], [], [id]])
    await root.post(address, { expected: 'default' })
    t.same(await found('maria', 'waiting=1'), [id])
    t.equal(orderOf(db, id).status_id, statusId('delivery'))
  })
})
