import type { FastifyInstance } from 'fastify'
import { addRecord } from '../../records/record.ts'
import { recordViewList } from './list.ts'

export async function recordViewRoutes(app: FastifyInstance): Promise<void> {
  addRecord(app, { list: recordViewList(app.db) })
}
