import type { FastifyReply, FastifyRequest } from 'fastify'
import { write } from '../../../database/index.ts'
import { url } from '../../../web/addresses.ts'
import { createPage } from '../../../web/card/show.ts'
import type { Context } from '../../../web/context.ts'
import { HttpError, notFound, type Problem } from '../../../web/errors.ts'
import { flash } from '../../../web/flash.ts'
import type { Entry } from '../../../web/form/form.ts'
import { readForm } from '../../../web/form/read.ts'
import { readSubmittedForm, statusOf } from '../../../web/form/submit.ts'
import { bodyOf, type FormInput, inputOf, wantsFragment } from '../../../web/input.ts'
import { toHttpError } from '../../../web/operations/storage-errors.ts'
import { hasUploaded } from '../../../web/uploads/uploaded.ts'
import { orderCard } from '../card.ts'
import { orderForm } from '../form.ts'
import { type Draft, draftFiles, draftState, fieldOf, namedDraft, saveDraft, storedPart, viewOfDraft, viewOfKeptDraft } from './draft.ts'

/** Keeps a form as it is typed. A script gets what to say of the draft, everybody else the form, which goes on from there. */
export function keepDraft(request: FastifyRequest, reply: FastifyReply) {
  const { server } = request
  try {
    const draft = write(server.db, () => {
      request.reauthorize()
      const replaced = findReplaced(request, inputOf(request))
      return saveDraft(request, savedFields(request, bodyOf(request), replaced), replaced)
    })
    if (Object.keys(request.uploadErrors).length > 0) return refuseFiles(request, reply, draft)
    if (wantsFragment(request)) return reply.page(draftState, { draft: viewOfKeptDraft(draft) })
    flash(request, 'Draft saved')
    return reply.redirect(url(server, `/orders/add?draft=${draft.id}`), 303)
  } catch (error) {
    const problem = toHttpError(reply, error) ?? (error instanceof HttpError ? error : undefined)
    if (!problem || problem.status === 401 || problem.status === 403) throw error
    return showProblem(request, reply, problem)
  }
}

function findReplaced(context: Context, input: FormInput): Draft | undefined {
  const named = Boolean(input.texts.get('draft'))
  const draft = named ? namedDraft(context, input) : undefined
  if (named && !draft) throw notFound()
  return draft
}

/** What a form may name: its own fields, and files that this person has uploaded or the draft holds. */
function savedFields({ server, actor }: Context, body: URLSearchParams, replaced: Draft | undefined): Draft['fields'] {
  const known = Object.values(draftFiles(replaced))
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
  return reply.page(draftState, { draft: { ...viewOfKeptDraft(draft), problem: problem && describe(request, problem) } })
}

/** Nothing typed is lost. */
function showProblem(request: FastifyRequest, reply: FastifyReply, problem: HttpError) {
  reply.code(problem.status)
  if (wantsFragment(request))
    return reply.page(draftState, { draft: { files: [], ...viewOfDraft(request, inputOf(request)), problem: describe(request, problem) } })
  request.whyUnsaved = problem
  return createPage(request, reply, orderCard, { ...readEntry(request), errors: {} })
}

function readEntry(request: FastifyRequest): Entry {
  return readForm(orderForm, orderCard.formState(request, undefined, inputOf(request)), readSubmittedForm(request))
}

const describe = ({ t }: Context, { message, params }: Problem) => t(message, params)
