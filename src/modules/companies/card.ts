import { eq, sum } from 'drizzle-orm'
import { allOf, allows, anyOf, group, isGroup } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import {
  type ChangedFields,
  categories,
  categoryCompany,
  companies,
  contractPrices,
  createRecord,
  type Database,
  orders,
  prepareOnce,
  updateRecord,
} from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { fragment, template } from '../../http/request/template.ts'
import { ownUpload, savedName } from '../../http/uploads/uploaded.ts'
import { formatCalendarDate } from '../../i18n/format.ts'
import type { CreateValues, EditValues } from '../../records/form/form.ts'
import type { Card, Fact, Tab } from '../../records/kind/card.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { type Account, viewOfAccount } from '../ledger/account.ts'
import { ledgerTab } from '../ledger/tab.ts'
import { recordViewsTab } from '../record-views/tab.ts'
import { companyAccess } from './access.ts'
import { type Company, companyLabel, type DiscountRow, discountsOf, findCompany } from './company.ts'
import { findContact } from './contact.ts'
import { type ContractPrice, contractPricesOf } from './contract-prices.ts'
import { requireTermsWithinLimit } from './discount-limit.ts'
import { companyForm } from './form.ts'
import { companyFormState } from './form-state.ts'

const pricesTab: Tab<Company> = { name: 'prices', label: 'Contract prices', rule: companyAccess.view }

const filesTab: Tab<Company> = {
  name: 'files',
  label: 'Files',
  rule: allOf(companyAccess.view, anyOf(isGroup(group.administrator), isGroup(group.manager), isGroup(group.production))),
}

export const companyCard: Card<Company, typeof companyForm> = {
  list: 'companies',
  path: '/company',
  form: companyForm,
  // Companies are deleted from their list only.
  may: { list: companyAccess.list, view: companyAccess.view, add: companyAccess.add, edit: companyAccess.edit },
  find: findCompany,
  titleOf: companyLabel,
  head: {
    state: ({ t }, { contract_number, contract_date }) =>
      contract_number || contract_date
        ? {
            state: 'said',
            text: t('Contract {number} of {date}', { number: contract_number || '—', date: formatCalendarDate(contract_date) || '—' }),
          }
        : { state: 'said', text: t('No contract') },
    facts: describeCompany,
  },
  formState: companyFormState,
  creation: { title: 'New company', done: 'Company {name} added', again: () => ({}), create: registerCompany },
  save: saveCompany,
  related: { dealers: 'company', orders: 'company', documents: 'company' },
  tabs: [pricesTab, ledgerTab(companyAccess), filesTab, recordViewsTab('companies', '/company')],
}

/** What is asked of a company first: its money, for those who see prices; legal details and terms stand on the overview. */
function describeCompany(context: Context, company: Company): Fact[] {
  const account = viewOfAccount(context, company)
  if (!account)
    return [
      { label: 'INN', text: company.inn },
      { label: 'KPP', text: company.kpp },
    ]
  return [...describeAccount(account), ...turnover(context, company)]
}

/** Debt and credit are named where they are not the balance itself. */
function describeAccount({ balance, owed, credit, overdue, left }: Account): Fact[] {
  return [
    { label: 'Balance', amount: { name: 'balance', kopecks: balance } },
    ...(owed && owed !== -balance ? [{ label: 'Owed', amount: { name: 'owed', kopecks: owed } }] : []),
    ...(credit && credit !== balance ? [{ label: 'Credit, not allocated', amount: { name: 'credit', kopecks: credit } }] : []),
    ...(overdue ? [{ label: 'Payment overdue', amount: { name: 'overdue', kopecks: overdue }, late: true }] : []),
    ...(left === null ? [] : [{ label: 'Left of the credit limit', amount: { name: 'left', kopecks: left }, late: left < 0 }]),
  ]
}

function turnover({ server: { db, records }, actor }: Context, { id }: Company): Fact[] {
  const list = records.get('orders')?.list
  if (!list || !allows(list.may.list, actor)) return []
  const filters = { company: String(id), not_canceled: '1' }
  const where = conditionOf(list, actor, { filters })
  const kopecks = sum(orders.cost).mapWith(Number)
  const total = db.select({ kopecks }).from(orders).where(where).get()
  return [{ label: 'Turnover', amount: { id: 'turnover', kopecks: total?.kopecks ?? 0 }, href: `/orders?${new URLSearchParams(filters)}` }]
}

