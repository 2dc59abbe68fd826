import type { FastifyInstance } from 'fastify'
import { listRoutes } from '../../records/list/routes.ts'
import { recordViewList } from './list.ts'

export async function recordViewRoutes(app: FastifyInstance): Promise<void> {
  listRoutes(app, recordViewList(app.db))
}
