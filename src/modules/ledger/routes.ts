import type { FastifyInstance } from 'fastify'
import { listRoutes } from '../../web/list/routes.ts'
import { ledgerList } from './list.ts'

export async function ledgerRoutes(app: FastifyInstance): Promise<void> {
  listRoutes(app, '/ledger', ledgerList(), { icon: 'receipt', group: 'Sales' })
}
