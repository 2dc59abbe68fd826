import { and, eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, allows, checkAccess } from '../../../core/access.ts'
import { type PolicyKey, policyCatalog } from '../../../core/policies.ts'
import { accessRequests, policies } from '../../../database/index.ts'
import { authorize } from '../../../http/access/authorize.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { withoutImpersonation } from '../access.ts'
import { rightsOf, setRights } from '../rights/rights.ts'
import { userLabel } from '../user.ts'
import type { UserType } from '../user-type.ts'
import {
  type AccessRequest,
  type AccessRequestForm,
  accessRequestsOf,
  buildAccessRequestForm,
  closeAccessRequests,
  decisionRule,
  findAccessRequest,
  openAccessRequests,
  readNote,
  requestRule,
} from './access-request.ts'
import { suggestToStaff } from './suggestion.ts'

const path = '/rights/requests'

const accessRequestsPage = template<{
  title: string
  requestForm?: AccessRequestForm
  decides: boolean
  waiting: (AccessRequest & { who: string; tab: string })[]
  mine: AccessRequest[]
}>('users/access-requests/page.njk')

export function accessRequestRoutes(app: FastifyInstance, userTypes: readonly UserType[]): void {
  const { db } = app
  const mayRequest = requestRule(userTypes)
  const rule = decisionRule(userTypes)
  const pending = (actor: Actor) => openAccessRequests(db).filter((request) => allows(rule, actor, request))
  app.registry.menu.push({
    path,
    label: 'Access requests',
    says: ['permissions, rights'],
    icon: 'lock',
    letter: 'q',
    section: 'People',
    rule,
    may: { list: mayRequest, decide: rule },
    waiting: { path, count: (actor) => pending(actor).length },
  })
  app.registry.suggestionProviders.push(suggestToStaff(mayRequest))

  app.get(path, { access: mayRequest }, showAccessRequests)
  app.post(path, action({ access: mayRequest }, { perform: requestAccess, showAgain }))
  app.post(`${path}/:id`, action({ access: rule, record: findAccessRequest }, decideAccessRequest))

  function showAccessRequests(request: FastifyRequest, reply: FastifyReply) {
    const named = queryOf(request).getAll('policy_key').filter(isPolicyKey)
    return renderPage(request, reply, buildAccessRequestForm(request, named))
  }

  function renderPage(request: FastifyRequest, reply: FastifyReply, requestForm: AccessRequestForm) {
    const { actor, t } = request
    return reply.page(accessRequestsPage, {
      title: t('Access requests'),
      requestForm,
      decides: allows(rule, actor),
      waiting: pending(actor).map((one) => ({ ...one, who: userLabel(one.person), tab: rightsTabPath(app, one) })),
      mine: accessRequestsOf(db, actor.id),
    })
  }

  function requestAccess(request: FastifyRequest): Done {
    authorize(withoutImpersonation, request.actor, undefined)
    const key = namedPolicy(request)
    const { note, error } = readNote(bodyOf(request).get('note'))
    if (error) throw new HttpError(422, error)
    const message = saveAccessRequest(request, key, note)
    return { location: url(app, path), message: message ? [message, { right: request.t(policyCatalog[key].name) }] : undefined }
  }

  function showAgain(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return renderPage(request, reply, buildAccessRequestForm(request, [namedPolicy(request)], readNote(bodyOf(request).get('note'))))
  }
}

function namedPolicy(request: FastifyRequest): PolicyKey {
  const key = bodyOf(request).get('policy_key') ?? ''
  if (!isPolicyKey(key)) throw new HttpError(422, 'This permission does not exist.')
  return key
}

function rightsTabPath({ registry }: FastifyInstance, { person, key }: AccessRequest): string {
  return `/${registry.userTypes.get(person.group_id)?.name}/edit/${person.id}?tab=rights&q=${key}`
}

const decisions = new Map<string | null, 'granted' | 'declined'>([
  ['grant', 'granted'],
  ['decline', 'declined'],
])

const decisionMessages = {
  granted: 'Approved: {name} now has "{right}"',
  declined: 'Declined: {name} did not get "{right}"',
}

function decideAccessRequest(request: FastifyRequest, accessRequest: AccessRequest): Done {
  const state = decisions.get(bodyOf(request).get('decision'))
  if (!state) throw new HttpError(422, 'Choose Approve or Decline.')
  if (accessRequest.state !== 'open') throw new HttpError(409, 'This request has already been decided.')
  applyDecision(request, accessRequest, state)
  const names = { name: userLabel(accessRequest.person), right: request.t(accessRequest.name) }
  return { location: url(request.server, path), message: [decisionMessages[state], names] }
}

function applyDecision(context: Context, { person, policy_id }: AccessRequest, state: 'granted' | 'declined'): void {
  const { db } = context.server
  const author = context.author
  const right = rightsOf(db, person.id).find(({ id }) => id === policy_id)
  if (right && state === 'granted') setRights(context, person, [{ ...right, value: true }])
  closeAccessRequests(db, person.id, [policy_id], state, author)
}

function isPolicyKey(text: string): text is PolicyKey {
  return Object.hasOwn(policyCatalog, text)
}

function saveAccessRequest({ server: { db }, actor }: Context, key: PolicyKey, note: string): string {
  if (checkAccess(actor, key)) return 'You already have "{right}".'
  const policy = db.select().from(policies).where(eq(policies.key, key)).get()
  if (!policy) throw new HttpError(422, 'This permission does not exist.')
  const same = and(eq(accessRequests.user_id, actor.id), eq(accessRequests.policy_id, policy.id), eq(accessRequests.state, 'open'))
  if (db.select().from(accessRequests).where(same).get()) return 'You already requested "{right}". Awaiting decision.'
  db.insert(accessRequests).values({ user_id: actor.id, policy_id: policy.id, note, created_at: Date.now() }).run()
  return 'Access requested: "{right}". You will get it once someone approves.'
}
