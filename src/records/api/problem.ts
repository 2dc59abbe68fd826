import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { describeDenial } from '../../http/access/access-descriptions.ts'
import { Forbidden } from '../../http/access/authorize.ts'
import { ReauthenticationRequired } from '../../http/access/recent-password.ts'
import { reportError } from '../../http/error-handler.ts'
import { nodeHttp } from '../../http/node-http.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { toHttpError } from '../../http/storage-errors.ts'
import { SentOtherwise } from '../../http/submissions/idempotency.ts'
import type { Field } from '../fields/index.ts'
import { fieldsOf } from '../form/form.ts'
import { type Conflict, Unsaved } from '../form/form-action.ts'
import { toJson } from './fields-json.ts'

/** What a problem document (RFC 9457) says besides status and text. */
interface ProblemDetails {
  /** What is wrong with each field of the body, or of the address. */
  errors?: Record<string, string>
  /** Fields that somebody else has changed meanwhile, with both values. */
  conflicts?: { field: string; yours: unknown; theirs: unknown; by?: string }[]
  /** Why somebody may not. */
  reasons?: string[]
  /** By which the operator finds an error in the log. */
  request_id?: string
}

/** An answer of the API that is no success, with what its document says besides. */
export class ApiProblem extends HttpError {
  readonly details: ProblemDetails
  constructor(status: number, message: string, details: ProblemDetails = {}) {
    super(status, message)
    this.details = details
  }
}

/** How many problems an answer tells. */
export const mostProblems = 100

/** Errors by field or parameter, in the language of the person, as far as an answer has room for them. */
export function invalid(context: Context, errors: Record<string, Problem>, status = 422): ApiProblem {
  const told = Object.entries(errors)
    .slice(0, mostProblems)
    .map(([name, problem]) => [name, context.t(problem)])
  return new ApiProblem(status, 'Some values are not valid. Nothing was saved.', { errors: Object.fromEntries(told) })
}

export function sendProblem(thrown: FastifyError | HttpError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = inWordsOfApi(request, thrown)
  const error = toHttpError(reply, problem) ?? problem
  const { status, message } = reportError(request, error, thrown)
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer')
  const document = {
    type: 'about:blank',
    title: nodeHttp.STATUS_CODES[status],
    status,
    detail: message,
    ...detailsOf(request, error, status),
  }
  return reply.code(status).header('Cache-Control', 'no-store').type('application/problem+json').send(JSON.stringify(document))
}

function inWordsOfApi(context: Context, error: FastifyError | HttpError): FastifyError | HttpError {
  if (error instanceof Unsaved) return unsaved(context, error)
  if (error instanceof ReauthenticationRequired) return new HttpError(403, 'This needs a password given lately: do it in the cabinet.')
  if (error instanceof SentOtherwise) return new HttpError(409, 'This key was already used with other values. Nothing was saved.')
  return error
}

/** What a form that was not saved would show: its errors, or what others have changed. */
function unsaved(context: Context, { status, entry, conflict }: Unsaved): ApiProblem {
  if (!conflict) return invalid(context, entry.errors, status)
  const conflicts = viewOfConflicts(conflict)
  return new ApiProblem(status, 'Somebody else has changed the same fields meanwhile. Nothing was saved.', { conflicts })
}

function viewOfConflicts({ form, merge, stored, by }: Conflict) {
  const fields = fieldsOf(form, { mode: 'edit' })
  return merge.conflicts.map((name) => {
    const inJson = (value: unknown) => toJson(fields.get(name) as Field, value)
    return { field: name, yours: inJson(merge.values[name]), theirs: inJson(stored[name]), by: by[name]?.name }
  })
}

function detailsOf(request: FastifyRequest, error: FastifyError | HttpError, status: number): ProblemDetails {
  if (error instanceof ApiProblem) return error.details
  if (error instanceof ValidationFailed) return invalid(request, error.errors).details
  if (error instanceof Forbidden) return { reasons: describeDenial(error.denial, request.t) }
  return status >= 500 ? { request_id: request.id } : {}
}
