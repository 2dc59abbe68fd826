import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orderHistory, orderItems, orderMessages, orders } from '../../src/database/schema/index.ts'
import { type Answer, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { parseHtml } from '../support/html.ts'
import { statusId } from '../support/orders.ts'
import { setTimeZone } from '../support/time-zone.ts'

const lines = [
  { name: 'A window of two wings', quantity: 3, price: 1_234_567, discount: 15 },
  { name: 'A door', quantity: 1, price: 99_999, discount: 0 },
  { name: 'A sill', quantity: 7, price: 333, discount: 33 },
]

const amountOf = ({ quantity, price, discount }: (typeof lines)[number]) => Math.round((quantity * price * (100 - discount)) / 100)
const kopecksIn = (text: string) => Math.round(Number(text.replace(/[^\d.,]/g, '').replace(',', '.')) * 100)
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

const evening = Date.parse('2026-03-01T20:30:00Z')
const night = Date.parse('2026-03-02T04:30:00Z')

function plant({ db, cast }: Cabinet) {
  db.delete(orderItems).where(eq(orderItems.order_id, cast.order)).run()
  for (const line of lines)
    db.insert(orderItems)
      .values({ order_id: cast.order, category_id: cast.category, ...line })
      .run()
  const cost = sum(lines.map(amountOf))
  const values = {
    cost,
    created_at: evening,
    status_since: evening,
    date_make: '2026-03-05',
    receiver: 'Ivan Petrov',
    comment: 'Ring twice',
  }
  db.update(orders)
    .set({ ...values, specification_number: 77, sn: 'SN-5' })
    .where(eq(orders.id, cast.order))
    .run()
  db.insert(orders).values({ dealer_id: cast.denis, status_id: 1, company_id: cast.companies.alpha, created_at: night, cost: 5 }).run()
  db.update(companies).set({ inn: '7707083893', legal_address: 'Tver, Lenina 1' }).where(eq(companies.id, cast.companies.alpha)).run()
  const message = { order_id: cast.order, author_id: cast.maria, author_name: 'Petrova Maria', author_group: 3 }
  for (const [text, internal, at] of [
    ['For all', false, evening],
    ['For staff', true, evening + 1],
    ['For all again', false, night],
  ] as const)
    db.insert(orderMessages)
      .values({ ...message, text, internal, at })
      .run()
  db.insert(orderHistory)
    .values({ order_id: cast.order, at: evening, to_status_id: statusId('new'), to_name: 'New', actor_name: 'Petrova Maria' })
    .run()
  return { cost, subtotal: sum(lines.map(({ quantity, price }) => quantity * price)) }
}

const rowsIn = ({ body }: Answer, place: string) => {
  const $ = parseHtml(body)
  return $(place)
    .toArray()
    .map((row) =>
      $(row)
        .find('th, td')
        .toArray()
        .map((cell) => $(cell).text().trim().replace(/\s+/g, ' ')),
    )
}

t.test('printed sheets and the page of an order show its lines as they are stored', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as } = cabinet
  const { cost, subtotal } = plant(cabinet)
  const stored = lines.map((line) => [line.name, line.quantity, line.price, line.discount, amountOf(line)])
  for (const name of ['denis', 'maria', 'root'] as const) {
    const browser = await as(name)
    const sheet = await browser.get(`/orders/${cast.order}/sheet`)
    const printed = rowsIn(sheet, '.sheet tbody tr')
    t.same(
      printed.map(([number]) => number),
      ['1', '2', '3'],
      `${name}: numbered`,
    )
    t.same(
      printed.map(([, line, quantity, price, discount, amount]) => [
        line,
        Number(quantity),
        kopecksIn(price ?? ''),
        discount === '—' ? 0 : Number.parseInt(discount || '0', 10),
        kopecksIn(amount ?? ''),
      ]),
      stored,
      `${name}: lines`,
    )
    t.same(
      rowsIn(sheet, '.sheet tfoot tr').map(([, value]) => kopecksIn(value ?? '')),
      [subtotal, subtotal - cost, cost],
      `${name}: subtotal, discount, total`,
    )
    const text = parseHtml(sheet.body)('main').text()
    for (const part of ['77', '7707083893', 'Tver, Lenina 1', 'Ivan Petrov']) t.ok(text.includes(part), `${name}: the sheet says ${part}`)
    const page = await browser.get(`/orders/${cast.order}`)
    t.same(
      rowsIn(page, '.order-lines tbody tr').map(([line, quantity, price, discount, amount]) => [
        line?.replace(/ Windows$/, ''),
        Number(quantity),
        kopecksIn(price ?? ''),
        discount === '—' ? 0 : Number.parseInt(discount || '0', 10),
        kopecksIn(amount ?? ''),
      ]),
      stored,
      `${name}: lines of the page`,
    )
    t.same(
      rowsIn(page, '.order-lines tfoot tr').map(([, value]) => kopecksIn(value ?? '')),
      [subtotal, subtotal - cost, cost],
      `${name}: sums of the page`,
    )
  }
  const work = await (await as('maria')).get(`/orders/${cast.order}/work-sheet`)
  t.same(
    rowsIn(work, '.sheet tbody tr').map(([, line, category, quantity]) => [line, category, Number(quantity)]),
    lines.map(({ name, quantity }) => [name, 'Windows', quantity]),
  )
  t.same(rowsIn(work, '.sheet tfoot tr')[0]?.[1], '11', 'pieces')
  const text = parseHtml(work.body)('main').text()
  for (const part of ['SN-5', '05.03.2026', 'Ring twice', '77']) t.ok(text.includes(part), `the work sheet says ${part}`)
  t.notMatch(text, /₽|12.345,67|12345/, 'and no price')
})