/** Managers supervise the companies they create; otherwise a new company would vanish from their list. */
function registerCompany(context: Context, values: CreateValues<typeof companyForm>): number {
  const { actor, server } = context
  const manager_id = actor.group_id === group.manager ? actor.id : (values.manager_id ?? null)
  const company = { ...values, manager_id }
  return createRecord(server.db, companies, company, values.org, context.author)
}

function saveCompany(context: Context, company: Company, input: EditValues<typeof companyForm>): void {
  const { db } = context.server
  const { discounts, contract_prices, files, ...others } = input
  const values = { ...others, ...(files && { files: nameFiles(context, company, files) }) }
  const { org } = { ...company, ...values }
  requireTermsWithinLimit(db, context.actor, company, input)
  const rows: ChangedFields = {
    ...(discounts && { discounts: saveDiscounts(db, company.id, discounts) }),
    ...(contract_prices && { contract_prices: saveContractPrices(db, company.id, contract_prices) }),
  }
  updateRecord(db, companies, company, values, org, context.author, rows)
}

type FileRows = NonNullable<EditValues<typeof companyForm>['files']>

/** A row whose name is left empty has that of its file. */
function nameFiles({ server: { db }, actor, t }: Context, { id }: Company, rows: FileRows): Company['files'] {
  const fileName = (key: string) => ownUpload(db, key, actor.id)?.name ?? savedName(db, { entity: 'companies', id }, key) ?? t('File')
  return rows.map(({ name, file }) => ({ name: name ?? fileName(file), file }))
}

const contactPart = template<{ widget: ReturnType<typeof loadTerms> }>('companies/dealer-terms.njk')

export const dealerTermsWidget = fragment(contactPart, (context: Context) => ({ widget: loadTerms(context) }))

function loadTerms(context: Context) {
  const { server, actor } = context
  const { db } = server
  const id = actor.company_id ?? 0
  const company = findCompany(db, id)
  const account = company && viewOfAccount({ server, actor }, company)
  return {
    contact: findContact(context),
    account,
    ...(seesPrices(actor) && { company, discounts: namedDiscounts(db).all({ company: id }) }),
  }
}

const namedDiscounts = prepareOnce((db, params) => {
  const rows = db.select({ name: categories.name, discount: categoryCompany.discount }).from(categoryCompany)
  const named = rows.innerJoin(categories, eq(categories.id, categoryCompany.category_id))
  return named.where(eq(categoryCompany.company_id, params.company)).orderBy(categories.search).prepare()
})

/** Replaces the category discounts of a company; rows keep their ids. Call it inside `write`. */
function saveDiscounts(db: Database, companyId: number, rows: DiscountRow[]): [DiscountRow[], DiscountRow[]] {
  const before = discountsOf(db, companyId)
  // Rows may swap categories, and each category is unique, so updating them one by one would fail.
  db.delete(categoryCompany).where(eq(categoryCompany.company_id, companyId)).run()
  for (const { id, category_id, discount } of rows)
    db.insert(categoryCompany).values({ id, company_id: companyId, category_id, discount }).run()
  return [before, discountsOf(db, companyId)]
}

/**
 * Replaces the contract prices of a company; rows keep their ids. Call it inside `write`.
 * @throws ValidationFailed when two of them hold for one product on one day
 */
function saveContractPrices(db: Database, companyId: number, rows: ContractPrice[]): [ContractPrice[], ContractPrice[]] {
  refuseOverlaps(rows)
  const before = contractPricesOf(db, companyId)
  db.delete(contractPrices).where(eq(contractPrices.company_id, companyId)).run()
  for (const { id, product_id, from, until, price } of rows)
    db.insert(contractPrices).values({ id, company_id: companyId, product_id, from, until, price }).run()
  return [before, contractPricesOf(db, companyId)]
}

function refuseOverlaps(rows: ContractPrice[]): void {
  const problems = rows.flatMap((row, at): [string, string][] => {
    if (row.until && row.until < row.from) return [[`contract_prices.${at}.until`, 'This day is before the first one.']]
    const other = rows.slice(0, at).find((earlier) => earlier.product_id === row.product_id && overlap(earlier, row))
    return other ? [[`contract_prices.${at}.from`, 'Another contract price of this product holds on these days.']] : []
  })
  if (problems.length > 0) throw new ValidationFailed(Object.fromEntries(problems))
}

function overlap(one: ContractPrice, other: ContractPrice): boolean {
  return one.from <= (other.until ?? '9999-12-31') && other.from <= (one.until ?? '9999-12-31')
}
