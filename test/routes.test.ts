import t from 'tap'
import { modules } from '../src/app.ts'
import { formatRoute } from '../src/commands/route-line.ts'
import { allOf, anyOf, everyone, group, has, isGroup, owned, superadministrator } from '../src/core/access.ts'
import type { Access } from '../src/http/request/route-policy.ts'
import { startCabinet } from './support/cabinet.ts'

const lineOf = (access: Access, more = {}) => formatRoute({ method: 'GET', url: '/dealers', access, ...more }).replace(/ {2,}/g, ' ')

t.test('every route is printed on one line that fits a screen', async (t) => {
  const { app } = await startCabinet(t)
  for (const route of app.routeTable) t.match(formatRoute(route), /^[A-Z]+ .{20,199}$/, `${route.method} ${route.url}`)
})

t.test('the line of a route says who may', async (t) => {
  const own = owned('dealers assigned to you', () => true)
  t.equal(lineOf('public'), 'GET /dealers page, region public')
  t.equal(lineOf(anyOf(has('dealer_can_view'), isGroup(group.dealer))), 'GET /dealers page, region dealer_can_view or group dealer')
  t.equal(
    lineOf(anyOf(has('dealer_manager_can_view', own)), { record: () => {} }),
    'GET /dealers page, region dealer_manager_can_view (dealers assigned to you) [record]',
  )
  t.equal(lineOf(allOf(anyOf(superadministrator, everyone()), anyOf(everyone()))), 'GET /dealers page, region signed-in')
  t.equal(
    lineOf(allOf(anyOf(has('dealer_can_view'), has('dealer_can_add')), anyOf(has('dealer_can_add')), anyOf(has('dealer_can_add')))),
    'GET /dealers page, region dealer_can_add',
    'what another part demands anyway is left out',
  )
  const many = owned('dealers whose company has its warehouse in a place with a long name', () => true)
  t.equal(
    lineOf(anyOf(has('dealer_can_view', many), has('dealer_manager_can_view', many))),
    'GET /dealers page, region dealer_can_view (…) or dealer_manager_can_view (…)',
  )
})

t.test('modules registered in another order serve the same, under the same rules', async (t) => {
  const words = (access: Access | undefined) =>
    typeof access === 'object' ? access.map((grants) => String(grants.map((grant) => JSON.stringify(grant)).sort())).sort() : access
  const describe = ({ app }: Awaited<ReturnType<typeof startCabinet>>) => ({
    routes: app.routeTable.map(({ method, url, access }) => `${method} ${url} ${JSON.stringify(words(access))}`).sort(),
    lists: [...app.records.keys()].sort(),
    imports: [...app.records].flatMap(([name, { imports }]) => (imports ? name : [])).sort(),
    api: [...app.records].flatMap(([name, { api }]) => (api ? name : [])).sort(),
    menu: app.registry.menu.map(({ path }) => path).sort(),
  })
  const usual = await startCabinet(t)
  modules.reverse()
  const reversed = await startCabinet(t, { anew: true }).finally(() => modules.reverse())
  t.same(describe(reversed), describe(usual))
  t.ok(usual.app.records.get('dealers')?.imports && usual.app.records.get('news')?.api && !usual.app.records.has('outbox'))
})