t.test('of the messages on an order only the internal ones are marked, and dealers see no trace of them', async (t) => {
  const cabinet = await startCabinet(t)
  plant(cabinet)
  const marked = async (name: 'denis' | 'maria' | 'root') => {
    const $ = parseHtml((await (await cabinet.as(name)).get(`/orders/${cabinet.cast.order}`)).body)
    return $('[data-message]')
      .toArray()
      .map((one) => [
        $(one).find('.message-text').text().trim(),
        $(one).is('[data-internal]'),
        $(one).find('.badge').text().includes('Internal'),
      ])
  }
  const forAll = [
    ['For all', false, false],
    ['For all again', false, false],
  ]
  t.same(await marked('denis'), forAll)
  for (const name of ['maria', 'root'] as const) t.same(await marked(name), [forAll[0], ['For staff', true, true], forAll[1]], name)
})

for (const { zone, first, second } of [
  { zone: 'Asia/Vladivostok', first: '2026-03-02T06:30', second: '2026-03-02T14:30' },
  { zone: 'America/Los_Angeles', first: '2026-03-01T12:30', second: '2026-03-01T20:30' },
])
  t.test(`the dates of an evening and a night are those of ${zone} everywhere`, async (t) => {
    setTimeZone(t, zone)
    const cabinet = await startCabinet(t)
    plant(cabinet)
    const root = await cabinet.as('root')
    const shown = (moment: string) => {
      const [day = '', clock] = moment.split('T')
      return { day: day.split('-').reverse().join('.'), moment: `${day.split('-').reverse().join('.')} ${clock}` }
    }
    const textAt = async (path: string, place: string) => parseHtml((await root.get(path)).body)(place).text()
    const order = `/orders/${cabinet.cast.order}`
    t.match(await textAt(order, '.order-summary'), shown(first).moment, 'the head of the order')
    const timeline = parseHtml((await root.get(order)).body)('#timeline time[title]').toArray()
    const times = timeline.map(({ attribs }) => attribs.title)
    for (const moment of [first, second]) t.ok(times.includes(shown(moment).moment), `its discussion at ${moment}: ${times}`)
    t.match(await textAt(`${order}/sheet`, 'main'), shown(first).day, 'the order sheet')
    t.match(await textAt(`/orders/edit/${cabinet.cast.order}?tab=history`, 'main'), shown(first).moment, 'its history')
    const csv = (await root.get('/orders/export?format=csv')).body
    for (const moment of [first, second])
      t.ok(
        [shown(moment).day, moment.slice(0, 10)].some((day) => csv.includes(day)),
        `the export at ${moment}`,
      )
    const day = first.slice(0, 10)
    const inList = async (query: string) => parseHtml((await root.get(`/orders?${query}`)).body)('section[data-total]').attr('data-total')
    t.equal(await inList(`created_from=${day}&created_until=${day}`), '2', `both are of ${day}`)
    for (const other of ['2026-03-01', '2026-03-02'].filter((one) => one !== day))
      t.equal(await inList(`created_from=${other}&created_until=${other}`), '0', `none is of ${other}`)
    t.ok((await textAt('/orders', 'td[data-col=created_at]')).includes(`${Number(day.slice(-2))}\u00a0Mar`), 'the list')
  })
