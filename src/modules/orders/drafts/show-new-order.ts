import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bestEffort, orderDrafts } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import { notFound } from '../../../http/request/errors.ts'
import { type FormInput, inputOf, parseId, queryOf, textsByPlace } from '../../../http/request/input.ts'
import { createPage } from '../../../records/card/show.ts'
import { type FormState, isLocked } from '../../../records/form/form.ts'
import { readForm } from '../../../records/form/read.ts'
import { sentInputs } from '../../../records/form/sent.ts'
import { orderCard } from '../card.ts'
import { orderForm } from '../form.ts'
import type { Draft } from './draft.ts'
import { fieldOf, namedDraft, orderOfDraft } from './draft.ts'

export function showNewOrder(request: FastifyRequest, reply: FastifyReply) {
  const query = queryOf(request)
  if (!query.has('draft')) return createPage(request, reply, orderCard)
  const draft = namedDraft(request, inputOf(request))
  if (!draft) return leadToOrder(request, reply, parseId(query.get('draft')))
  const { db } = request.server
  bestEffort(() => db.update(orderDrafts).set({ opened_at: Date.now() }).where(eq(orderDrafts.id, draft.id)).run())
  const input: FormInput = { query, texts: textsByPlace(draft.fields), isDraft: true }
  const page = orderCard.formState(request, undefined, input)
  return createPage(request, reply, orderCard, readDraft(page, draft.fields), page)
}

/** Back from the order that was placed, a browser asks for its draft once more. */
function leadToOrder(request: FastifyRequest, reply: FastifyReply, draftId: number | undefined) {
  const order = orderOfDraft(request, draftId)
  if (order === undefined) throw notFound()
  return reply.redirect(url(request.server, `/orders/${order}`), 303)
}

/** Whatever is wrong with a draft is said once it is sent. What its person may no longer fill in is left out. */
function readDraft(state: FormState, fields: Draft['fields']) {
  const open = fields.filter(([name]) => !isLocked(state, fieldOf(name)))
  const sent = sentInputs({ body: new URLSearchParams(open), uploaded: () => false })
  return { ...readForm(orderForm, state, sent), errors: {} }
}
