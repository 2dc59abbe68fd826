import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, group } from '../../core/access.ts'
import { template } from '../../http/request/template.ts'
import { openItems, tasksOf } from '../../view/tasks.ts'
import { neededFirst } from '../orders/needed-first.ts'

interface Dashboard {
  title: string
  hour: number
  mayOrder: boolean
  tasks: ReturnType<typeof tasksOf>
  places: Record<'news' | 'top' | 'main' | 'bottom', { template: string }[]>
}

const dashboardPage = template<Dashboard>('home/dashboard.njk')

export async function homeRoutes(app: FastifyInstance): Promise<void> {
  app.registry.menu.push({ path: '/', label: 'Dashboard', icon: 'layout-dashboard', letter: 'h' })
  app.get('/', { access: 'signed-in' }, showDashboard)
}

function showDashboard(request: FastifyRequest, reply: FastifyReply) {
  const { actor, server } = request
  const widgets = server.registry.widgets
    .filter(({ rule }) => allows(rule, actor))
    .map(({ template, place = 'main', load }) => ({ template, place, ...load(request) }))
  const at = (wanted: (typeof widgets)[number]['place']) => widgets.filter(({ place }) => place === wanted)
  const placesOrders = (actor.group_id === group.dealer || actor.group_id === group.manager) && !neededFirst(server.db)
  const mayOrder = placesOrders && openItems(request).some(({ path, may }) => path === '/orders' && allows(may?.add ?? [], actor))
  return reply.page(dashboardPage, {
    title: request.t('Dashboard'),
    hour: new Date().getHours(),
    mayOrder,
    tasks: tasksOf(request),
    places: { news: at('news'), top: at('top'), main: at('main'), bottom: at('bottom') },
  })
}
