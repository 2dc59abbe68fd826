import type { FastifyInstance } from 'fastify'
import { anyOf, group, ignoringScope, isGroup } from '../../core/access.ts'
import { onRecord } from '../../web/access/record-routes.ts'
import { action } from '../../web/action.ts'
import { showChoices } from '../../web/form/choices.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { listRoutes } from '../../web/list/routes.ts'
import { saveCorrection, showCorrection } from '../ledger/correct.ts'
import { correctionRule } from '../ledger/tab.ts'
import { companyAccess } from './access.ts'
import { companiesBulkChange } from './bulk-change.ts'
import { dealerTermsWidget } from './card.ts'
import { findManagers } from './choices.ts'
import { findCompany } from './company.ts'
import { warnAboutLegalDetails } from './form.ts'
import { companyDeletion, companyList, searchTexts } from './list.ts'
import { findProductChoices } from './product-choices.ts'

export async function companyRoutes(app: FastifyInstance): Promise<void> {
  const list = companyList(app.db)
  app.widgets.push({ rule: anyOf(isGroup(group.dealer)), ...dealerTermsWidget })
  app.searchSources.push({ list, icon: 'building', texts: searchTexts })

  listRoutes(app, '/companies', list, { icon: 'building', group: 'Sales', also: ['/company'] })
  deletionRoutes(app, '/companies/delete', companyDeletion(list))
  companiesBulkChange(app, list)
  const correction = { access: correctionRule(companyAccess.view), record: findCompany }
  app.get('/company/:id/ledger', onRecord(correction, showCorrection))
  app.post('/company/:id/ledger', action(correction, saveCorrection))
  app.get('/company/warnings', { access: 'signed-in', answers: 'fragment' }, warnAboutLegalDetails)
  app.get('/company/products', { access: ignoringScope(companyAccess.edit), answers: 'fragment' }, showChoices(findProductChoices))
  app.get('/company/managers', { access: ignoringScope(companyAccess.edit), answers: 'fragment' }, showChoices(findManagers))
}
