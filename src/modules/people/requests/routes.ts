import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, allows, type Rule } from '../../../core/access.ts'
import { policyCatalogue } from '../../../core/policies.ts'
import { flash } from '../../../web/flash.ts'
import { bodyOf } from '../../../web/form/body.ts'
import { url } from '../../../web/http.ts'
import { queryOf } from '../../../web/list/state.ts'
import { decide } from '../../../web/policy.ts'
import { actingAsOneself } from '../access.ts'
import { personLabel } from '../accounts.ts'
import type { Kind } from '../kind.ts'
import { hasRights, mayDecide } from './access.ts'
import { type Asked, askForm, offerToAsk, policyKey, readNote, storeRequest } from './asking.ts'
import { decideRequest } from './deciding.ts'
import { findRequest, openRequests, type RightRequest, requestsOf } from './requests.ts'

const path = '/rights/requests'

/** Asking for a right, and deciding: between those whose rights stand on a tab. */
export function requestRoutes(app: FastifyInstance, kinds: readonly Kind[]): void {
  const mayAsk = hasRights(kinds)
  const rule = mayDecide(kinds)
  const waiting = (actor: Actor) => waitingFor(app, rule, actor).length
  app.menu.push({ path, label: 'Requests for rights', icon: 'lock', rule, may: { list: mayAsk, decide: rule }, waiting })
  app.remedies.push(offerToAsk(mayAsk))

  app.get(path, { access: mayAsk }, (request, reply) => showRequests(request, reply, kinds, rule))
  app.post(path, { access: mayAsk }, (request, reply) => ask(request, reply, kinds, rule))
  app.post(`${path}/:id`, { access: rule, record: findRequest }, decideRequest)
}

function waitingFor({ db }: FastifyInstance, rule: Rule<RightRequest>, actor: Actor): RightRequest[] {
  return openRequests(db).filter((request) => allows(rule, actor, request))
}

type AskForm = ReturnType<typeof askForm>

function showRequests(request: FastifyRequest, reply: FastifyReply, kinds: readonly Kind[], rule: Rule<RightRequest>, form?: AskForm) {
  const { server, actor, t } = request
  const named = queryOf(request)
    .getAll('policy_key')
    .filter((key) => Object.hasOwn(policyCatalogue, key))
  return reply.page('people/requests/page.njk', {
    title: t('Requests for rights'),
    ask: form ?? askForm(request, named.map(policyKey)),
    decides: allows(rule, actor),
    waiting: waitingFor(server, rule, actor).map((one) => ({ ...one, who: personLabel(one.person), tab: tabOf(kinds, one) })),
    mine: requestsOf(server.db, actor.id),
  })
}

/** The very switch that a request is about. */
function tabOf(kinds: readonly Kind[], { person, key }: RightRequest): string {
  const kind = kinds.find(({ group }) => group === person.group_id)
  return `/${kind?.name}/edit/${person.id}?tab=rights&q=${key}`
}

/** POST of the form that asks: the same form again when the note cannot be stored. */
function ask(request: FastifyRequest, reply: FastifyReply, kinds: readonly Kind[], rule: Rule<RightRequest>) {
  decide(actingAsOneself, request.actor, undefined)
  const body = bodyOf(request)
  const key = policyKey(body.get('policy_key'))
  const { note, error } = readNote(body.get('note'))
  if (error) return showRequests(request, reply.code(422), kinds, rule, askForm(request, [key], { note, error }))
  const location = url(request.server, path)
  const asked = storeRequest(request, body, key, note, location)
  if (asked !== 'repeated') flash(request, answers[asked], { right: request.t(policyCatalogue[key].name) })
  return reply.redirect(location, 303)
}

const answers: Record<Exclude<Asked, 'repeated'>, string> = {
  asked: 'You have asked for the right «{right}». It will be decided by those who may grant it.',
  open: 'You have asked for the right «{right}» before; nobody has decided yet.',
  held: 'You have the right «{right}» already.',
}
