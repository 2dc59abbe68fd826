import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, allows } from '../../../core/access.ts'
import { companies, countReferencing, type Database, orders, users } from '../../../database/index.ts'
import { authorize } from '../../../http/access/authorize.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, parseId, queryOf } from '../../../http/request/input.ts'
import { fragment, template } from '../../../http/request/template.ts'
import type { Choice } from '../../../records/fields/index.ts'
import type { MenuLink } from '../../../records/kind/card.ts'
import type { Deletion } from '../../../records/list/deletion.ts'
import { selectManagers } from '../../companies/choices.ts'
import { updateAccount } from '../accounts.ts'
import { type User, userLabel } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { handOver, undoHandOver } from './handed-over.ts'
import { mayHandOver } from './may-hand-over.ts'

const [nobody, unchanged] = ['none', 'keep']

const handOverPart = template<ReturnType<typeof viewOfHandOver>>('users/hand-over.njk')
const handOverPage = template<ReturnType<typeof viewOfPage>>('users/hand-over-page.njk')

/** Hands over what a manager has to another, and takes that back. */
export function handOverRoutes(app: FastifyInstance, managers: UserType): void {
  const handOver = { access: allOf(managers.may.view, mayHandOver), record: managers.find }
  const undo = { access: allOf(managers.may.edit, mayHandOver), record: managers.find }
  app.get('/managers/:id/hand-over', onRecord(handOver, showHandOver))
  app.post('/managers/:id/hand-over', action(handOver, performHandOver(managers)))
  app.post('/managers/:id/hand-over/undo', action(undo, undoHandOver))
}

/** A deletion asks for a successor; a body without one leaves companies and dealers without a manager. */
export const managerDeletion: Pick<Deletion<User>, 'asks' | 'before' | 'consequences'> = {
  consequences: [],
  asks: fragment(handOverPart, viewOfHandOver),
  before: (request, ids, body) => {
    const wanted = body.get('hand_over_to') || nobody
    if (wanted === nobody) return
    authorize(mayHandOver, request.actor)
    const to = findSuccessor(request.server.db, ids, wanted)
    if (to === undefined) return new HttpError(422, 'Choose an active manager.')
    for (const id of ids) handOver(request, id, to)
  },
}

export function handOverAddress({ server, actor }: Context, { id }: User, query = ''): string | undefined {
  const { companies, dealers } = holdingsOf(server.db, [id])
  return companies + dealers > 0 && allows(mayHandOver, actor) ? `/managers/${id}/hand-over${query}` : undefined
}

export function handOverMenu(context: Context, manager: User): MenuLink[] {
  const href = handOverAddress(context, manager)
  return href ? [{ label: context.t('Hand over'), icon: 'arrow-right', href }] : []
}

function showHandOver(request: FastifyRequest, reply: FastifyReply, manager: User) {
  return reply.page(handOverPage, viewOfPage(request, manager, queryOf(request)))
}

const performHandOver = ({ may }: UserType) => ({
  perform: (request: FastifyRequest, manager: User): Done => {
    const name = userLabel(manager)
    const deactivates = handOverAsAsked(request, may, manager, bodyOf(request))
    return {
      location: url(request.server, `/managers/edit/${manager.id}`),
      message: [deactivates ? 'Deactivated: {name}' : "{name}'s work handed over", { name }],
    }
  },
  showAgain: (request: FastifyRequest, reply: FastifyReply, manager: User, problem: HttpError) =>
    reply.page(handOverPage, viewOfPage(request, manager, bodyOf(request), problem)),
})

/** @returns whether the manager was deactivated, too */
function handOverAsAsked(context: Context, may: UserType['may'], manager: User, body: URLSearchParams): boolean {
  const { server, actor, author } = context
  const deactivates = body.get('deactivate') === '1'
  if (deactivates) authorize(may.switch, actor, manager)
  const wanted = body.get('hand_over_to') ?? ''
  const to = wanted === nobody ? null : findSuccessor(server.db, [manager.id], wanted)
  if (to === undefined && !(deactivates && wanted === unchanged)) throw new HttpError(422, 'Choose an active manager.')
  if (to !== undefined) handOver(context, manager.id, to)
  if (deactivates) updateAccount(server, manager, { active: false }, author)
  return deactivates
}

function viewOfPage(context: Context, manager: User, source: URLSearchParams, problem?: HttpError) {
  const deactivates = source.get('deactivate') === '1'
  const name = userLabel(manager)
  return {
    title: context.t(deactivates ? 'Deactivate {name}?' : "Hand over {name}'s work", { name }),
    deactivates,
    action: url(context.server, `/managers/${manager.id}/hand-over`),
    back: url(context.server, `/managers/edit/${manager.id}`),
    notice: problem && context.t(problem.message),
    once: crypto.randomUUID(),
    ...viewOfHandOver(context, [manager.id], source),
    keeps: deactivates,
  }
}

function viewOfHandOver({ server: { db }, actor }: Context, ids: number[], source: URLSearchParams) {
  const held = holdingsOf(db, ids)
  const asked = held.companies + held.dealers > 0 && allows(mayHandOver, actor)
  return { held, successors: asked ? successorsOf(db, ids) : [], wanted: source.get('hand_over_to'), keeps: false }
}

function holdingsOf(db: Database, ids: number[]) {
  return {
    companies: countReferencing(db, companies.manager_id, ids),
    dealers: countReferencing(db, users.manager_id, ids),
    orders: countReferencing(db, orders.owner_manager_id, ids),
  }
}

export function successorsOf(db: Database, leaving: number[] = []): Choice[] {
  return selectManagers(db, eq(users.active, true))
    .all()
    .filter(({ id }) => !leaving.includes(id))
}

function findSuccessor(db: Database, leaving: number[], wanted: string): number | undefined {
  const id = parseId(wanted)
  return successorsOf(db, leaving).find((manager) => manager.id === id)?.id
}
