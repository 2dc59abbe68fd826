import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { anyOf, either, group, ignoringScope, isGroup } from '../../core/access.ts'
import { companies, updateRecord, users } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { jsonOfFile } from '../../records/api/file-json.ts'
import { resourceOf } from '../../records/api/resource.ts'
import { choice } from '../../records/fields/index.ts'
import { showChoices } from '../../records/form/choices.ts'
import { type Entry, type FormState, form } from '../../records/form/form.ts'
import type { Card } from '../../records/kind/card.ts'
import type { Resource } from '../../records/kind/resource.ts'
import { type BulkFormView, bulkFormRoutes } from '../../records/list/bulk-form.ts'
import type { List } from '../../records/list/list.ts'
import { addRecord } from '../../records/record.ts'
import { saveCorrection, showCorrection } from '../ledger/correct.ts'
import { correctionRule } from '../ledger/tab.ts'
import { findProductChoices } from '../products/product-choices.ts'
import { companyAccess } from './access.ts'
import { companyCard, dealerTermsWidget } from './card.ts'
import { findManagers, selectManagers } from './choices.ts'
import { type Company, companyLabel, discountsOf, findCompany } from './company.ts'
import { suggestContact } from './contact.ts'
import { contractPricesOf } from './contract-prices.ts'
import { warnAboutLegalDetails } from './form.ts'
import { innAndKpp } from './inn-and-kpp.ts'
import { type CompanyRow, companyDeletion, companyList, searchTexts, textLabels } from './list.ts'

type PartsAbove = Required<Pick<Card<Company>, 'overview' | 'tabs'>>

/**
 * @param above what of the card other modules know, which lie above
 * @param moveWhenPaid what orders do, which lie above, that have got money
 */
export function companyRoutes(app: FastifyInstance, above: PartsAbove, moveWhenPaid: Parameters<typeof saveCorrection>[0]): void {
  const list = companyList(app.db)
  addRecord(app, {
    list,
    card: { ...companyCard, ...above, tabs: [...above.tabs, ...(companyCard.tabs ?? [])] },
    deletion: companyDeletion,
    search: { texts: searchTexts, labels: textLabels },
    imports: { keys: ['external_id', 'inn', 'org'], finders: { manager_id: findManagers }, splits: { inn_kpp: innAndKpp } },
    api: companyResource,
    menu: { icon: 'building', section: 'Sales', also: ['/company'], letter: 'c', says: ['clients, customers, partners'] },
  })
  app.registry.widgets.push({ rule: anyOf(isGroup(group.dealer)), ...dealerTermsWidget })
  app.registry.suggestionProviders.push(suggestContact)
  companiesBulkChange(app, list)
  const correction = { access: correctionRule(companyAccess.act), record: findCompany }
  app.get('/company/:id/ledger', onRecord(correction, showCorrection))
  app.post('/company/:id/ledger', action(correction, saveCorrection(moveWhenPaid)))
  app.get('/company/warnings', { access: 'signed-in', answers: 'fragment' }, warnAboutLegalDetails)
  app.get('/company/products', { access: ignoringScope(companyAccess.edit), answers: 'fragment' }, showChoices(findProductChoices))
  const choosesManager = either(companyAccess.add, ignoringScope(companyAccess.edit))
  app.get('/company/managers', { access: choosesManager, answers: 'fragment' }, showChoices(findManagers))
}

const company = resourceOf('Company', companyCard)

function jsonOfCompany(context: Context, record: Company) {
  const { db } = context.server
  const rows = { discounts: discountsOf(db, record.id), contract_prices: contractPricesOf(db, record.id) }
  const json = company.json(context, { ...record, ...rows })
  const files = record.files.map(({ name, file }) => ({ name, file, url: jsonOfFile(context, file, name).url }))
  return 'files' in json ? { ...json, files } : json
}

const companyResource: Resource<Company, Company> = { ...company, walk: companies.created_at, json: jsonOfCompany }

/** The choice of no manager; no record has this id. */
const nobody = 0

const changeForm = form(companies, [{ title: 'Change', fields: { manager_id: choice('Manager') } }])

const changePage = template<BulkFormView>('users/bulk-change.njk')

/** Changes the manager of the selected companies. */
function companiesBulkChange(app: FastifyInstance, list: List<CompanyRow>): void {
  const bulk = {
    list,
    path: '/companies/change',
    label: 'Change…',
    icon: 'edit',
    form: changeForm,
    formState,
    find: findCompany,
    rule: companyAccess.edit,
    labelOf: companyLabel,
    read: ({ manager_id }: Entry['values']) => (typeof manager_id === 'number' ? manager_id : undefined),
    missing: 'Choose what to change.',
    change: changeManager,
    title: 'Change {count} companies',
    done: '{count} companies changed',
    refused: '{count} companies were not changed:',
  }
  bulkFormRoutes<Company, number, BulkFormView>(app, bulk, changePage, () => ({}))
}

function formState({ server: { db }, t }: Context): FormState {
  const managers = selectManagers(db, eq(users.active, true)).all()
  return { mode: 'edit', stored: {}, choices: { manager_id: [{ id: nobody, name: t('No manager') }, ...managers] } }
}

function changeManager({ server: { db }, actor, author }: Context, id: number, manager_id: number): void {
  const company = findCompany(db, id)
  if (!company) throw notFound()
  authorize(companyAccess.edit, actor, company)
  updateRecord(db, companies, company, { manager_id: manager_id === nobody ? null : manager_id }, companyLabel(company), author)
}
