import { companies } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { jsonOfFile } from '../../records/api/file-json.ts'
import { resourceOf } from '../../records/api/resource.ts'
import type { Resource } from '../../records/kind/resource.ts'
import { companyCard } from './card.ts'
import { type Company, discountsOf } from './company.ts'
import { contractPricesOf } from './contract-prices.ts'

const company = resourceOf('Company', companyCard)

function jsonOfCompany(context: Context, record: Company) {
  const { db } = context.server
  const rows = { discounts: discountsOf(db, record.id), contract_prices: contractPricesOf(db, record.id) }
  const json = company.json(context, { ...record, ...rows })
  const files = record.files.map(({ name, file }) => ({ name, file, url: jsonOfFile(context, file, name).url }))
  return 'files' in json ? { ...json, files } : json
}

export const companyResource: Resource<Company, Company> = { ...company, walk: companies.created_at, json: jsonOfCompany }
