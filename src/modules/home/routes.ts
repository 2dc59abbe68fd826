import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, group } from '../../core/access.ts'
import { template } from '../../http/request/template.ts'
import type { MenuItem } from '../../view/shell.ts'

interface Dashboard {
  title: string
  hour: number
  mayOrder: boolean
  tasks: (Pick<MenuItem, 'path' | 'label' | 'icon'> & { waiting: number })[]
  places: Record<'news' | 'top' | 'main' | 'bottom', { template: string }[]>
}

const dashboardPage = template<Dashboard>('home/dashboard.njk')

export async function homeRoutes(app: FastifyInstance): Promise<void> {
  app.menu.push({ path: '/', label: 'Dashboard', icon: 'layout-dashboard' })
  app.get('/', { access: 'signed-in' }, showDashboard)
}

function showDashboard(request: FastifyRequest, reply: FastifyReply) {
  const { actor, server } = request
  const open = server.menu.filter(({ rule }) => allows(rule ?? [], actor))
  const tasks = open
    .map((item) => ({ ...item, path: item.waiting?.path ?? item.path, waiting: item.waiting?.count(actor) ?? 0 }))
    .filter(({ waiting }) => waiting > 0)
  const widgets = server.widgets
    .filter(({ rule }) => allows(rule, actor))
    .map(({ template, place = 'main', load }) => ({ template, place, ...load(request) }))
  const at = (wanted: (typeof widgets)[number]['place']) => widgets.filter(({ place }) => place === wanted)
  const placesOrders = actor.group_id === group.dealer || actor.group_id === group.manager
  const mayOrder = placesOrders && open.some(({ path, may }) => path === '/orders' && allows(may?.add ?? [], actor))
  return reply.page(dashboardPage, {
    title: request.t('Dashboard'),
    hour: new Date().getHours(),
    mayOrder,
    tasks,
    places: { news: at('news'), top: at('top'), main: at('main'), bottom: at('bottom') },
  })
}
