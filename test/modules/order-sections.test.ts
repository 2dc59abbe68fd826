import { and, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, notifications, orders, policyStatus, statusPolicies } from '../../src/database/schema/index.ts'
import { type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { elementsOf, errorsOf, fieldOf, hiddenOf, isDocument, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { insertOrder, line, linesOf, orderOf, statusId } from '../support/orders.ts'
import { insertProduct, productLine, useCatalog } from '../support/products.ts'

const sections = ['lines', 'production', 'customer', 'delivery', 'documents', 'dealer'] as const
type Section = (typeof sections)[number]

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { as, cast, db } = cabinet
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const get = async (name: Name, id: number, section: Section, query = '', headers = {}) =>
    (await as(name)).get(`/orders/${id}/edit/${section}${query}`, headers)
  const post = async (name: Name, id: number, section: Section, fields: Fields, headers = {}) =>
    (await as(name)).post(`/orders/${id}/edit/${section}`, fields, headers)
  const lastChange = (id: number) =>
    db
      .select()
      .from(changes)
      .where(and(eq(changes.entity, 'orders'), eq(changes.record_id, id)))
      .orderBy(desc(changes.id))
      .get()?.fields ?? {}
  const told = () => db.select().from(notifications).all()
  return { ...cabinet, of, get, post, lastChange, told }
}

t.test('the page of an order leads from each section to its fields, where somebody may change one of them', async (t) => {
  const cabinet = await start(t)
  const { as, cast, of } = cabinet
  const [fresh, signing, made, canceled] = ['new', 'apply', 'production', 'canceled'].map((status) =>
    insertOrder(cabinet, status, { ...of, invoice: 'bill' }),
  ) as [number, number, number, number]
  const offered = async (name: Name, id: number) => {
    const html = parseHtml((await (await as(name)).get(`/orders/${id}`)).body)
    const links = html('a.section-edit').toArray()
    t.equal(html('[data-hotkey=e]').length, links.length > 0 ? 1 : 0, 'one of them by a key')
    const first = parseHtml((await (await as(name)).get(`/orders?q=${id}`)).body)(`#orders-${id} a.is-edit`).attr('href')
    t.same(html('[data-hotkey=e] kbd').length, links.length > 0 ? 1 : 0, 'and says so')
    const byKey = html('[data-hotkey=e]').attr('href')
    if (byKey) t.equal(first, `${byKey}?return=list&back=${encodeURIComponent(`?q=${id}`)}`, 'the row leads to what the key leads to')
    return links.flatMap((link) => new RegExp(`^/orders/${id}/edit/(\\w+)$`).exec(link.attribs.href ?? '')?.[1] ?? [])
  }
  const everything = ['production', 'dealer', 'customer', 'delivery', 'lines', 'documents']
  t.same(await offered('root', fresh), everything)
  t.same(await offered('root', made), everything)
  t.same(await offered('denis', fresh), ['customer', 'delivery', 'lines'])
  t.same(await offered('denis', made), [])
  t.same(await offered('roman', fresh), ['customer', 'delivery', 'lines'])
  t.same(await offered('maria', fresh), ['production', 'customer', 'delivery', 'lines', 'documents'])
  t.same(await offered('pavel', fresh), [])
  t.same(await offered('maria', canceled), [])
  t.same(await offered('root', canceled), [], 'what was called off is read')
  t.equal((await cabinet.get('root', canceled, 'customer')).statusCode, 200, 'and may be changed')
  t.same(await offered('denis', signing), [])

  const statuses = [fresh, signing, made]
  for (const name of ['root', 'maria', 'mikhail', 'plain', 'denis', 'daria', 'pavel'] as const)
    for (const id of statuses) {
      const seen = (await (await as(name)).get(`/orders/${id}`)).statusCode === 200
      const links = seen ? await offered(name, id) : []
      for (const section of sections) {
        const attaches = section === 'documents' && name === 'denis' && id !== made
        const expected = links.includes(section) || attaches ? [200, 422] : [403, 403]
        const wrong = { receiver: 'x'.repeat(256), address: 'x'.repeat(501), sn: 'x'.repeat(256), dealer_id: 0, invoice: 'x', items: '' }
        const answers = [await cabinet.get(name, id, section), await cabinet.post(name, id, section, { ...wrong, version: 99 })]
        t.same(
          answers.map(({ statusCode }) => statusCode),
          expected,
          `${name} ${section} #${id}`,
        )
      }
    }
  t.equal((await cabinet.get('root', 999, 'customer')).statusCode, 404)
  t.equal((await (await as('root')).get(`/orders/${cast.order}/edit/nothing`)).statusCode, 404)
})

t.test('a section saves its own fields and no others, of its own order', async (t) => {
  const cabinet = await start(t)
  const { db, of, post, lastChange } = cabinet
  const values = { ...of, receiver: 'Anna', phone: '+7(999) 123 45 67', sn: '17', date_make: '2026-12-01', delivery: 'pickup' as const }
  const [id, other] = [insertOrder(cabinet, 'new', values), insertOrder(cabinet, 'new', values)]
  const all = {
    ...{ receiver: 'Boris', phone: '+7(999) 765 43 21', comment: 'Call first', delivery: 'address', address: 'Main street 1' },
    ...{ sn: '18', date_make: '2026-12-16', date_delivery: '2026-12-24', dealer_id: cabinet.cast.roman, items: '' },
  }
  const before = orderOf(db, other)
  for (const [section, fields] of [
    ['customer', ['receiver', 'phone', 'comment']],
    ['delivery', ['delivery', 'address']],
    ['production', ['sn', 'date_make', 'date_delivery']],
    ['dealer', ['dealer_id']],
  ] as const) {
    const earlier = orderOf(db, id)
    const saved = await post('root', id, section, all)
    t.same([saved.statusCode, saved.headers.location], [303, `/orders/${id}#edit-${section}`])
    const named = Object.fromEntries(fields.map((name) => [name, (all as Record<string, unknown>)[name]]))
    const { version, updated_at, ...now } = orderOf(db, id)
    t.match(now, { ...earlier, ...named, version: undefined, updated_at: undefined } as never, section)
    t.same(
      Object.keys(lastChange(id))
        .filter((name) => !name.startsWith('company'))
        .sort(),
      [...fields].sort(),
      section,
    )
  }
  t.same(orderOf(db, other), before, 'the second order is as it was')
  t.same((await post('root', id, 'customer', { receiver: '' })).statusCode, 303)
  t.match(orderOf(db, id), { receiver: null, phone: '+7(999) 765 43 21' }, 'what is not named stays')
})

t.test('what somebody may not change of a section is neither shown nor taken (403), nor is what they do not see', async (t) => {
  const cabinet = await start(t)
  const { db, of, get, post } = cabinet
  const id = insertOrder(cabinet, 'paid', { ...of, sn: '17', date_payment: '2026-12-01' })
  const names = async (name: Name, section: Section) =>
    parseHtml((await get(name, id, section)).body)('.order-section :is(input, select, textarea)[name]')
      .toArray()
      .map(({ attribs }) => attribs.name)
      .filter((name) => !['once', 'version'].includes(name ?? ''))
  t.same(await names('root', 'production'), [
    'sn',
    'date_payment',
    'date_make',
    'date_delivery',
    'external_id',
    'reason',
    'untold',
    'untold',
  ])
  t.same(await names('pavel', 'production'), ['date_make', 'date_delivery', 'reason', 'untold', 'untold'])
  t.equal((await post('pavel', id, 'production', { sn: '18', date_make: '2026-12-09' })).statusCode, 403)
  t.equal((await post('pavel', id, 'production', { sn: '17', date_make: '2026-12-09' })).statusCode, 303, 'the same is no change')
  t.equal((await post('pavel', id, 'production', { date_payment: '2027-01-01', date_make: '2026-12-10' })).statusCode, 303)
  t.match(orderOf(db, id), { sn: '17', date_make: '2026-12-10', date_payment: '2026-12-01' }, 'what is not seen is not read')

  const fresh = insertOrder(cabinet, 'new', of)
  t.same((await cabinet.as('denis').then((denis) => denis.get(`/orders/${fresh}/edit/lines`))).statusCode, 200)
  revoke(db, cabinet.cast.denis, 'order_can_view_prices')
  t.equal((await get('denis', fresh, 'lines')).statusCode, 403, 'lines need their prices')
  t.equal((await post('denis', fresh, 'lines', { items: '' })).statusCode, 403)
  const delivery = parseHtml((await get('denis', fresh, 'delivery')).body)
  t.equal(delivery('[name=payment]').length, 0)
  const signing = insertOrder(cabinet, 'apply', of)
  t.equal((await get('denis', signing, 'documents')).statusCode, 403, 'the confirmation of a payment is of what is paid')
  grant(db, cabinet.cast.denis, 'order_can_view_prices')
  t.equal((await get('denis', signing, 'documents')).statusCode, 200)
})

t.test('what is wrong stands at its field, what was typed stays, and nothing is saved (422)', async (t) => {
  const cabinet = await start(t)
  const { db, of, post } = cabinet
  const id = insertOrder(cabinet, 'new', of)
  const before = orderOf(db, id)
  for (const [section, wrong, right] of [
    ['customer', { email: 'nobody' }, { receiver: 'Anna' }],
    ['delivery', { delivery: 'by air' }, { address: 'Main street 1' }],
    ['production', { date_make: '2026-02-30' }, { sn: '18', reason: 'So be it' }],
    ['dealer', { dealer_id: '999999' }, { reason: 'They asked for it' }],
    ['lines', { 'items[0][quantity]': '0' }, { 'items[0][name]': 'Window', 'items[0][price]': '100', reason: 'They asked for it' }],
  ] as const) {
    const [place] = Object.keys(wrong).map((name) => name.replaceAll(/\[(\w+)\]/g, '.$1')) as [string]
    for (const headers of [{}, htmx]) {
      const answer = await post('root', id, section, { ...wrong, ...right }, headers)
      t.equal(answer.statusCode, 422, section)
      t.ok(place in errorsOf(answer), `${section}: ${JSON.stringify(errorsOf(answer))}`)
      t.equal(isDocument(answer), headers !== htmx)
      for (const [name, value] of Object.entries(right)) t.equal(fieldOf(answer, name)?.value, value, `${section} ${name}`)
      t.equal(textsByRole(answer, 'alert').length, Object.keys(errorsOf(answer)).length > 1 ? 1 : 0, 'several are named above it, too')
    }
  }
  t.same(orderOf(db, id), before)
  t.equal(linesOf(db, id).length, 0)
})

t.test('what two people save of one section is merged, or shown side by side (409)', async (t) => {
  const cabinet = await start(t)
  const { db, of, get, post } = cabinet
  const id = insertOrder(cabinet, 'new', { ...of, receiver: 'Anna', phone: '+7(999) 123 45 67' })
  const [version] = hiddenOf(await get('maria', id, 'customer'), 'version')
  await post('denis', id, 'customer', { receiver: 'Boris', version: version as string })
  const whole = await post('maria', id, 'customer', { email: 'anna@example.com', version: version as string }, htmx)
  t.match(parseHtml(whole.body)('.flash.alert-warning').text(), 'Someone else also updated: Customer full name', 'to scripts, too')
  const merged = await post('maria', id, 'customer', { receiver: 'Anna', phone: '+7(999) 765 43 21', version: version as string })
  t.equal(merged.statusCode, 303)
  t.match(orderOf(db, id), { receiver: 'Boris', phone: '+7(999) 765 43 21' })
  t.match(
    textsByRole(await (await cabinet.as('maria')).get(String(merged.headers.location)), 'status').join(),
    'Someone else also updated: Customer full name',
  )
  const clash = await post('maria', id, 'customer', { receiver: 'Clara', comment: 'Call first', version: version as string }, htmx)
  t.equal(clash.statusCode, 409)
  t.match(textsByRole(clash, 'alert').join(), /Customer full name Clara Boris Denisov Denis/)
  t.equal(fieldOf(clash, 'receiver')?.value, 'Clara')
  t.same(hiddenOf(clash, 'version'), [String(orderOf(db, id).version)], 'saved again it holds')
  t.equal(fieldOf(clash, 'phone')?.value, '+7(999) 765 43 21', 'beside what others have saved')
  t.equal(fieldOf(clash, 'comment')?.value, 'Call first')
  t.match(orderOf(db, id), { receiver: 'Boris', comment: null })
  t.equal(
    (await post('maria', id, 'delivery', { address: 'Main street 1', version: version as string })).statusCode,
    303,
    'another section',
  )
  t.equal((await post('maria', id, 'customer', { receiver: 'Clara', version: 99 })).statusCode, 422)
  t.match(orderOf(db, id), { receiver: 'Boris', address: 'Main street 1' })
})

t.test('dates, lines and a new dealer are told to the dealer with the reason; other sections ask for none', async (t) => {
  const cabinet = await start(t)
  const { db, cast, of, get, post, told, lastChange } = cabinet
  const id = insertOrder(cabinet, 'new', of)
  for (const section of sections) {
    const asks = fieldOf(await get('root', id, section), 'reason') !== undefined
    t.equal(asks, ['lines', 'production', 'dealer'].includes(section), section)
  }
  t.equal(fieldOf(await get('denis', id, 'lines'), 'reason'), undefined, 'dealers are told')
  await post('maria', id, 'production', { date_make: '2026-12-16', reason: 'Glass arrives late' })
  t.match(told(), [{ user_id: cast.denis, event: 'order-changed' }])
  t.same(lastChange(id), { date_make: [null, '2026-12-16'], reason: [null, 'Glass arrives late'] })
  await post('maria', id, 'lines', { items: '', ...line(0, cast.category, 'Window', 1, 100), reason: 'Their wish' })
  t.equal(told().length, 2)
  await post('maria', id, 'production', { date_make: '2026-12-17', untold: 1 })
  t.equal(told().length, 2, 'unless they say not to')
  const asked = await get('maria', id, 'production')
  const isOn = ({ body }: typeof asked) => elementsOf(body, '[type=checkbox][name=untold][checked]').length === 1
  t.equal(parseHtml(asked.body)('#untold').attr('value'), '0')
  t.ok(isOn(asked), 'telling is what the switch says, and it is on')
  t.same(hiddenOf(asked, 'untold'), ['1'], 'switched off, the dealer is not told')
  t.match(textOf(asked.body), 'Tell the dealer')
  const refused = await post('maria', id, 'production', { date_make: 'x', untold: 1 })
  t.equal(refused.statusCode, 422)
  t.notOk(isOn(refused), 'what was chosen is still there')
  await post('maria', id, 'customer', { receiver: 'Anna', reason: 'Nothing' })
  t.equal(told().length, 2)
  t.same(Object.keys(lastChange(id)), ['receiver'])
  t.equal(linesOf(db, id).length, 1)
})

t.test('lines that are saved as they are are no change: no version, no history, and nobody is told, whatever the reason', async (t) => {
  const cabinet = await start(t)
  const { cast, db, of, post, told, lastChange } = cabinet
  useCatalog(db)
  const product = insertProduct(db, { article: 'W-1', category_id: cast.category }, [['2026-01-01', 1234_00]])
  const id = insertOrder(cabinet, 'new', of)
  await post('maria', id, 'lines', { items: '', ...productLine(0, product), seen_total: '1234,00' })
  const [{ version }, changed, before] = [orderOf(db, id), lastChange(id), told().length]
  const same = productLine(0, product, { id: linesOf(db, id)[0]?.id as number })
  const again = (name: Name, fields: Fields) => post(name, id, 'lines', { items: '', ...same, ...fields, seen_total: '1234,00' })
  for (const name of ['maria', 'denis', 'root'] as const)
    t.equal((await again(name, name === 'denis' ? {} : { reason: 'None' })).statusCode, 303, name)
  t.same([orderOf(db, id).version, lastChange(id), told().length], [version, changed, before])
  t.equal((await again('maria', { 'items[0][remark]': 'Left', reason: 'Seen on site' })).statusCode, 303)
  t.same([orderOf(db, id).version, told().length], [version + 1, before + 1])
  t.same(lastChange(id).reason, [null, 'Seen on site'])
})

t.test('to scripts a saved section answers with the page of the order and what was saved, without them with its address', async (t) => {
  const cabinet = await start(t)
  const { db, cast, of, get, post, as } = cabinet
  const id = insertOrder(cabinet, 'new', of)
  const form = await get('maria', id, 'customer', '?back=%3Fq%3Danna', htmx)
  t.notOk(isDocument(form))
  const action = parseHtml(form.body)('form.order-section').attr('action') as string
  t.equal(action, `/orders/${id}/edit/customer?back=%3Fq%3Danna`)
  const saved = await (await as('maria')).post(action, { receiver: 'Anna' }, htmx)
  t.same([saved.statusCode, saved.headers['hx-retarget'], saved.headers['hx-reswap']], [200, '#order', 'outerHTML'])
  t.notOk(isDocument(saved))
  t.match(textOf(elementsOf(saved.body, '#messages')[0] ?? ''), `Customer, order #${id} saved`)
  t.match(textOf(elementsOf(saved.body, '.order-properties')[0] ?? ''), 'Anna')
  t.equal(parseHtml(saved.body)('#edit-customer').attr('href'), action, 'the way back stays')
  t.equal(elementsOf((await (await as('maria')).get('/orders')).body, '.flash').length, 0, 'it is said once')
  const plain = await (await as('maria')).post(action, { receiver: 'Boris' })
  t.equal(plain.headers.location, `/orders/${id}?back=%3Fq%3Danna#edit-customer`)
  t.match(textsByRole(await (await as('maria')).get(`/orders/${id}`), 'status').join(), `Customer, order #${id} saved`)

  const once = { once: 'the same', receiver: 'Clara' }
  await post('maria', id, 'customer', once, htmx)
  const again = await post('maria', id, 'customer', once, htmx)
  t.equal(again.headers['hx-redirect'], `/orders/${id}`, 'a repetition leads to the page')

  grant(db, cast.mikhail, 'order_can_edit')
  const beta = insertOrder(cabinet, 'new', { dealer_id: cast.daria, company_id: cast.companies.beta })
  const gone = await post('mikhail', beta, 'dealer', { dealer_id: cast.denis }, htmx)
  t.equal(orderOf(db, beta).dealer_id, cast.denis)
  t.same([gone.statusCode, gone.headers['hx-redirect']], [200, '/orders'], 'who sees the order no longer is led away from it')
})

t.test('lines made of products are priced, added and removed without scripts', async (t) => {
  const cabinet = await start(t)
  const { db, cast, of, get, post } = cabinet
  const product = insertProduct(db, { article: 'W-1', category_id: cast.category }, [['2026-01-01', 1234_00]])
  useCatalog(db)
  const id = insertOrder(cabinet, 'new', of)
  const shown = await get('denis', id, 'lines')
  const html = parseHtml(shown.body)
  t.equal(html('[data-prices]').attr('data-prices'), `/orders/add/price?order=${id}`)
  t.equal(html('[data-row-add]').attr('hx-get'), `/orders/edit/${id}/items/row`)
  const added = await post('denis', id, 'lines', { items: '', ...productLine(0, product), _add: 'items' })
  t.equal(added.statusCode, 200)
  t.equal(elementsOf(added.body, '.repeater-row').length, 2)
  const calculated = await post('denis', id, 'lines', { items: '', ...productLine(0, product, { quantity: 2 }), _find: 'items' })
  t.equal(parseHtml(calculated.body)('#total').attr('data-kopecks'), '246800')
  t.equal(linesOf(db, id).length, 0)
  const lacking = await post('denis', id, 'lines', { items: '', ...productLine(0, product, { quantity: '' }) })
  t.equal(lacking.statusCode, 422)
  const [seen_total] = hiddenOf(calculated, 'seen_total') as [string]
  const saved = await post('denis', id, 'lines', { items: '', ...productLine(0, product, { quantity: 2 }), seen_total, receiver: 'Nobody' })
  t.equal(saved.statusCode, 303)
  t.match(linesOf(db, id), [{ product_id: product, quantity: 2 }])
  t.match(orderOf(db, id), { cost: 2468_00, receiver: null })
  const other = db.select().from(orders).where(eq(orders.id, cast.order)).get()
  t.equal(other?.cost, 0)
})

t.test('a right that a status takes away takes the section away', async (t) => {
  const cabinet = await start(t)
  const { db, of, get, post } = cabinet
  const id = insertOrder(cabinet, 'new', of)
  t.equal((await get('denis', id, 'customer')).statusCode, 200)
  const policy = db.select().from(statusPolicies).where(eq(statusPolicies.key, 'order_dealer_can_edit')).get()?.id as number
  db.update(policyStatus)
    .set({ value: false })
    .where(and(eq(policyStatus.status_id, statusId('new')), eq(policyStatus.status_policy_id, policy)))
    .run()
  t.equal((await get('denis', id, 'customer')).statusCode, 403)
  t.equal((await post('denis', id, 'customer', { receiver: 'Anna' })).statusCode, 403)
  t.equal((await get('denis', id, 'lines')).statusCode, 200, 'others stay')
  t.equal(orderOf(db, id).receiver, null)
})

t.test('stored documents are replaced where somebody may replace one; what is missing is added on the page itself', async (t) => {
  const cabinet = await start(t)
  const { as, of } = cabinet
  const id = insertOrder(cabinet, 'payment', { ...of, invoice: 'bill' })
  const links = async (name: Name) => elementsOf((await (await as(name)).get(`/orders/${id}`)).body, '#documents .section-edit').length
  t.same([await links('root'), await links('maria'), await links('denis')], [1, 1, 0], 'a dealer adds only the confirmation of a payment')
  t.equal((await cabinet.get('denis', id, 'documents')).statusCode, 200)
  t.equal(fieldOf(await cabinet.get('denis', id, 'documents'), 'invoice'), undefined)
})
