import { companies } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { companyCard } from '../../companies/card.ts'
import { type Company, discountsOf } from '../../companies/company.ts'
import { contractPricesOf } from '../../companies/contract-prices.ts'
import { hiddenFrom } from '../../companies/form.ts'
import { jsonOfFile } from '../file-json.ts'
import { resourceOf } from './of-card.ts'
import type { Resource } from './resource.ts'

const company = resourceOf('Company', companyCard)

function jsonOfCompany(context: Context, record: Company) {
  const { db } = context.server
  const rows = { discounts: discountsOf(db, record.id), contract_prices: contractPricesOf(db, record.id) }
  return {
    ...company.json(context, { ...record, ...rows }),
    ...(!hiddenFrom(context.actor).includes('files') && {
      files: record.files.map(({ name, file }) => ({ name, file, url: jsonOfFile(context, file, name).url })),
    }),
  }
}

export const companyResource: Resource<Company, Company> = { ...company, walk: companies.created_at, json: jsonOfCompany }
