import type { FastifyInstance } from 'fastify'
import { addRecord } from '../../records/record.ts'
import { securityLogList } from './list.ts'

export async function securityLogRoutes(app: FastifyInstance): Promise<void> {
  addRecord(app, {
    list: securityLogList(app.db),
    menu: { icon: 'shield-lock', letter: 'l', section: 'System', says: ['sign-ins, audit'] },
  })
}
