import { companies, prepareOnce, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../web/context.ts'
import { integer, moment } from '../../../web/form/fields/json-schema.ts'
import { companyAccess } from '../../companies/access.ts'
import { companyCard } from '../../companies/card.ts'
import { type Company, discountsOf, findCompany } from '../../companies/company.ts'
import { contractPricesOf } from '../../companies/contract-prices.ts'
import { companyForm, hiddenFrom } from '../../companies/form.ts'
import { isoTime, jsonOfFields } from '../fields-json.ts'
import { jsonOfFile } from '../file-json.ts'
import { idsOf, type Resource, registeredList } from './resource.ts'

const byIds = prepareOnce((db, params) => db.select().from(companies).where(whereIn(companies.id, params.ids)).prepare())

const rowsOfForm = ['discounts', 'contract_prices', 'files']

function jsonOfCompany({ actor }: Context, company: Company) {
  const { id, version, created_at, updated_at } = company
  const fields = jsonOfFields(companyForm, company, [...hiddenFrom(actor), ...rowsOfForm])
  return { id, version, ...fields, created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
}

function jsonOfWholeCompany(context: Context, company: Company) {
  const { db } = context.server
  const hidden = hiddenFrom(context.actor)
  const rows = { discounts: discountsOf(db, company.id), contract_prices: contractPricesOf(db, company.id) }
  return {
    ...jsonOfCompany(context, company),
    ...jsonOfFields(companyForm, rows, hidden),
    ...(!hidden.includes('files') && {
      files: company.files.map(({ name, file }) => ({ name, file, url: jsonOfFile(context, file, name).url })),
    }),
  }
}

export const companyResource: Resource<Company, Company> = {
  name: 'companies',
  title: 'Company',
  table: companies,
  find: findCompany,
  may: companyAccess,
  list: registeredList('companies'),
  walk: companies.created_at,
  rows: ({ server }, ids) => byIds(server.db).all(idsOf(ids)),
  rowJson: jsonOfCompany,
  json: jsonOfWholeCompany,
  card: companyCard,
  fields: { id: integer, version: integer, created_at: moment, updated_at: moment },
}
