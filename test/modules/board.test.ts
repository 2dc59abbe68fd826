import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderItems, orders, payments, statusTransitions } from '../../src/database/schema/index.ts'
import { shortDateFormatter } from '../../src/i18n/format.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { daysAgo } from '../support/days.ts'
import { elementsOf, idsOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder, statusId, transitionBetween } from '../support/orders.ts'

const day = 24 * 3600_000
const shortDay = shortDateFormatter('en')
const dayOf = (moment: number) => new Date(moment).toLocaleDateString('sv')

interface Step {
  to: string
  status: number
  transition: number
  /** Where what it takes is asked for first. */
  asks?: string
}

interface Card {
  id: number
  text: string
  draggable: boolean
  once?: string
  steps: Step[]
}

interface Column {
  status: number
  name: string
  count: string
  all: string
  more?: string
  cards: Card[]
}

function boardOf({ body }: Answer): Column[] {
  return elementsOf(body, '[data-status]').map((source) => {
    const $ = parseHtml(source)
    return {
      status: Number($('section').attr('data-status')),
      name: $('h2 a').text().trim(),
      count: $('h2 .count').text(),
      all: $('h2 a').attr('href') as string,
      more: $('section > p > a').attr('href'),
      cards: elementsOf(source, '[data-order]').map(cardOf),
    }
  })
}

function cardOf(source: string): Card {
  const $ = parseHtml(source)
  const buttons = $('button[name=transition_id]').toArray()
  return {
    id: Number($('li').attr('data-order')),
    text: textOf(source),
    draggable: $('li').attr('draggable') === 'true',
    once: $('[name=once]').attr('value'),
    steps: buttons.map((button) => ({
      to: $(button).text().trim(),
      status: Number(button.attribs['data-to']),
      transition: Number(button.attribs.value),
      asks: button.attribs.formmethod === 'get' ? button.attribs['hx-get'] : undefined,
    })),
  }
}

const cardIn = (board: Column[], id: number) => board.flatMap(({ cards }) => cards).find((card) => card.id === id) as Card
const stepsOf = (board: Column[], id: number) => cardIn(board, id).steps.map(({ to }) => to)

async function start(t: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const { alpha, beta } = cast.companies
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, beta)).run()
  db.delete(orders).run()
  const of = {
    denis: { dealer_id: cast.denis, company_id: alpha },
    roman: { dealer_id: cast.roman, company_id: alpha },
    daria: { dealer_id: cast.daria, company_id: beta },
  }
  const board = async (name: Name, query = '') => boardOf(await (await as(name)).get(`/orders/board${query}`))
  return { ...cabinet, of, board }
}

