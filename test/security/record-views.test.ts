import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders, recordViews, settings } from '../../src/database/schema/index.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { elementsOf, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'
import { until } from '../support/until.ts'

async function start(test: Parameters<typeof startCabinet>[0], keeps_views = true) {
  const cabinet = await startCabinet(test, { anew: true })
  const { as, cast, db } = cabinet
  db.update(settings).set({ keeps_views }).run()
  const stored = () => db.select().from(recordViews).orderBy(recordViews.id).all()
  const pages = {
    order: `/orders/${cast.order}`,
    form: `/orders/edit/${cast.order}`,
    company: `/company/edit/${cast.companies.alpha}`,
    dealer: `/dealers/edit/${cast.denis}`,
  }
  /** Waits for what was opened before by opening something new: views are written in their order. */
  const settled = async () => {
    const last = insertOrder(cabinet, 'new')
    await (await as('root')).get(`/orders/${last}`)
    await until(() => stored().some(({ record_id, kind }) => kind === 'orders' && record_id === last))
    db.delete(recordViews).where(eq(recordViews.record_id, last)).run()
    return stored().map(({ kind, record_id, user_name }) => `${user_name}: ${kind} ${record_id}`)
  }
  return { ...cabinet, stored, pages, settled }
}

t.test('who opens an order, a company or a dealer is kept with time and address, once in ten minutes', async (t) => {
  const { as, cast, db, stored, pages, settled } = await start(t)
  const before = Date.now()
  const [maria, root] = [await as('maria'), await as('root')]
  for (const path of [pages.order, pages.form, pages.company, pages.dealer, pages.order]) t.equal((await maria.get(path)).statusCode, 200)
  await root.get(pages.order)
  const { order, companies, denis } = cast
  const marias = [`orders ${order}`, `companies ${companies.alpha}`, `dealers ${denis}`].map((what) => `Petrova Maria: ${what}`)
  t.same(await settled(), [...marias, `Root Olga: orders ${order}`])
  const [view] = stored()
  t.match(view, { user_id: cast.maria, address: '127.0.0.1', label: `#${order}`, impersonator_id: null })
  t.ok((view?.at ?? 0) >= before && (view?.at ?? 0) <= Date.now())
  db.update(recordViews)
    .set({ at: Date.now() - 10 * 60_000 - 1 })
    .run()
  await maria.get(pages.order)
  t.equal((await settled()).length, 5, 'after ten minutes they look again')
})

t.test('a section of an order that is opened by its own address is the order', async (t) => {
  const { as, cast, db, pages, settled } = await start(t)
  const [maria, denis] = [await as('maria'), await as('denis')]
  for (const section of ['edit/customer', 'edit/production', 'dates']) {
    await maria.get(`${pages.order}/${section}`, { 'hx-request': 'true' })
    t.same(await settled(), [], 'the dialog over the page that was opened already')
    t.equal((await denis.get(`${pages.order}/edit/dealer`)).statusCode, 403)
    t.equal((await maria.get(`${pages.order}/${section}`)).statusCode, 200)
    t.same(await settled(), [`Petrova Maria: orders ${cast.order}`], section)
    db.delete(recordViews).run()
  }
})

t.test('what shows nobody a record is not kept: HEAD, fragments, prefetches, refusals, redirects, programs', async (t) => {
  const { as, app, pages, settled } = await start(t)
  const maria = await as('maria')
  await maria.send('HEAD', pages.order)
  await maria.get(pages.order, { 'hx-request': 'true' })
  await maria.get(pages.order, { 'sec-purpose': 'prefetch;prerender' })
  await maria.get(pages.order, { purpose: 'prefetch' })
  await maria.get('/orders/999999')
  await app.inject({ url: pages.order })
  for (const name of ['mikhail', 'daria'] as const) t.equal((await (await as(name)).get(pages.order)).statusCode, 403, name)
  await maria.get('/orders')
  await maria.post(pages.form, { receiver: 'Olga' })
  t.same(await settled(), [])
})

