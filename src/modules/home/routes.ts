import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import type { MenuItem } from '../../view/shell.ts'
import { orderAccess } from '../orders/access.ts'
import { neededFirst } from '../orders/needed-first.ts'
import { seesOrders } from '../orders/sees-orders.ts'

interface Dashboard {
  title: string
  mayOrder: boolean
  tasks: ReturnType<typeof tasksOf>
  /** That nothing waits is said where nothing else is to be done. */
  caughtUp: boolean
  places: Record<'above' | 'due' | 'late' | 'aside' | 'main' | 'bottom', { template: string }[]>
}

const dashboardPage = template<Dashboard>('home/dashboard.njk')

export async function homeRoutes(app: FastifyInstance): Promise<void> {
  app.registry.menu.push({ path: '/', label: 'Dashboard', icon: 'layout-dashboard', letter: 'h', says: ['home, start page'] })
  app.get('/', { access: 'signed-in' }, showDashboard)
}

function showDashboard(request: FastifyRequest, reply: FastifyReply) {
  const { actor, server } = request
  const widgets = server.registry.widgets
    .filter(({ rule }) => allows(rule, actor))
    .map(({ template, place = 'main', lists, load }) => ({ template, place, lists, ...load(request) }))
  const at = (wanted: (typeof widgets)[number]['place']) => widgets.filter(({ place }) => place === wanted)
  const shown = (wanted: 'due' | 'late') => at(wanted).filter((part) => 'widget' in part && part.widget)
  const [due, late] = [shown('due'), shown('late')]
  const tasks = tasksOf(request).filter(({ section }) => !due.some(({ lists }) => lists === section))
  const mayOrder =
    openItems(request).some(({ path, may }) => path === '/orders' && allows(may?.add ?? [], actor)) &&
    seesOrders(request) &&
    !neededFirst(server.db)
  return reply.page(dashboardPage, {
    title: request.t('Dashboard'),
    mayOrder,
    tasks,
    caughtUp: tasks.length + due.length + late.length === 0 && allows(orderAccess.list, actor),
    places: { above: at('above'), due, late, aside: at('aside'), main: at('main'), bottom: [...at('bottom'), ...at('last')] },
  })
}

/** What of the menu somebody may open. */
function openItems({ server, actor }: Context): MenuItem[] {
  return server.registry.menu.filter(({ rule }) => allows(rule ?? [], actor))
}

/** What waits for somebody in the sections that they may open. */
function tasksOf(context: Context) {
  return openItems(context).flatMap(({ label, icon, path, waiting }) => {
    const count = waiting?.count(context.actor) ?? 0
    return waiting && count > 0 ? [{ label, icon, section: path, path: waiting.path, waiting: count }] : []
  })
}
