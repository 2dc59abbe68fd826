import type { FastifyInstance } from 'fastify'
import { either, holding } from '../../core/access.ts'
import { showChoices } from '../../web/form/choices.ts'
import type { List } from '../../web/list/state.ts'
import { kindRoutes } from '../people/routes.ts'
import { may } from './access.ts'
import { exportDealers } from './export.ts'
import { findCompanies } from './form.ts'
import { dealers } from './kind.ts'
import type { DealerRow } from './list.ts'

export async function dealerRoutes(app: FastifyInstance): Promise<void> {
  const list = kindRoutes(app, dealers) as List<DealerRow>
  app.get('/dealers/companies', { access: either(may.add, holding(may.edit)), answers: 'fragment' }, showChoices(findCompanies))
  app.get('/dealers/export', { access: may.list, answers: 'file' }, exportDealers(list))
}