t.test('the board', async (t) => {
  const cabinet = await start(t)
  const { of, board, as, db } = cabinet

  t.test('the columns are the statuses that this user can move orders out of or into', async (t) => {
    const names = async (name: Name, query?: string) => (await board(name, query)).map((column) => column.name)
    const ofDealers = ['New', 'Awaiting signing', 'Awaiting payment', 'Under review']
    t.same(await names('denis'), ofDealers, 'without those that were canceled')
    t.same(await names('denis', '?canceled=1'), [...ofDealers, 'Canceled'], 'unless asked for')
    t.same(await names('pavel'), ['In production', 'Delivery', 'Awaiting pickup', 'Installation', 'Completed'])
    t.equal((await names('maria')).length, 9)
    for (const { status, all, name } of await board('maria'))
      t.equal(all, `/orders?status=${status}`, `the head of ${name} leads to its list`)
    t.equal((await names('root')).length, 9)
  })

  t.test('a card offers the steps from its status that this user may take with this order, and no others', async (t) => {
    const [own, colleagues] = [insertOrder(cabinet, 'new', of.denis), insertOrder(cabinet, 'new', of.roman)]
    const [waiting, unpaid, foreign] = [
      insertOrder(cabinet, 'apply', of.denis),
      insertOrder(cabinet, 'payment', of.denis),
      insertOrder(cabinet, 'new', of.daria),
    ]
    const seen = await board('denis')
    t.same(stepsOf(seen, own), ['Send for signing', 'Cancel order'])
    t.same(
      cardIn(seen, own).steps.map(({ status, transition }) => [status, transition]),
      ['apply', 'canceled'].map((to) => [statusId(to), transitionBetween(cabinet, 'new', to).id]),
    )
    t.same(stepsOf(seen, unpaid), ['Report payment'])
    for (const [id, whose] of [
      [colleagues, 'of a colleague'],
      [waiting, 'that waits for the manager'],
    ] as const)
      t.match(cardIn(seen, id), { steps: [], draggable: false, once: undefined }, `an order ${whose}`)
    t.equal(cardIn(seen, own).draggable, true)
    t.equal(cardIn(seen, foreign), undefined)
    t.match(cardIn(seen, own).once, new RegExp(`. ${own}$`), 'two cards are two submissions')
    const managers = await board('maria')
    for (const id of [own, colleagues]) t.same(stepsOf(managers, id), ['Send for signing', 'Cancel order'])
    t.same(stepsOf(await board('root'), foreign), ['Send for signing', 'Cancel order'])
  })

  t.test('a step that requires something or ends the order asks first, any other does not', async (t) => {
    const [fresh, unpaid] = [insertOrder(cabinet, 'new', of.denis), insertOrder(cabinet, 'payment', of.denis)]
    const paid = insertOrder(cabinet, 'paid', of.denis)
    const seen = await board('maria')
    const asking = (id: number) => cardIn(seen, id).steps.map(({ to, asks }) => [to, asks !== undefined])
    t.same(asking(fresh), [
      ['Send for signing', false],
      ['Cancel order', true],
    ])
    t.same(asking(unpaid)[0], ['Report payment', true])
    t.same(asking(paid)[0], ['Start production', true], 'for one field, too')
    const scheduled = insertOrder(cabinet, 'paid', { ...of.denis, date_make: '2030-01-31' })
    t.same(cardIn(await board('maria'), scheduled).steps[0]?.asks, undefined, 'what is filled in is not asked for')
    const maria = await as('maria')
    const asked = await maria.get(cardIn(seen, fresh).steps[1]?.asks as string)
    t.match(textOf(asked.body), `Cancel order Order #${fresh} · `)
    t.match(textsByRole(asked, 'alert').join(), 'This is a final status.')
    t.equal(parseHtml(asked.body)('[data-close]').attr('href'), '/orders/board')
  })

  t.test('a payment that was not rejected is as good as its confirmation, a rejected one is not', async (t) => {
    const [held, rejected] = [insertOrder(cabinet, 'payment', of.denis), insertOrder(cabinet, 'payment', of.denis)]
    const { id } = transitionBetween(cabinet, 'payment', 'paid')
    const before = transitionBetween(cabinet, 'payment', 'paid')
    const change = (values: Partial<typeof statusTransitions.$inferInsert>) =>
      db.update(statusTransitions).set(values).where(eq(statusTransitions.id, id)).run()
    change({ required_fields: ['payment_order'] })
    const waiting = insertPayment(db, held)
    insertPayment(db, rejected, { state: 'rejected' })
    const asks = async (order: number) => cardIn(await board('denis'), order).steps[0]?.asks
    t.equal(await asks(held), undefined)
    t.ok(await asks(rejected))
    await (await cabinet.as('root')).post('/payments/confirm', { id: String(waiting) })
    t.equal(await asks(held), undefined)
    change({ min_paid: 100 })
    db.update(orders).set({ cost: 100 }).where(eq(orders.id, held)).run()
    t.ok(await asks(held), 'a condition that is not met is said first')
    change(before)
    db.delete(payments).run()
    for (const order of [held, rejected]) db.delete(orders).where(eq(orders.id, order)).run()
  })

  t.test(
    'a card shows number, company, to those who see prices the cost, days in the status, production date and whether it is late',
    async (t) => {
      const since = daysAgo(3)
      const [yesterday, tomorrow] = [dayOf(Date.now() - day), dayOf(Date.now() + day)]
      const values = { ...of.daria, cost: 1234567_89, created_at: since }
      const late = insertOrder(cabinet, 'production', { ...values, date_make: yesterday })
      const due = insertOrder(cabinet, 'production', { ...values, date_make: tomorrow })
      const seen = await board('pavel')
      const shown = (iso: string) => shortDay(new Date(`${iso}T12:00`).getTime()).replace(/\s/, ' ')
      t.match(
        cardIn(seen, late).text.replaceAll('\u00a0', ' '),
        `#${late} ООО «Бета Ёлка» 3 days in this status make by ${shown(yesterday)} 1 day late Your turn Hand over for delivery, Ready for pickup`,
      )
      grant(cabinet.db, cabinet.cast.pavel, 'order_can_view_prices')
      t.match(cardIn(await board('pavel'), late).text, /^#\d+ 1\s234\s567,89\s₽ ООО/)
      revoke(cabinet.db, cabinet.cast.pavel, 'order_can_view_prices')
      t.match(
        cardIn(seen, due).text.replaceAll('\u00a0', ' '),
        `3 days in this status make by ${shown(tomorrow)} Your turn Hand over for delivery, Ready for pickup`,
      )
      const nobodys = insertOrder(cabinet, 'production', { created_at: since })
      t.match(
        cardIn(await board('root'), nobodys).text,
        `#${nobodys} 0,00 ₽ — 3 days in this status #${nobodys} Hand over`,
        'and no day where none is set',
      )
      const [made, delivered] = [dayOf(Date.now() + 5 * day), dayOf(Date.now() + 9 * day)]
      const both = { date_make: made, date_delivery: delivered }
      const dueIn = async (status: Parameters<typeof insertOrder>[1], values: object) => {
        const id = insertOrder(cabinet, status, { ...of.daria, ...values })
        return /(?:make|deliver) by \d+\s\w+(?: \d{4})?/.exec(cardIn(await board('root'), id).text)?.[0].replace(/\s(?=[A-Z])/, ' ')
      }
      t.equal(await dueIn('production', both), `make by ${shown(made)}`)
      t.equal(await dueIn('delivery', both), `deliver by ${shown(delivered)}`, 'in delivery it is the day of delivery')
      t.equal(await dueIn('new', both), `make by ${shown(made)}`, 'before production what is planned')
      t.equal(await dueIn('new', { date_delivery: delivered }), `deliver by ${shown(delivered)}`)
      t.equal(await dueIn('install', both), undefined, 'and none of what it has left behind')
    },
  )

  t.test('dealers read whom an order is for and of what it is, production how many of what to make', async (t) => {
    const id = insertOrder(cabinet, 'production', { ...of.daria, receiver: 'Зайцева Анна' })
    const unsent = insertOrder(cabinet, 'new', { ...of.denis, receiver: 'Norris Ann' })
    const line = { quantity: 2, price: 100, discount: 0 }
    for (const order_id of [id, unsent])
      db.insert(orderItems)
        .values(['1', '2', '3'].map((n) => ({ ...line, order_id, name: `Gate ${n}` })))
        .run()
    const read = async (name: Name, order: number) => cardIn(await board(name), order).text.replaceAll('\u00a0', ' ')
    t.match(await read('pavel', id), `#${id} ООО «Бета Ёлка» Gate 1 · 2 pcs Gate 2 · 2 pcs and 1 more `)
    const ofDealer = await read('denis', unsent)
    t.match(ofDealer, /Norris Ann Gate 1 · 2 pcs Gate 2/)
    t.notMatch(ofDealer, 'Alpha Windows', 'not their own company')
    t.notMatch(await read('root', id), 'Gate', 'who sees many companies reads which one it is')
  })

  t.test(
    'an order that was opened from the board leads back to it, canceled ones shown or not; other orders lead to the list',
    async (t) => {
      const id = insertOrder(cabinet, 'new', of.denis)
      const maria = await as('maria')
      for (const path of ['/orders/board', '/orders/board?canceled=1']) {
        const href = parseHtml((await maria.get(path)).body)(`[data-order="${id}"] .board-title a`).attr('href') as string
        const page = parseHtml((await maria.get(href)).body)
        t.equal(page('.back-link').attr('href'), path)
        t.match(page('.back-link').text(), 'Board')
        const wrote = await maria.post(`/orders/${id}/messages`, { text: 'Soon', back: page('#composer [name=back]').val() as string })
        t.equal(
          parseHtml((await maria.get(wrote.headers.location as string)).body)('.back-link').attr('href'),
          path,
          'after a message, too',
        )
      }
      for (const back of ['', '?back=%3Fstatus%3D1', '?back=board.example', '?back=//example.com'])
        t.match(parseHtml((await maria.get(`/orders/${id}${back}`)).body)('.back-link').attr('href'), /^\/orders(\?status=1)?$/, back)
    },
  )

  t.test('of what ended the board shows what was last in thirty days; what holds nothing is folded', async (t) => {
    db.delete(orders).run()
    const ended = (days: number) => insertOrder(cabinet, 'completed', { ...of.daria, created_at: daysAgo(days) })
    const [, month, yesterday, week] = [ended(31), ended(30), ended(1), ended(7)]
    insertOrder(cabinet, 'production', of.daria)
    const { body } = await (await as('pavel')).get('/orders/board')
    const completed = boardOf({ body } as Answer).find(({ status }) => status === statusId('completed'))
    t.same(
      completed?.cards.map(({ id }) => id),
      [yesterday, week, month],
    )
    t.match(completed, { count: '4', more: `/orders?sort=since&dir=desc&status=${statusId('completed')}` })
    const folded = elementsOf(body, '.is-folded').map((column) => textOf(elementsOf(column, 'h2').join('')))
    t.same(folded, ['Delivery 0', 'Awaiting pickup 0', 'Installation 0'])
    t.equal(parseHtml(body)('.title-count').text(), '1', 'how many are in progress')
    const offers = async (name: Name) =>
      parseHtml((await (await as(name)).get('/orders/board')).body)('.page-actions .btn-primary').attr('href')
    t.same([await offers('pavel'), await offers('maria')], [undefined, undefined], 'nobody adds to what is empty twice')
    insertOrder(cabinet, 'new', of.denis)
    t.same([await offers('pavel'), await offers('maria')], [undefined, '/orders/add'])
  })

  t.test('a column sums up what its orders cost for those who see prices, of orders that they see', async (t) => {
    db.delete(orders).run()
    for (const [status, cost, whose] of [
      ['new', 100_50, of.denis],
      ['new', 2000_00, of.roman],
      ['new', 70_000_00, of.daria],
      ['apply', 3_00, of.denis],
      ['completed', 5_00, of.denis],
    ] as const)
      insertOrder(cabinet, status, { ...whose, cost })
    const sums = async (name: Name) => {
      const { body } = await (await as(name)).get('/orders/board')
      const columns = elementsOf(body, '[data-status]').map((source) => {
        const $ = parseHtml(source)
        return [Number($('section').attr('data-status')), $('.board-sum').attr('data-kopecks')]
      })
      return Object.fromEntries(columns.filter(([, sum]) => sum))
    }
    const [fresh, apply] = [statusId('new'), statusId('apply')]
    t.same(await sums('root'), { [fresh]: '7210050', [apply]: '300' }, 'what ended is not summed up, nor what is empty')
    t.same(await sums('denis'), { [fresh]: '210050', [apply]: '300' }, 'without those of others')
    revoke(db, cabinet.cast.denis, 'order_can_view_prices')
    t.same(await sums('denis'), {})
    grant(db, cabinet.cast.denis, 'order_can_view_prices')
  })

  t.test('a column shows the ten orders that have waited longest, counts all and leads to the rest', async (t) => {
    db.delete(orders).run()
    const add = (index: number, values: object) => insertOrder(cabinet, 'new', { ...values, created_at: Date.now() - (index + 1) * day })
    const ten = Array.from({ length: 10 }, (_, index) => add((index * 7) % 10, of.denis))
    for (let index = 0; index < 3; index++) add(index, of.daria)
    const fresh = (columns: Column[]) => columns.find(({ status }) => status === statusId('new')) as Column
    const all = fresh(await board('maria'))
    t.match(all, { count: '10', more: undefined, all: `/orders?status=${statusId('new')}` }, 'exactly ten are all of them')
    t.equal(all.cards.length, 10)

    const oldest = add(20, of.denis)
    const some = fresh(await board('maria'))
    t.equal(some.count, '11', 'without those of others')
    const rest = await (await as('maria')).get(some.more as string)
    t.equal(idsOf(rest, 'orders').length, 11)
    t.same(
      some.cards.map(({ id }) => id),
      idsOf(rest, 'orders').slice(0, 10),
    )
    t.equal(some.cards[0]?.id, oldest)
    t.notOk(
      some.cards.some(({ id }) => id === ten[0]),
      'the newest is left out',
    )
    t.equal(fresh(await board('root')).count, '14')

    const now = Date.now()
    for (let index = 0; index < 11; index++)
      insertOrder(cabinet, 'production', { ...of.daria, created_at: now - index * day, date_make: dayOf(now + index * day) })
    const toMake = (await board('pavel')).find(({ status }) => status === statusId('production'))
    const queue = idsOf(await (await as('pavel')).get(toMake?.more as string), 'orders')
    t.equal(queue.length, 11)
    t.same(
      toMake?.cards.map(({ id }) => id),
      queue.slice(0, 10),
      'for production what is to be made first',
    )
  })

  t.test('without anything to move the board says so', async (t) => {
    t.match(textOf((await (await as('plain')).get('/orders/board')).body), 'New 0')
    db.$client.exec('delete from status_transitions')
    t.match(textOf((await (await as('maria')).get('/orders/board')).body), 'No status has steps for you. All orders stand in the list.')
  })
})
