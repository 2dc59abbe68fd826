import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, allows, type Rule } from '../../../core/access.ts'
import { policyCatalog } from '../../../core/policies.ts'
import { authorize } from '../../../web/access/policy-hook.ts'
import { flash } from '../../../web/flash.ts'
import { url } from '../../../web/http.ts'
import { bodyOf, queryOf } from '../../../web/request.ts'
import { page } from '../../../web/view/page.ts'
import { withoutImpersonation } from '../access.ts'
import { userLabel } from '../accounts.ts'
import type { UserType } from '../user-type.ts'
import { decisionRule, requestRule } from './access.ts'
import { type AccessRequest, accessRequestsOf, findAccessRequest, openAccessRequests } from './access-request.ts'
import { decideAccessRequest } from './decide-request.ts'
import {
  type AccessRequestOutcome,
  buildAccessRequestForm,
  parsePolicyKey,
  readNote,
  saveAccessRequest,
  suggestAccessRequest,
} from './request-access.ts'

const path = '/rights/requests'

const accessRequestsPage = page<{
  title: string
  requestForm?: AccessRequestForm
  decides: boolean
  waiting: (AccessRequest & { who: string; tab: string })[]
  mine: AccessRequest[]
}>('users/access-requests/page.njk')

export function accessRequestRoutes(app: FastifyInstance, userTypes: readonly UserType[]): void {
  const mayRequest = requestRule(userTypes)
  const rule = decisionRule(userTypes)
  const waiting = (actor: Actor) => pendingAccessRequests(app, rule, actor).length
  app.menu.push({ path, label: 'Access requests', icon: 'lock', group: 'People', rule, may: { list: mayRequest, decide: rule }, waiting })
  app.suggestionProviders.push(suggestAccessRequest(mayRequest))

  app.get(path, { access: mayRequest }, (request, reply) => showAccessRequests(request, reply, userTypes, rule))
  app.post(path, { access: mayRequest }, (request, reply) => requestAccess(request, reply, userTypes, rule))
  app.post(`${path}/:id`, { access: rule, record: findAccessRequest }, decideAccessRequest)
}

function pendingAccessRequests({ db }: FastifyInstance, rule: Rule<AccessRequest>, actor: Actor): AccessRequest[] {
  return openAccessRequests(db).filter((request) => allows(rule, actor, request))
}

type AccessRequestForm = ReturnType<typeof buildAccessRequestForm>

function showAccessRequests(
  request: FastifyRequest,
  reply: FastifyReply,
  userTypes: readonly UserType[],
  rule: Rule<AccessRequest>,
  form?: AccessRequestForm,
) {
  const { server, actor, t } = request
  const named = queryOf(request)
    .getAll('policy_key')
    .filter((key) => Object.hasOwn(policyCatalog, key))
  return reply.page(accessRequestsPage, {
    title: t('Access requests'),
    requestForm: form ?? buildAccessRequestForm(request, named.map(parsePolicyKey)),
    decides: allows(rule, actor),
    waiting: pendingAccessRequests(server, rule, actor).map((one) => ({
      ...one,
      who: userLabel(one.person),
      tab: rightsTabPath(userTypes, one),
    })),
    mine: accessRequestsOf(server.db, actor.id),
  })
}

function rightsTabPath(userTypes: readonly UserType[], { person, key }: AccessRequest): string {
  const userType = userTypes.find(({ group }) => group === person.group_id)
  return `/${userType?.name}/edit/${person.id}?tab=rights&q=${key}`
}

function requestAccess(request: FastifyRequest, reply: FastifyReply, userTypes: readonly UserType[], rule: Rule<AccessRequest>) {
  authorize(withoutImpersonation, request.actor, undefined)
  const body = bodyOf(request)
  const key = parsePolicyKey(body.get('policy_key'))
  const { note, error } = readNote(body.get('note'))
  if (error) return showAccessRequests(request, reply.code(422), userTypes, rule, buildAccessRequestForm(request, [key], { note, error }))
  const location = url(request.server, path)
  const outcome = saveAccessRequest(request, body, key, note, location)
  if (outcome !== 'repeated') flash(request, outcomeMessages[outcome], { right: request.t(policyCatalog[key].name) })
  return reply.redirect(location, 303)
}

const outcomeMessages: Record<Exclude<AccessRequestOutcome, 'repeated'>, string> = {
  requested: 'Access requested: "{right}". You will get it once someone approves.',
  open: 'You already requested "{right}". Awaiting decision.',
  held: 'You already have "{right}".',
}
