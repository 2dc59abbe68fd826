import type { FastifyInstance } from 'fastify'
import { showList } from '../../web/list/show.ts'
import { mayReadSecurityLog, securityLogList } from './list.ts'

export async function securityLogRoutes(app: FastifyInstance): Promise<void> {
  const list = securityLogList(app.db)
  app.menu.push({
    path: '/security-log',
    label: list.title,
    icon: 'shield-lock',
    group: 'System',
    rule: mayReadSecurityLog,
    may: { list: mayReadSecurityLog },
  })
  app.get('/security-log', { access: mayReadSecurityLog }, showList(list))
}
