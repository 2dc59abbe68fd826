import t from 'tap'
import { type Browser, type Fields, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'
import { line } from '../support/orders.ts'

const draftOf = async (browser: Browser, fields: Fields) =>
  Number(/draft=(\d+)$/.exec(String((await browser.post('/orders/drafts', fields)).headers.location))?.[1])

const goOn = async (browser: Browser, path = '/orders/add') =>
  parseHtml((await browser.get(path)).body)('.draft-begun a')
    .toArray()
    .map(({ attribs }) => attribs.href)

t.test('a new order leads to what its person has begun before', async (t) => {
  const { as } = await startCabinet(t)
  const denis = await as('denis')
  t.same(await goOn(denis), [], 'nothing is')
  const first = await draftOf(denis, { receiver: 'Ivanova' })
  t.same(await goOn(denis), [`/orders/add?draft=${first}`])
  t.same(await goOn(denis, `/orders/add?draft=${first}`), [], 'not from itself')
  await draftOf(denis, { receiver: 'Petrova' })
  t.same(await goOn(denis), ['/orders/drafts'], 'of several, to all')
  t.same(await goOn(await as('maria')), [], 'nobody else is led there')
})

t.test('a draft says what it costs, to whoever sees prices', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const denis = await as('denis')
  await draftOf(denis, { receiver: 'Ivanova', items: '', ...line(0, cast.category, 'Window', 2, '1000') })
  await draftOf(denis, { receiver: 'Petrova' })
  const costs = async () => elementsOf((await denis.get('/orders/drafts')).body, '[data-draft] [data-kopecks]').map(textOf)
  t.equal((await costs()).length, 1, 'what has no lines costs nothing yet')
  t.match((await costs())[0], /\d/)
  revoke(db, cast.denis, 'order_can_view_prices')
  t.same(await costs(), [])
})
