import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ActionParts } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { type HttpError, notFound } from '../../../http/request/errors.ts'
import type { Message } from '../../../http/request/flash.ts'
import { bodyOf, inputOf, wantsFragment } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { hasUploaded } from '../../../http/uploads/uploaded.ts'
import { formatDateTime } from '../../../i18n/format.ts'
import { createPage } from '../../../records/card/show.ts'
import type { Entry } from '../../../records/form/form.ts'
import { statusOf } from '../../../records/form/form-action.ts'
import { readForm } from '../../../records/form/read.ts'
import { readSubmittedForm } from '../../../records/form/sent.ts'
import { formStateOf } from '../../../records/kind/form-state.ts'
import { orderCard } from '../card.ts'
import { orderForm } from '../form.ts'
import { type Draft, type DraftState, fieldOf, filesIn, namedDraft, saveDraft, storedPart, viewOfDraft } from './draft.ts'

const draftState = template<{ draft: DraftState }>('orders/drafts/state.njk')

/** Keeps a form as it is typed. A script gets what to say of the draft, everybody else the form, which goes on from there. */
export const keepDraft: ActionParts<unknown> = {
  // The key of the form is that of the order that it becomes.
  read: () => ({ texts: new Map<string, string>() }),
  perform(request) {
    const input = inputOf(request)
    const named = input.texts.get('draft')
    const replaced = named ? namedDraft(request, input) : undefined
    const location = url(request.server, '/orders/add')
    if (named && !replaced) return { location, page: (reply) => showProblem(request, reply, notFound()) }
    const draft = saveDraft(request, savedFields(request, bodyOf(request), replaced), replaced)
    return {
      ...(input.texts.has('_offer')
        ? { location: url(request.server, `/orders/drafts/${draft.id}/customer-offer`) }
        : { location: `${location}?draft=${draft.id}`, message: ['Draft saved'] satisfies Message }),
      fragment: (reply) => reply.page(draftState, { draft: viewOfKeptDraft(draft) }),
      ...(Object.keys(request.uploadErrors).length > 0 && { page: (reply: FastifyReply) => refuseFiles(request, reply, draft) }),
    }
  },
  showAgain: (request, reply, _, problem) => showProblem(request, reply, problem),
}

/** What a form may name: its own fields, and files that this person has uploaded or the draft holds. */
function savedFields({ server, actor }: Context, body: URLSearchParams, replaced: Draft | undefined): Draft['fields'] {
  const known = filesIn(replaced?.fields ?? []).map(([, key]) => key)
  const mayName = (key: string) => key === '' || known.includes(key) || hasUploaded(server.db, key, actor.id)
  return [...body].filter(([name, value]) => isDeclared(name) && (!name.endsWith(storedPart) || mayName(value)))
}

/** Whether an order is meant to have no lines is asked when it is sent. */
function isDeclared(name: string): boolean {
  const field = fieldOf(name).replace(/_search$/, '')
  return Object.hasOwn(orderForm.fields, field) && field !== 'without_lines'
}

/** The draft is kept without the files that were too large or empty. */
function refuseFiles(request: FastifyRequest, reply: FastifyReply, draft: Draft) {
  const entry = readEntry(request)
  const errors = Object.fromEntries(Object.entries(entry.errors).filter(([name]) => name in request.uploadErrors))
  reply.code(statusOf({ ...entry, errors }))
  bodyOf(request).set('draft', String(draft.id))
  if (!wantsFragment(request)) return createPage(request, reply, orderCard, { ...entry, errors })
  const [problem] = Object.values(errors)
  return reply.page(draftState, { draft: { ...viewOfKeptDraft(draft), problem: problem && request.t(problem) } })
}

/** Nothing typed is lost. */
function showProblem(request: FastifyRequest, reply: FastifyReply, problem: HttpError) {
  reply.code(problem.status)
  if (wantsFragment(request))
    return reply.page(draftState, { draft: { files: [], ...viewOfDraft(request, inputOf(request)), problem: request.t(problem) } })
  request.whyUnsaved = problem
  return createPage(request, reply, orderCard, { ...readEntry(request), errors: {} })
}

function readEntry(request: FastifyRequest): Entry {
  return readForm(orderForm, formStateOf(orderCard, request, undefined, inputOf(request)), readSubmittedForm(request))
}

/** Told to a script, whose form does not know yet under which keys its files are stored. */
function viewOfKeptDraft(draft: Draft): DraftState {
  return { id: draft.id, files: filesIn(draft.fields), savedAt: formatDateTime(Date.now()).slice(-5) }
}
