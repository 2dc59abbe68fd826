import t from 'tap'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { parseHtml } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

t.test('the page of a payment leads to the ones beside it in the list, and on from a decision to the next that waits', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const [first, middle, last] = [10_00, 20_00, 30_00].map((amount) => insertPayment(db, cast.order, { amount })) as [number, number, number]
  const confirmed = insertPayment(db, cast.order, { amount: 15_00, state: 'confirmed' })
  const list = '?state=reported&sort=amount&dir=asc'
  const page = (id: number) => `/payments/${id}?${new URLSearchParams({ back: list })}`
  const admin = await as('admin')
  const ways = ({ body }: Answer) => ['prev', 'next'].map((rel) => parseHtml(body)(`.page-header [rel="${rel}"]`).attr('href'))
  const waysOf = async (address: string) => ways(await admin.get(address))
  const row = parseHtml((await admin.get(`/payments${list}`)).body)(`#payments-${middle} .row-link`)
  t.equal(row.attr('href'), page(middle), 'a row says where one comes from')
  t.same(await waysOf(page(middle)), [page(first), page(last)], `not ${confirmed}, which is decided`)
  t.same(await waysOf(page(last)), [page(middle), undefined])
  t.same(await waysOf(`/payments/${middle}`), [undefined, undefined], 'where nobody came from a list')

  t.test('confirmed on its page, it leads to the one that followed, although it has left the list', async (t) => {
    const opened = parseHtml((await admin.get(page(first))).body)
    const form = Object.fromEntries(new URLSearchParams(opened('.payment-todo form').serialize()))
    const { headers } = await admin.post(`/payments/${first}/confirm`, form)
    const after = await admin.get(String(headers.location))
    t.same(ways(after), [undefined, page(middle)])
    const $ = parseHtml(after.body)
    t.equal($('[rel="next"]').text().trim(), 'Next payment')
    t.match($('.page-header a').first().attr('href'), '/payments?state=reported', 'and back to the list as it was')
    const reversal = parseHtml((await admin.get(String($('.dropdown-item.text-danger').attr('href')))).body)
    t.equal(reversal('.record-form [data-close]').attr('href'), headers.location, 'what is given up there keeps the list, too')
    const filled = { ...Object.fromEntries(new URLSearchParams(reversal('.record-form').serialize())), reason: 'By mistake' }
    const reversed = await admin.post(String(reversal('.record-form').attr('action')), filled)
    t.equal(reversed.headers.location, headers.location)
  })

  t.test('rejected in the dialog of its page, it leads on as well', async (t) => {
    const dialog = parseHtml((await admin.get(page(middle))).body)('.payment-todo a').attr('href') as string
    const { headers } = await admin.post(dialog, { reason: 'Nothing arrived' })
    t.same(await waysOf(String(headers.location)), [undefined, page(last)])
  })

  t.test('a payment that somebody may not see is not offered as the next', async (t) => {
    const beta = insertOrder(cabinet, 'payment', { dealer_id: cast.daria, company_id: cast.companies.beta })
    const foreign = insertPayment(db, beta)
    const denis = await as('denis')
    t.same(ways(await denis.get(`${page(last)}&next=${foreign}`)), [undefined, undefined])
  })
})

t.test('a payment that is opened on the home page leads to the next that waits, too', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const [older, newer] = [10_00, 20_00].map((amount) => insertPayment(db, cast.order, { amount })) as [number, number]
  const admin = await as('admin')
  const opened = parseHtml((await admin.get('/')).body)('.reported-lines .order-line')
    .first()
    .attr('href') as string
  t.match(opened, `/payments/${newer}?`)
  t.match(parseHtml((await admin.get(opened)).body)('.page-header [rel="next"]').attr('href'), `/payments/${older}?`)
})
