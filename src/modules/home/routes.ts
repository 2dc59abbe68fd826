import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'

export async function homeRoutes(app: FastifyInstance): Promise<void> {
  app.menu.push({ path: '/', label: 'Dashboard', icon: 'layout-dashboard' })
  app.get('/', { access: 'signed-in' }, showDashboard)
  app.get('/healthz', { access: 'public', answers: 'file' }, checkHealth)
}

function showDashboard(request: FastifyRequest, reply: FastifyReply) {
  const { actor, server } = request
  const tiles = server.menu.flatMap(({ waiting, total = waiting, ...item }) =>
    total && allows(item.rule ?? [], actor) ? { ...item, total: total(actor) } : [],
  )
  const open = server.widgets.filter(({ rule }) => allows(rule, actor))
  const widgets = open.map(({ template, load }) => ({ template, ...load(request) }))
  return reply.page('home/dashboard.njk', { title: request.t('Dashboard'), tiles, widgets })
}

/** Says ok when the database answers. */
function checkHealth(request: FastifyRequest, reply: FastifyReply) {
  request.server.db.get(sql`select 1`)
  return reply.type('text/plain').header('Cache-Control', 'no-store').send('ok')
}
