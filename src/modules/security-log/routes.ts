import type { FastifyInstance } from 'fastify'
import { exportList } from '../../web/list/export.ts'
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
  app.get('/security-log/export', { access: mayReadSecurityLog, answers: 'file' }, exportList(list))
}
