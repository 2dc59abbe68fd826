import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { companies, updateRecord, users } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { choice } from '../../records/fields/index.ts'
import { type Entry, type FormState, form } from '../../records/form/form.ts'
import { type BulkFormView, bulkFormRoutes } from '../../records/list/bulk-form.ts'
import type { List } from '../../records/list/list.ts'
import { companyAccess } from './access.ts'
import { selectManagers } from './choices.ts'
import { type Company, companyLabel, findCompany } from './company.ts'
import type { CompanyRow } from './list.ts'

/** The choice of no manager; no record has this id. */
const nobody = 0

const changeForm = form(companies, [{ title: 'Change', fields: { manager_id: choice('Manager') } }])

const changePage = template<BulkFormView>('users/bulk-change.njk')

/** Changes the manager of the selected companies. */
export function companiesBulkChange(app: FastifyInstance, list: List<CompanyRow>): void {
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
