import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkAccess } from '../../../core/access.ts'
import { updateRecord, users } from '../../../database/index.ts'
import { authorize } from '../../../http/access/authorize.ts'
import type { Context } from '../../../http/request/context.ts'
import { notFound } from '../../../http/request/errors.ts'
import { inputOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { choice, option } from '../../../records/fields/index.ts'
import { type Entry, type FormState, form, inState } from '../../../records/form/form.ts'
import { type BulkFormView, bulkFormRoutes } from '../../../records/list/bulk-form.ts'
import type { List } from '../../../records/list/list.ts'
import { updateAccount } from '../accounts.ts'
import { successorsOf } from '../managers/hand-over.ts'
import { userLabel } from '../user.ts'
import type { UserRow } from '../user-type.ts'
import { type Dealer, dealerAccess, findDealer } from './access.ts'
import { type CompanyChange, missingChoice, ordersField, settleOrders } from './change-company.ts'
import { companyChoices } from './form.ts'

/** The choice of no manager; no record has this id. */
const nobody = 0

const changeForm = form(
  users,
  [
    {
      title: 'Change',
      fields: {
        manager_id: choice('Own manager', { hint: 'Decides only where the company has no manager.' }),
        company_id: choice('Company', { source: '/dealers/companies', searchHint: 'Organization' }),
        orders: ordersField,
        account: option('Account', { '1': 'Active', '0': 'Deactivated' }),
      },
    },
  ],
  { extras: ['account', 'orders'] },
)

const changePage = template<BulkFormView>('users/bulk-change.njk')

/** Changes manager, company or account of the selected dealers. */
export function dealersBulkChange(app: FastifyInstance, list: List<UserRow>): void {
  const bulk = {
    list,
    path: '/dealers/change',
    label: 'Change…',
    icon: 'edit',
    form: changeForm,
    formState,
    find: findDealer,
    rule: dealerAccess.edit,
    labelOf: userLabel,
    read: ({ orders, ...values }: Entry['values']) =>
      Object.values(values).every((value) => value === null) ? undefined : { orders, ...values },
    missing: 'Choose what to change.',
    problems: missingChoice,
    change: changeDealer,
    title: 'Change {count} dealers',
    done: '{count} dealers changed',
    refused: '{count} dealers were not changed:',
  }
  bulkFormRoutes(app, bulk, changePage, () => ({}))
}

/** Only users who see all dealers may change their manager. */
function formState(request: FastifyRequest): FormState {
  const { server, actor, t } = request
  const assigns = checkAccess(actor, 'dealer_can_edit')
  return {
    mode: 'edit',
    stored: {},
    states: inState('hidden', assigns ? [] : ['manager_id']),
    choices: {
      manager_id: assigns ? [{ id: nobody, name: t('No manager') }, ...successorsOf(server.db)] : [],
      company_id: companyChoices(request, inputOf(request)),
    },
  }
}

function changeDealer(context: Context, id: number, { manager_id, company_id, account, orders }: Record<string, unknown>): void {
  const { server, actor } = context
  const dealer = findDealer(server.db, id)
  if (!dealer) throw notFound()
  authorize(dealerAccess.edit, actor, dealer)
  const values = {
    ...(typeof manager_id === 'number' && { manager_id: manager_id === nobody ? null : manager_id }),
    ...(typeof company_id === 'number' && { company_id }),
  }
  if (typeof account === 'string') authorize(dealerAccess.switch, actor, dealer)
  const taken = settleOrders(context, dealer, { company_id: values.company_id, orders: orders as CompanyChange['orders'] })
  updateRecord(server.db, users, { ...dealer }, values, userLabel(dealer), context.author, taken)
  if (typeof account === 'string') updateAccount(server, findDealer(server.db, id) as Dealer, { active: account === '1' }, context.author)
}
