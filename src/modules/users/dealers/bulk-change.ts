import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkAccess } from '../../../core/access.ts'
import { updateRecord, users } from '../../../database/index.ts'
import { authorize } from '../../../web/access/policy-hook.ts'
import type { Acting } from '../../../web/acting.ts'
import { choice, type Entry, type FormPage, form, option } from '../../../web/form/form.ts'
import { readForm } from '../../../web/form/read.ts'
import { readSubmittedForm } from '../../../web/form/submit.ts'
import { presentForm } from '../../../web/form/view.ts'
import { bodyOf, inputOf, notFound, page, queryOf, url } from '../../../web/http.ts'
import { type BulkResult, changeEach, sendBulkReport } from '../../../web/list/bulk-change.ts'
import { hasChanged, selectedRecords, selectionFields } from '../../../web/list/selection.ts'
import { type List, readState, stateQuery } from '../../../web/list/state.ts'
import { findSubmission, oneAtATimePerSubmission } from '../../../web/submissions/idempotency.ts'
import { updateAccount } from '../accounts.ts'
import { successorsOf } from '../managers/hand-over.ts'
import { userLabel } from '../user.ts'
import type { UserRow } from '../user-type.ts'
import { type Dealer, findDealer, may } from './access.ts'
import { companyChoices } from './form.ts'

/** Each dealer takes a transaction of its own, while the user waits. */
const limit = 1000

/** The choice of no manager; no record has this id. */
const nobody = 0

const changeForm = form(
  users,
  [
    {
      title: 'Change',
      fields: {
        manager_id: choice('Manager'),
        company_id: choice('Company', { source: '/dealers/companies' }),
        account: option('Account', { '1': 'Active', '0': 'Deactivated' }),
      },
    },
  ],
  { extras: ['account'] },
)

const changePage = page<Awaited<ReturnType<typeof presentChange>>>('users/bulk-change.njk')

export function showBulkChange(list: List<UserRow>) {
  return async (request: FastifyRequest, reply: FastifyReply) =>
    reply.page(changePage, await presentChange(request, list, queryOf(request)))
}

export function performBulkChange(list: List<UserRow>) {
  const perform = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf(request)
    const again = async (status: number, rejection: Rejection) =>
      reply.code(status).page(changePage, await presentChange(request, list, body, rejection))
    const done = findSubmission(request, body)?.report
    if (done) return renderReport(request, reply, list, done)
    const dealers = await selectedDealers(request, list, body)
    const entry = readForm(changeForm, formPage(request), readSubmittedForm(request))
    if (body.has('_find')) return again(200, { entry })
    const ids = dealers.map(({ id }) => id)
    if (hasChanged(body, ids)) return again(409, { entry, notice: 'The list has changed. Review it and try again.' })
    if (Object.keys(entry.errors).length > 0) return again(422, { entry })
    if (Object.values(entry.values).every((value) => value === null)) return again(422, { entry, notice: 'Choose what to change.' })
    const results = await changeEach(request, body, dealers, userLabel, (id) => changeDealer(request, id, entry.values))
    return renderReport(request, reply, list, results)
  }
  return (request: FastifyRequest, reply: FastifyReply) => oneAtATimePerSubmission(request, () => perform(request, reply))
}

interface Rejection {
  entry?: Entry
  notice?: string
}

async function presentChange(request: FastifyRequest, list: List<UserRow>, source: URLSearchParams, { entry, notice }: Rejection = {}) {
  const { t, server } = request
  const dealers = await selectedDealers(request, list, source)
  const ids = dealers.map(({ id }) => id)
  return {
    title: t('Change {count} dealers', { count: dealers.length }),
    names: dealers.slice(0, 10).map(userLabel),
    more: dealers.length - 10,
    action: url(server, '/dealers/change'),
    back: listAddress(request, list, source),
    fields: selectionFields(request, list, source, ids),
    form: presentForm(changeForm, formPage(request), t, entry),
    notice: notice && t(notice),
  }
}

function selectedDealers(acting: Acting, list: List<UserRow>, source: URLSearchParams): Promise<Dealer[]> {
  const tooMany = 'Change up to {limit} dealers at a time.'
  return selectedRecords(acting, list, source, { find: findDealer, rule: may.edit, limit, tooMany })
}

/** Only users who see all dealers may change their manager. */
function formPage(request: FastifyRequest): FormPage {
  const { server, actor, t } = request
  const assigns = checkAccess(actor, 'dealer_can_edit')
  return {
    mode: 'edit',
    present: {},
    hidden: new Set(assigns ? [] : ['manager_id']),
    choices: {
      manager_id: assigns ? [{ id: nobody, name: t('No manager') }, ...successorsOf(server.db)] : [],
      company_id: companyChoices(request, inputOf(request)),
    },
  }
}

function changeDealer(acting: Acting, id: number, { manager_id, company_id, account }: Record<string, unknown>): void {
  const { server, actor } = acting
  const dealer = findDealer(server.db, id)
  if (!dealer) throw notFound()
  authorize(may.edit, actor, dealer)
  const values = {
    ...(typeof manager_id === 'number' && { manager_id: manager_id === nobody ? null : manager_id }),
    ...(typeof company_id === 'number' && { company_id }),
  }
  if (typeof account === 'string') authorize(may.switch, actor, dealer)
  updateRecord(server.db, users, { ...dealer }, values, userLabel(dealer), acting.author)
  if (typeof account === 'string') updateAccount(server, findDealer(server.db, id) as Dealer, { active: account === '1' }, acting.author)
}

function listAddress({ server, actor }: Acting, list: List<UserRow>, source: URLSearchParams): string {
  return url(server, `/dealers${stateQuery(list, readState(list, source, actor))}`)
}

function renderReport(request: FastifyRequest, reply: FastifyReply, list: List<UserRow>, results: BulkResult[]) {
  const { t, server } = request
  return sendBulkReport(reply, results, {
    titleOf: (count) => t('{count} dealers changed', { count }),
    refusedOf: (count) => t('{count} dealers were not changed:', { count }),
    card: url(server, '/dealers/edit/'),
    back: listAddress(request, list, bodyOf(request)),
  })
}
