import type { FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { write } from '../../database/open.ts'
import { createRecord, updateRecord } from '../../database/records.ts'
import { companies } from '../../database/schema/index.ts'
import type { Card } from '../../web/card/card.ts'
import type { Values } from '../../web/form/form.ts'
import { authorOf } from '../../web/http.ts'
import { writeRecord } from '../../web/policy.ts'
import { may } from './access.ts'
import { type Company, companyLabel, companySearch, findCompany } from './company.ts'
import { companyForm, companyPage } from './form.ts'

export const companyCard: Card<Company> = {
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
  create: register,
  save,
  created: 'The company has been registered.',
}

/** A manager supervises the company they register: otherwise it would vanish from their own list. */
function register(request: FastifyRequest, input: Values): number {
  const { actor, server } = request
  const org = input.org as string
  const manager_id = actor.group_id === group.manager ? actor.id : null
  const values = { ...input, manager_id, search: companySearch(org) }
  return write(server.db, () => createRecord(server.db, companies, values, org, authorOf(request)))
}

function save(request: FastifyRequest, input: Values): void {
  writeRecord(request, (company: Company) => {
    const org = (input.org as string) ?? company.org
    updateRecord(request.server.db, companies, company, { ...input, search: companySearch(org) }, org, authorOf(request))
  })
}
