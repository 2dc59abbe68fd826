import type { FastifyInstance } from 'fastify'
import { either, ignoringScope } from '../../../core/access.ts'
import { showChoices } from '../../../web/form/choices.ts'
import { userTypeRoutes } from '../routes.ts'
import { may } from './access.ts'
import { performBulkChange, showBulkChange } from './bulk-change.ts'
import { findCompanies } from './form.ts'
import { dealerType } from './user-type.ts'

export async function dealerRoutes(app: FastifyInstance): Promise<void> {
  const list = userTypeRoutes(app, dealerType)
  const bulkChange = { access: ignoringScope(may.edit) }
  app.get('/dealers/change', bulkChange, showBulkChange(list))
  app.post('/dealers/change', bulkChange, performBulkChange(list))
  app.get('/dealers/companies', { access: either(may.add, ignoringScope(may.edit)), answers: 'fragment' }, showChoices(findCompanies))
}
