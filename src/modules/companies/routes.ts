import type { FastifyInstance } from 'fastify'
import { anyOf, group, ignoringScope, isGroup } from '../../core/access.ts'
import { showRepeaterRow } from '../../web/card/repeater-row.ts'
import { create, save } from '../../web/card/save.ts'
import { showCreate, showEdit } from '../../web/card/show.ts'
import { showChoices } from '../../web/form/choices.ts'
import { fileInputs } from '../../web/form/inputs.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { exportList } from '../../web/list/export.ts'
import { showList } from '../../web/list/show.ts'
import { may } from './access.ts'
import { companyCard, dealerTermsWidget } from './card.ts'
import { findManagers } from './choices.ts'
import { companyAttachments, findCompany } from './company.ts'
import { companyForm, showWarnings } from './form.ts'
import { companyDeletion, companyList, searchTexts } from './list.ts'

export async function companyRoutes(app: FastifyInstance): Promise<void> {
  const list = companyList(app.db)
  const deletion = companyDeletion(list)
  const record = findCompany
  app.attachmentSources.push(companyAttachments)
  app.cards.push(companyCard)
  app.widgets.push({ rule: anyOf(isGroup(group.dealer)), place: 'side', ...dealerTermsWidget })
  app.menu.push({
    path: '/companies',
    label: 'Companies',
    icon: 'building',
    group: 'Sales',
    rule: may.list,
    may,
    also: ['/company'],
  })

  app.searchSources.push({ list, icon: 'building', texts: searchTexts })

  app.get('/companies', { access: may.list }, showList(list))
  app.get('/companies/export', { access: may.list, answers: 'file' }, exportList(list))
  deletionRoutes(app, '/companies/delete', deletion)
  app.get('/company/add', { access: may.add }, showCreate(companyCard))
  app.post('/company/add', { access: may.add }, create(companyCard))
  app.get('/company/doubts', { access: 'signed-in', answers: 'fragment' }, showWarnings)
  app.get('/company/managers', { access: ignoringScope(may.edit), answers: 'fragment' }, showChoices(findManagers))
  app.get('/company/edit/:id', { access: may.view, record }, showEdit(companyCard))
  app.post('/company/edit/:id', { access: may.edit, record, uploads: fileInputs(companyForm) }, save(companyCard))
  app.get('/company/edit/:id/discounts/row', { access: may.edit, record, answers: 'fragment' }, showRepeaterRow(companyCard, 'discounts'))
  app.get('/company/edit/:id/files/row', { access: may.edit, record, answers: 'fragment' }, showRepeaterRow(companyCard, 'files'))
}