t.test('nothing is kept while the setting is off, and switching it off deletes what was', async (t) => {
  const { as, db, stored, pages, settled } = await start(t)
  const [maria, root] = [await as('maria'), await as('root')]
  await maria.get(pages.order)
  t.equal((await settled()).length, 1)
  await root.post('/settings', { name: 'Windows' })
  t.equal((await settled()).length, 1, 'another setting changes nothing')
  t.equal((await root.post('/settings', { keeps_views: '0' })).statusCode, 303)
  t.same(stored(), [], 'at once')
  await maria.get(pages.dealer)
  db.update(settings).set({ keeps_views: true }).run()
  t.same(await settled(), [])
})

t.test('what waits to be written when the service stops is written then, if it is still wanted', async (t) => {
  for (const [wanted, kept] of [
    [true, 1],
    [false, 0],
  ] as const) {
    const { app, as, db, stored, pages } = await start(t)
    await (await as('maria')).get(pages.order)
    db.update(settings).set({ keeps_views: wanted }).run()
    await app.close()
    t.equal(stored().length, kept)
  }
})

t.test('views are deleted after 90 days, and all of them where somebody else has switched the setting off', async (t) => {
  const { app, as, db, stored, pages, settled } = await start(t)
  const day = 24 * 3600_000
  const maria = await as('maria')
  for (const path of [pages.order, pages.company]) await maria.get(path)
  await settled()
  const [old, young] = stored().map(({ id }) => id) as [number, number]
  for (const [id, days] of [
    [old, 90.01],
    [young, 89.99],
  ] as const)
    db.update(recordViews)
      .set({ at: Date.now() - days * day })
      .where(eq(recordViews.id, id))
      .run()
  deleteExpiredRows(app)
  t.same(
    stored().map(({ id }) => id),
    [young],
  )
  db.update(settings).set({ keeps_views: false }).run()
  deleteExpiredRows(app)
  t.same(stored(), [])
})

t.test('superadministrators read who looked in a list and on the record; others neither', async (t) => {
  const { as, cast, db, pages, settled } = await start(t)
  const maria = await as('maria')
  for (const path of [pages.order, pages.company, pages.dealer]) await maria.get(path)
  await settled()
  const root = await as('root')
  const rows = async (path: string) =>
    elementsOf((await root.get(path)).body, 'tr[data-view]').map((row) => /data-view="([^"]+)"/.exec(row)?.[1])
  const { order, companies, denis } = cast
  t.same(await rows('/record-views'), [`dealers-${denis}`, `companies-${companies.alpha}`, `orders-${order}`])
  t.same(await rows('/record-views?kind=orders'), [`orders-${order}`])
  t.same(await rows(`/record-views?user=${cast.root}`), [])
  t.same(await rows('/record-views?q=petrova'), await rows('/record-views'))
  const tabs = [
    [pages.form, `orders-${order}`],
    [pages.company, `companies-${companies.alpha}`],
    [pages.dealer, `dealers-${denis}`],
  ] as const
  for (const [path, row] of tabs) {
    const shown = await root.get(`${path}?tab=record-views`)
    t.ok(elementsOf(shown.body, `tr[data-view="${row}"]`).length >= 1, path)
    t.same(elementsOf(shown.body, `tr[data-view]:not([data-view="${row}"])`), [], path)
    for (const name of ['admin', 'maria'] as Name[]) {
      if (name === 'admin' && path === pages.form) continue
      t.equal((await (await as(name)).get(`${path}?tab=record-views`)).statusCode, 403, `${name} ${path}`)
      t.notMatch((await (await as(name)).get(path)).body, /record-views/, `${name} ${path}`)
    }
  }
  t.match((await root.get('/security-log')).body, /href="\/record-views"/)
  t.match((await root.get(pages.order)).body, /tab=record-views/)
  db.update(settings).set({ keeps_views: false }).run()
  for (const [path] of tabs) t.notMatch((await root.get(path)).body, /record-views/, `${path} while nothing is kept`)
  t.equal((await root.get('/record-views')).statusCode, 200)
})

t.test('an impersonated person looked, and whoever acted for them is named', async (t) => {
  const { as, cast, db, stored, pages, settled } = await start(t)
  const root = await as('root')
  await root.post(`/impersonate/${cast.denis}`)
  await root.get(pages.order)
  await root.post('/impersonate/leave')
  await settled()
  t.match(stored(), [{ user_id: cast.denis, impersonator_id: cast.root, impersonator_name: 'Root Olga' }])
  t.match(textOf((await root.get('/record-views')).body), /Root Olga/)
  db.delete(orders).run()
})
