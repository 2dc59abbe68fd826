import type { FastifyInstance } from 'fastify'
import { listRoutes } from '../../records/list/routes.ts'
import { ledgerList } from './list.ts'
import { entryRecords } from './records.ts'
import { ledgerResource } from './resource.ts'

export async function ledgerRoutes(app: FastifyInstance): Promise<void> {
  app.registry.subordinates.push(entryRecords)
  const list = ledgerList()
  listRoutes(app, list, { icon: 'receipt', section: 'Sales', letter: 'b' })
  // What happened is read by other programs, and is nothing to save a view of.
  app.records.set(list.name, { api: { ...ledgerResource, list: () => list } })
}
