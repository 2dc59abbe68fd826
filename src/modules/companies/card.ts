import type { FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { createRecord, updateRecord } from '../../database/records.ts'
import { type ChangedFields, companies } from '../../database/schema/index.ts'
import type { Card } from '../../web/card/card.ts'
import type { CreateValues, EditValues } from '../../web/form/form.ts'
import { authorOf } from '../../web/http.ts'
import { may } from './access.ts'
import { type Company, companyLabel, companySearchText, findCompany } from './company.ts'
import { saveDiscounts } from './discounts.ts'
import { companyForm, companyPage, hiddenFrom } from './form.ts'

export const companyCard: Card<Company, typeof companyForm> = {
  list: 'companies',
  listTitle: 'Companies',
  path: '/company',
  table: companies,
  form: companyForm,
  may,
  find: findCompany,
  newTitle: 'New company',
  titleOf: companyLabel,
  page: companyPage,
  hiddenFrom,
  create: registerCompany,
  save: saveCompany,
  created: 'Company added',
}

/** Managers supervise the companies they create; otherwise a new company would vanish from their list. */
function registerCompany(request: FastifyRequest, values: CreateValues<typeof companyForm>): number {
  const { actor, server } = request
  const manager_id = actor.group_id === group.manager ? actor.id : null
  const company = { ...values, manager_id, search: companySearchText(values.org) }
  return createRecord(server.db, companies, company, values.org, authorOf(request))
}

function saveCompany(request: FastifyRequest, company: Company, input: EditValues<typeof companyForm>): void {
  const { db } = request.server
  const { discounts, ...values } = input
  const { org } = { ...company, ...values }
  const rows: ChangedFields = discounts ? { discounts: saveDiscounts(db, company.id, discounts) } : {}
  updateRecord(db, companies, company, { ...values, search: companySearchText(org) }, org, authorOf(request), rows)
}
