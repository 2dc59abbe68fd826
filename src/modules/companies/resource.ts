import { companies } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { jsonOfFile } from '../../records/api/file-json.ts'
import { resourceOf } from '../../records/api/resource.ts'
import type { Resource } from '../../records/kind/resource.ts'
import { companyCard } from './card.ts'
import { type Company, discountsOf } from './company.ts'
import { contractPricesOf } from './contract-prices.ts'
import { hiddenFrom } from './form.ts'

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
