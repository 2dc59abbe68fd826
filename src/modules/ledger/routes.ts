import type { FastifyInstance } from 'fastify'
import { listRoutes } from '../../records/list/routes.ts'
import { ledgerList } from './list.ts'
import { entryRecords } from './records.ts'

export async function ledgerRoutes(app: FastifyInstance): Promise<void> {
  app.subordinates.push(entryRecords)
  listRoutes(app, ledgerList(), { icon: 'receipt', section: 'Sales' })
}
