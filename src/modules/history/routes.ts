import type { FastifyInstance } from 'fastify'
import { historyList, mayReadHistory } from '../../web/history/list.ts'
import { showList } from '../../web/list/show.ts'

export async function historyRoutes(app: FastifyInstance): Promise<void> {
  app.menu.push({
    path: '/activity',
    label: 'Change history',
    icon: 'history',
    group: 'System',
    rule: mayReadHistory,
    may: { list: mayReadHistory },
  })
  app.get('/activity', { access: mayReadHistory }, (request, reply) =>
    showList(historyList(request, { name: 'activity', title: 'Change history' }))(request, reply),
  )
}
