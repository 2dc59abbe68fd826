import type { FastifyInstance } from 'fastify'
import { listRoutes } from '../../records/list/routes.ts'
import { securityLogList } from './list.ts'

export async function securityLogRoutes(app: FastifyInstance): Promise<void> {
  listRoutes(app, securityLogList(app.db), { icon: 'shield-lock', section: 'System', says: ['sign-ins, audit'] })
}
