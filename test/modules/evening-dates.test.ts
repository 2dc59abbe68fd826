import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, statusTransitions } from '../../src/database/schema/index.ts'
import { shortDateFormatter } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, idsOf, rowsOf, textOf } from '../support/html.ts'
import { notifyRecipients } from '../support/notify.ts'
import { insertOrder, orderOf, transitionBetween } from '../support/orders.ts'
import { setTimeZone } from '../support/time-zone.ts'

// A clock that shows another day than that of Greenwich, whenever this runs.
setTimeZone(t, new Date().getUTCHours() >= 11 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago')

const hour = 3600_000
const dayOf = (moment: number) => new Date(moment).toLocaleDateString('sv')
const inWords = (day: string) => shortDateFormatter('en', 'long')(new Date(`${day}T12:00`).getTime()).replace('\u00a0', ' ')
const brief = (day: string) => shortDateFormatter('en')(new Date(`${day}T12:00`).getTime()).replaceAll('\u00a0', ' ')
const shown = (day: string) => day.split('-').reverse().join('.')

t.test('days are those of the configured time zone, in the evening, too', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const now = Date.now()
  const [yesterday, today, tomorrow] = [dayOf(now - 24 * hour), dayOf(now), dayOf(now + 24 * hour)]
  t.not(today, new Date(now).toISOString().slice(0, 10), 'Greenwich has another day')
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const [late, due, soon] = [yesterday, today, tomorrow].map((date_make) =>
    insertOrder(cabinet, 'production', { ...of, date_make, created_at: now - 60 * hour }),
  ) as [number, number, number]
  const maria = await as('maria')

  t.test('what is due today is not late', async (t) => {
    t.same(idsOf(await maria.get('/orders?overdue=1'), 'orders'), [late])
    const rows = rowsOf(await maria.get('/orders?cols=date_make'), 'orders')
    const cells = Object.fromEntries(rows.map(({ id, cells }) => [id, cells.date_make]))
    t.same(
      [late, due, soon].map((id) => cells[id]),
      [brief(yesterday), brief(today), brief(tomorrow)],
    )
    const states = Object.fromEntries(rows.map(({ id, cells }) => [id, cells.status]))
    t.same(
      [late, due].map((id) => /1 day late/.test(states[id] ?? '')),
      [true, false],
    )
    const board = await maria.get('/orders/board')
    const marked = (id: number) => textOf(elementsOf(board.body, `[data-order="${id}"]`)[0] ?? '').includes('late')
    t.same([late, due].map(marked), [true, false])
    const queue = await maria.get('/orders?status=5&sort=date_make&dir=asc&cols=date_make')
    t.same(elementsOf(queue.body, '.list-heading').map(textOf), [
      'Before today',
      `Today, ${inWords(today)}`,
      `Tomorrow, ${inWords(tomorrow)}`,
    ])
  })

  t.test('what happened today is of today, in lists, on pages, on paper and in the inbox', async (t) => {
    const { order } = cast
    db.update(orders).set({ created_at: now }).where(eq(orders.id, order)).run()
    const found = async (query: string) => idsOf(await maria.get(`/orders?${query}`), 'orders')
    t.same(await found(`created_from=${today}&created_until=${today}`), [order])
    t.same(await found(`created_from=${tomorrow}`), [])
    t.notOk((await found(`created_until=${yesterday}`)).includes(order))
    t.match(textOf((await maria.get(`/orders/${order}`)).body), `Created ${shown(today)} `)
    t.match(textOf((await maria.get(`/orders/${order}/sheet`)).body), `Created: ${shown(today)} `)
    notifyRecipients(cabinet, [cast.maria])
    const [row] = elementsOf((await maria.get('/notifications')).body, 'tr[data-notification] td[data-col=created_at]')
    t.equal(textOf(row ?? ''), 'now')
  })

  t.test('a date that a step sets by itself is today', async (t) => {
    const { id } = transitionBetween(cabinet, 'new', 'apply')
    db.update(statusTransitions)
      .set({ forced_fields: ['date_payment'] })
      .where(eq(statusTransitions.id, id))
      .run()
    await maria.post(`/orders/${cast.order}/transition`, { transition_id: id })
    t.equal(orderOf(db, cast.order).date_payment, today)
  })

  t.test('an order of the first minutes of a month counts for that month', async (t) => {
    setTimeZone(t, 'Pacific/Kiritimati')
    const { body } = await (await as('root')).get('/')
    const ofMonth = () =>
      Number(textOf(elementsOf(body, '.tile').find((tile) => tile.includes('Orders this month')) ?? '').match(/month (\d+)/)?.[1])
    const count = ofMonth()
    const first = new Date(new Date().getFullYear(), new Date().getMonth(), 1, 0, 10).getTime()
    const last = first - 20 * 60_000
    for (const created_at of [first, last]) insertOrder(cabinet, 'new', { ...of, created_at })
    const after = (await (await as('root')).get('/')).body
    const tile = textOf(elementsOf(after, '.tile').find((one) => one.includes('Orders this month')) ?? '')
    t.match(tile, `Orders this month ${count + 1} `)
  })
})
