import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bestEffort, orderDrafts } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { notFound } from '../../../http/request/errors.ts'
import { type FormInput, inputOf, parseId, queryOf, textsByPlace } from '../../../http/request/input.ts'
import { createPage } from '../../../records/card/show.ts'
import { isLocked } from '../../../records/form/form.ts'
import { readForm } from '../../../records/form/read.ts'
import { sentInputs } from '../../../records/form/sent.ts'
import { formStateOf } from '../../../records/kind/form-state.ts'
import { orderCard } from '../card.ts'
import { orderForm } from '../form.ts'
import type { Draft } from './draft.ts'
import { fieldOf, filesIn, namedDraft, orderOfDraft } from './draft.ts'

export function showNewOrder(request: FastifyRequest, reply: FastifyReply) {
  const query = queryOf(request)
  if (!query.has('draft')) return createPage(request, reply, orderCard)
  const draft = namedDraft(request, inputOf(request))
  if (!draft) return leadToOrder(request, reply, parseId(query.get('draft')))
  const { db } = request.server
  bestEffort(() => db.update(orderDrafts).set({ opened_at: Date.now() }).where(eq(orderDrafts.id, draft.id)).run())
  const { state, entry } = readDraft(request, draft, query)
  return createPage(request, reply, orderCard, { ...entry, errors: {} }, state)
}

/** Back from the order that was placed, a browser asks for its draft once more. */
function leadToOrder(request: FastifyRequest, reply: FastifyReply, draftId: number | undefined) {
  const order = orderOfDraft(request, draftId)
  if (order === undefined) throw notFound()
  return reply.redirect(url(request.server, `/orders/${order}`), 303)
}

/** The form of a new order with what was typed. Whatever is wrong with that is said once it is sent; what its person may no longer fill in is left out. */
export function readDraft(context: Context, { fields }: Draft, query = new URLSearchParams()) {
  const input: FormInput = { query, texts: textsByPlace(fields), isDraft: true }
  const state = formStateOf(orderCard, context, undefined, input)
  const open = fields.filter(([name]) => !isLocked(state, fieldOf(name)))
  const kept = new Set(filesIn(fields).map(([, key]) => key))
  const sent = sentInputs({ body: new URLSearchParams(open), uploaded: (key) => kept.has(key) })
  return { state, entry: readForm(orderForm, state, sent) }
}
