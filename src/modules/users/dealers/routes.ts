import type { FastifyInstance } from 'fastify'
import { either, ignoringScope } from '../../../core/access.ts'
import { showChoices } from '../../../web/form/choices.ts'
import type { List } from '../../../web/list/state.ts'
import { userTypeRoutes } from '../routes.ts'
import { may } from './access.ts'
import { exportDealers } from './export.ts'
import { findCompanies } from './form.ts'
import type { DealerRow } from './list.ts'
import { dealerType } from './user-type.ts'

export async function dealerRoutes(app: FastifyInstance): Promise<void> {
  const list = userTypeRoutes(app, dealerType) as List<DealerRow>
  app.get('/dealers/companies', { access: either(may.add, ignoringScope(may.edit)), answers: 'fragment' }, showChoices(findCompanies))
  app.get('/dealers/export', { access: may.list, answers: 'file' }, exportDealers(list))
}
