import { eq } from 'drizzle-orm'
import { seesPrices } from '../../core/prices.ts'
import { categories, categoryCompany, companies, manufactures, prepareOnce, stocks } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { Fields } from '../../records/fields/index.ts'
import { describeValue } from '../../records/form/describe-value.ts'
import { contactLink } from '../../view/contact-link.ts'
import type { Company } from '../companies/company.ts'
import { companyGroups } from '../companies/form.ts'

export interface Property {
  label: string
  value: string
  href?: string
}

/** What is filled in, and the labels of what is not. */
interface Properties {
  properties: Property[]
  empty: string[]
}

export function viewOfDetails({ t }: Context, company: Company) {
  const { organization, legal, bank } = companyGroups
  const { org: _title, ...contact } = organization.fields
  const parts = [
    { title: t(organization.title), ...describe(company, contact, t) },
    { title: t(legal.title), ...describe(company, legal.fields, t) },
    { title: t(bank.title), ...describe(company, bank.fields, t) },
  ]
  return { parts: parts.filter(({ properties }) => properties.length > 0), empty: parts.flatMap(({ empty }) => empty) }
}

/** The contract stands in the heading. */
export function viewOfTerms(context: Context, company: Company) {
  const { server, t } = context
  const { specification_start_number } = companyGroups.contract.fields
  const { stock, manufacture } = placesOf(server.db).get({ id: company.id }) ?? {}
  return fold([
    ...agreedTerms(context, company),
    { label: t('Warehouse'), value: stock ?? '' },
    { label: t('Production site, in short'), value: manufacture ?? '' },
    { label: t(specification_start_number.label), value: company.specification_start_number?.toString() ?? '' },
  ])
}

/** What a company gets and must, for those who see prices. */
export function agreedTerms({ server: { db }, actor, t }: Context, company: Company): Property[] {
  if (!seesPrices(actor)) return []
  const discounts = [
    { label: t('Base discount'), value: t('{percent}%', { percent: company.discount ?? 0 }) },
    ...discountsOf(db)
      .all({ id: company.id })
      .map(({ name, discount }) => ({ label: name, value: t('{percent}%', { percent: discount }) })),
  ]
  const { credit_limit, payment_days } = companyGroups.terms.fields
  const credit = Object.entries({ credit_limit, payment_days }).map(([name, field]) => {
    const value = company[name as 'credit_limit' | 'payment_days']
    return { label: t(field.label), value: value === null ? '' : describeValue(name, field, value, {}, t) }
  })
  return [...discounts, ...credit]
}

/** What is empty only by its label. */
export function fold(properties: Property[]): Properties {
  return { properties: properties.filter(({ value }) => value), empty: properties.filter(({ value }) => !value).map(({ label }) => label) }
}

function describe(company: Company, fields: Fields, t: Context['t']): Properties {
  const all = Object.entries(fields).map(([name, field]) => {
    const value = company[name as keyof Company]
    const text = value === null || value === '' ? '' : describeValue(name, field, value, {}, t)
    return { label: t(field.label), value: text, href: contactLink(name, text) }
  })
  return fold(all)
}

const placesOf = prepareOnce((db, params) =>
  db
    .select({ stock: stocks.name, manufacture: manufactures.name })
    .from(companies)
    .leftJoin(stocks, eq(stocks.id, companies.stock_id))
    .leftJoin(manufactures, eq(manufactures.id, companies.manufacture_id))
    .where(eq(companies.id, params.id))
    .prepare(),
)

const discountsOf = prepareOnce((db, params) =>
  db
    .select({ name: categories.name, discount: categoryCompany.discount })
    .from(categoryCompany)
    .innerJoin(categories, eq(categories.id, categoryCompany.category_id))
    .where(eq(categoryCompany.company_id, params.id))
    .orderBy(categories.search)
    .prepare(),
)
