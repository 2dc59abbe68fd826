import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import type { MenuItem } from '../../web/http.ts'
import { page } from '../../web/view/page.ts'

interface Tile extends Pick<MenuItem, 'path' | 'label' | 'icon'> {
  total: number
}

const dashboardPage = page<{ title: string; greeting: string; tiles: Tile[]; widgets: { template: string }[] }>('home/dashboard.njk')

export async function homeRoutes(app: FastifyInstance): Promise<void> {
  app.menu.push({ path: '/', label: 'Dashboard', icon: 'layout-dashboard' })
  app.get('/', { access: 'signed-in' }, showDashboard)
}

function showDashboard(request: FastifyRequest, reply: FastifyReply) {
  const { actor, server } = request
  const tiles = server.menu.flatMap(({ waiting, total = waiting, ...item }) =>
    total && allows(item.rule ?? [], actor) ? { ...item, total: total(actor) } : [],
  )
  const open = server.widgets.filter(({ rule }) => allows(rule, actor))
  const widgets = open.map(({ template, load }) => ({ template, ...load(request) }))
  return reply.page(dashboardPage, { title: request.t('Dashboard'), greeting: greetingAt(new Date().getHours()), tiles, widgets })
}

function greetingAt(hour: number): string {
  if (hour >= 5 && hour < 12) return 'Good morning, {name}'
  return hour >= 12 && hour < 18 ? 'Good afternoon, {name}' : 'Good evening, {name}'
}
