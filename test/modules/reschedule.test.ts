import { and, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, notifications, policyStatus, statusPolicies } from '../../src/database/schema/index.ts'
import { shortDateFormatter } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, type Name } from '../support/cast.ts'
import { elementsOf, errorsOf, fieldOf, hiddenOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { insertOrder, orderOf, statusId } from '../support/orders.ts'

const shortDay = (day: string) => shortDateFormatter('en')(new Date(`${day}T12:00`).getTime())

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { cast, db, as } = cabinet
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha, date_make: '2026-12-01', date_delivery: '2026-12-20' }
  const lastChange = (id: number) =>
    db
      .select()
      .from(changes)
      .where(and(eq(changes.entity, 'orders'), eq(changes.record_id, id)))
      .orderBy(desc(changes.id))
      .get()
  const dates = (id: number) => {
    const { date_make, date_delivery, date_payment } = orderOf(db, id)
    return { date_make, date_delivery, date_payment }
  }
  const get = async (name: Name, id: number, query = '') => (await as(name)).get(`/orders/${id}/dates${query}`)
  return { ...cabinet, of, lastChange, dates, get }
}

t.test('production moves the date of an order, and the history keeps the reason', async (t) => {
  const cabinet = await start(t)
  const { as, cast, db, of, dates, lastChange } = cabinet
  const [id, other] = [insertOrder(cabinet, 'production', of), insertOrder(cabinet, 'production', of)]
  const pavel = await as('pavel')
  const query = '?back=%3Fwaiting%3D1%26sort%3Ddate_make%26dir%3Dasc&return=list&field=date_make'
  const values = { date_make: '2026-12-16', reason: 'Glass arrives late' }
  const saved = await pavel.post(`/orders/${id}/dates${query}`, values)
  t.equal(saved.statusCode, 303)
  t.equal(saved.headers.location, `/orders?waiting=1&sort=date_make&dir=asc#orders-${id}`, 'back to the row in the list')
  t.match(dates(id), { date_make: '2026-12-16', date_delivery: '2026-12-20' })
  t.match(dates(other), { date_make: '2026-12-01' })
  t.same(lastChange(id)?.fields, { date_make: ['2026-12-01', '2026-12-16'], reason: [null, 'Glass arrives late'] })
  t.same(
    db
      .select()
      .from(notifications)
      .all()
      .map(({ user_id }) => user_id),
    [cast.denis],
    'the dealer is notified, and nobody else',
  )

  const shown = async (name: Name, path: string, selector: string) =>
    elementsOf((await (await as(name)).get(path)).body, selector)
      .map(textOf)
      .join()
  for (const name of ['pavel', 'denis', 'maria'] as const) {
    const told = await shown(name, `/orders/${id}`, '#timeline')
    t.match(told, /changed: Production date \(01\.12\.2026 → 16\.12\.2026\) .*Glass arrives late/, `${name} reads it on the page`)
    t.notMatch(told, 'Delivery date')
  }
  t.match(
    await shown('root', `/orders/edit/${id}?tab=history`, '#history-table'),
    /Production date: 01\.12\.2026 → 16\.12\.2026 Reason: — → Glass arrives late/,
  )

  t.equal(
    (await pavel.post(`/orders/${id}/dates`, { date_delivery: '' })).headers.location,
    `/orders/${id}`,
    'without a list back to the page',
  )
  t.match(dates(id), { date_make: '2026-12-16', date_delivery: null })
  t.same(Object.keys(lastChange(id)?.fields ?? {}), ['date_delivery'], 'a reason may be left out')
  t.match(await shown('denis', `/orders/${id}`, '#timeline'), 'Delivery date (20.12.2026 → —)')
  const told = await shown('pavel', `/orders/${id}`, '#timeline > li')
  await (await as('maria')).post(`/orders/${id}/dates`, { date_payment: '2026-12-02' })
  t.match(await shown('maria', `/orders/${id}`, '#timeline'), 'Payment date (— → 02.12.2026)')
  t.equal(await shown('pavel', `/orders/${id}`, '#timeline > li'), told, 'who does not see it is told nothing')
  const before = lastChange(id)?.id
  t.equal((await pavel.post(`/orders/${id}/dates`, { ...values, once: 'x' })).statusCode, 303)
  t.equal(lastChange(id)?.id, before, 'a reason without a change is no entry')
})

t.test('only those whom status and policies allow set dates (403)', async (t) => {
  const cabinet = await start(t)
  const { as, db, cast, of, dates } = cabinet
  const production = insertOrder(cabinet, 'production', of)
  const fresh = insertOrder(cabinet, 'new', of)
  const done = insertOrder(cabinet, 'completed', of)
  const foreign = insertOrder(cabinet, 'production', { ...of, dealer_id: cast.daria, company_id: cast.companies.beta })
  grant(db, cast.clerk, 'order_can_edit')
  const answers = async (name: Name, id: number) => {
    const [asked, sent] = [await cabinet.get(name, id), await (await as(name)).post(`/orders/${id}/dates`, { date_make: '2030-01-01' })]
    return [asked.statusCode, sent.statusCode]
  }
  for (const [name, ids] of [
    ['denis', [production, fresh]],
    ['pavel', [fresh, done, foreign]],
    ['maria', [done, foreign]],
    ['mikhail', [production]],
  ] as const)
    for (const id of ids) t.same(await answers(name, id), [403, 403], `${name} #${id}`)
  for (const id of [production, fresh, done, foreign]) t.match(dates(id), { date_make: '2026-12-01' })
  for (const [name, id] of [
    ['pavel', production],
    ['maria', fresh],
    ['clerk', done],
    ['mikhail', foreign],
  ] as const)
    t.same(await answers(name, id), [200, 303], `${name} #${id}`)

  const schedule = db.select().from(statusPolicies).where(eq(statusPolicies.key, 'order_production_can_schedule')).get()?.id as number
  db.update(policyStatus)
    .set({ value: false })
    .where(and(eq(policyStatus.status_id, statusId('production')), eq(policyStatus.status_policy_id, schedule)))
    .run()
  t.same(await answers('pavel', production), [403, 403], 'once the status no longer allows it')
  t.equal((await cabinet.get('root', 999)).statusCode, 404)
})

