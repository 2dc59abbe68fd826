import type { FastifyInstance } from 'fastify'
import { either, ignoringScope } from '../../../core/access.ts'
import { showChoices } from '../../../web/form/choices.ts'
import { userTypeRoutes } from '../routes.ts'
import { may } from './access.ts'
import { findCompanies } from './form.ts'
import { dealerType } from './user-type.ts'

export async function dealerRoutes(app: FastifyInstance): Promise<void> {
  userTypeRoutes(app, dealerType)
  app.get('/dealers/companies', { access: either(may.add, ignoringScope(may.edit)), answers: 'fragment' }, showChoices(findCompanies))
}