t.test('the dates in the list and on the page lead to the form where they may be set', async (t) => {
  const cabinet = await start(t)
  const { as, db, of, get } = cabinet
  const [made, fresh] = [insertOrder(cabinet, 'production', of), insertOrder(cabinet, 'new', { ...of, date_make: null })]
  const inList = async (name: Name, id: number) => {
    const { body } = await (await as(name)).get('/orders?cols=date_make,date_delivery,date_payment&sort=date_make&dir=asc')
    return elementsOf(body, `#orders-${id} td a[href*="/dates"]`).map((link) => parseHtml(link)('a').attr('href') as string)
  }
  t.equal((await inList('pavel', made)).length, 2, 'the date of payment is for those who see prices')
  t.same([await inList('pavel', fresh), await inList('denis', made)], [[], []])
  const list = parseHtml((await (await as('maria')).get('/orders?cols=date_make,date_delivery')).body)
  const namesOf = (id: number) =>
    list(`#orders-${id} a[href*="/dates"]`)
      .toArray()
      .map((link) => link.attribs['aria-label'] ?? list(link).text())
  t.same(
    [namesOf(fresh), namesOf(made)],
    [
      ['Set date', shortDay('2026-12-20')],
      [shortDay('2026-12-01'), shortDay('2026-12-20')],
    ],
    'a dash says what it is for',
  )
  const [asked] = await inList('pavel', made)
  const pavel = await as('pavel')
  const form = await pavel.get(asked as string)
  t.equal(form.statusCode, 200)
  t.equal(fieldOf(form, 'date_make')?.value, '2026-12-01')
  t.equal(parseHtml(form.body)('[name=date_make]').attr('autofocus'), 'autofocus', 'the date that was asked for has the focus')
  t.same(hiddenOf(form, 'version'), [String(orderOf(db, made).version)], 'and what somebody else saves meanwhile is a conflict')
  const action = parseHtml(form.body)('form.record-form').attr('action') as string
  const saved = await pavel.post(action, { date_make: '2026-12-02' })
  t.equal(saved.headers.location, `/orders?cols=date_delivery#orders-${made}`)
  const onPage = async (name: Name, id: number) =>
    elementsOf((await (await as(name)).get(`/orders/${id}`)).body, `.order-properties a[href="/orders/${id}/edit/production"]`).length
  t.same([await onPage('pavel', made), await onPage('maria', fresh), await onPage('denis', made)], [1, 1, 0])
  t.match(textOf((await get('maria', fresh)).body), `Dates Order #${fresh} · Alpha`)
})

t.test('invalid dates and dates that somebody else has changed are not saved, and nothing typed is lost (422, 409)', async (t) => {
  const cabinet = await start(t)
  const { as, db, of, dates } = cabinet
  const id = insertOrder(cabinet, 'production', of)
  const pavel = await as('pavel')
  const typed = { date_make: '2026-02-30', date_delivery: '2027-01-01', reason: 'So be it' }
  const refused = await pavel.post(`/orders/${id}/dates?field=date_delivery`, typed)
  t.equal(refused.statusCode, 422)
  t.same(Object.keys(errorsOf(refused)), ['date_make'])
  t.same(
    elementsOf(refused.body, '[autofocus]').map((field) => parseHtml(field)('[name]').attr('name')),
    ['date_make'],
    'the wrong date has the focus, not the one that was asked for',
  )
  t.same([fieldOf(refused, 'date_delivery')?.value, fieldOf(refused, 'reason')?.value], ['2027-01-01', 'So be it'])
  t.equal((await pavel.post(`/orders/${id}/dates`, { date_make: '2027-01-01', reason: 'x'.repeat(1001) })).statusCode, 422)
  t.match(dates(id), { date_make: '2026-12-01', date_delivery: '2026-12-20' })

  const version = orderOf(db, id).version
  await (await as('maria')).post(`/orders/${id}/dates`, { date_make: '2026-12-05', version })
  const clash = await pavel.post(`/orders/${id}/dates`, { date_make: '2026-12-09', date_delivery: '2026-12-20', reason: 'Later', version })
  t.equal(clash.statusCode, 409)
  t.match(textsByRole(clash, 'alert').join(), /Production date 09\.12\.2026 05\.12\.2026 Petrova Maria/)
  t.match(dates(id), { date_make: '2026-12-05' })
  const merged = await pavel.post(`/orders/${id}/dates`, { date_make: '2026-12-01', date_delivery: '2026-12-24', version })
  t.equal(merged.statusCode, 303)
  t.match(dates(id), { date_make: '2026-12-05', date_delivery: '2026-12-24' }, 'other fields are merged')
})
