import type { FastifyReply, FastifyRequest, RouteShorthandOptionsWithHandler } from 'fastify'
import type { AnyRule, Rule } from '../core/access.ts'
import { write } from '../database/open.ts'
import { withinHistoryLimit } from './access/history-limit.ts'
import { reauthorize } from './access/policy-hook.ts'
import { HttpError } from './request/errors.ts'
import { flash, type Message } from './request/flash.ts'
import { bodyOf, wantsFragment } from './request/input.ts'
import type { FindRecord, RoutePolicy } from './request/route-policy.ts'
import { toHttpError } from './storage-errors.ts'
import { findSubmission, type Result, recordSubmission, type SentTexts } from './submissions/idempotency.ts'

/** What an action has done, and how that is answered: with a redirect, unless it says otherwise. What the address says is kept with the key. */
export interface Done extends Result {
  message?: Message
  /** For htmx, which replaces a part of the page; without it, the whole page follows the redirect. */
  fragment?: (reply: FastifyReply, message?: Message) => FastifyReply | Promise<FastifyReply>
  /** Shown at once and only once, such as a secret. */
  page?: (reply: FastifyReply) => FastifyReply
}

type ActionPolicy<R> = RoutePolicy &
  ({ access: Rule<R>; record: FindRecord<R> } | { access: 'public' | 'signed-in' | AnyRule; record?: undefined })

/** What was sent: its texts with their key, and what they were read as. */
interface Received {
  texts: SentTexts
}

/** Runs inside the transaction, with the record as it is now, authorized again. */
type Perform<R, Prepared, Sent> = (request: FastifyRequest, record: R, prepared: Prepared, sent: Sent) => Done

export interface ActionParts<R, Prepared = undefined, Sent extends Received = Received> {
  /** What was sent, for all that follows; without it, the fields of a form. */
  read?: (request: FastifyRequest) => Sent
  /** What takes long or asks others, such as hashing and mail; before the transaction, and not for a repetition. */
  prepare?: (request: FastifyRequest, record: R, sent: Sent) => Prepared | Promise<Prepared>
  perform: Perform<R, Prepared, Sent>
  /** Carries out both, such as after others, or again. */
  around?: (request: FastifyRequest, carryOn: () => Promise<Result>, sent: Sent) => Promise<Result>
  /** Answers otherwise than by a redirect, a repetition too. */
  answer?: (request: FastifyRequest, reply: FastifyReply, record: R, done: Result) => FastifyReply | undefined
  /** Shows the form again with what was sent and what is wrong with it, as far as somebody can mend it; else there is the page of errors. */
  showAgain?: (
    request: FastifyRequest,
    reply: FastifyReply,
    record: R,
    problem: HttpError,
    sent: Sent,
  ) => FastifyReply | Promise<FastifyReply>
}

/**
 * The options of a route that writes: POST, PATCH or DELETE. Access and record are asked again inside the one transaction, and a form that
 * is sent twice with the same `once` is carried out once.
 */
export function action<R = undefined, Prepared = undefined, Sent extends Received = Received>(
  policy: ActionPolicy<R>,
  parts: Perform<NoInfer<R>, Prepared, Sent> | ActionParts<NoInfer<R>, Prepared, Sent>,
): RouteShorthandOptionsWithHandler {
  return { ...policy, handler: (request, reply) => carryOut(request, reply, typeof parts === 'function' ? { perform: parts } : parts) }
}

/** What the handler of an action does; for a GET that changes something, too. */
export async function carryOut<R, Prepared, Sent extends Received>(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ActionParts<R, Prepared, Sent>,
): Promise<FastifyReply | JsonAnswer> {
  const { around = (_request, carryOn) => carryOn(), answer } = parts
  const sent = parts.read?.(request) ?? ({ texts: bodyOf(request) } as Received as Sent)
  const carryOn = () => writeOnce(request, parts, sent)
  try {
    const done =
      findSubmission(request, sent.texts) ?? (await around(request, carryOn, sent).catch((error) => orEarlier(request, sent.texts, error)))
    return answer?.(request, reply, request.record as R, done) ?? answerDone(request, reply, done)
  } catch (error) {
    return await showProblem(request, reply, parts, sent, error)
  }
}

/** Carries it out in one transaction, unless the same person has sent this with this key before. */
async function writeOnce<R, Prepared, Sent extends Received>(
  request: FastifyRequest,
  { prepare, perform }: ActionParts<R, Prepared, Sent>,
  sent: Sent,
): Promise<Result> {
  const prepared = (await prepare?.(request, request.record as R, sent)) as Prepared
  return write(request.server.db, () => {
    // Loads the record again.
    reauthorize(request)
    const earlier = findSubmission(request, sent.texts)
    if (earlier) return earlier
    const work = () => perform(request, request.record as R, prepared, sent)
    const done = request.routeOptions.config.access === 'public' ? work() : withinHistoryLimit(request, work)
    recordSubmission(request, sent.texts, done)
    return done
  })
}

/** What is sent twice at the same time may find gone what it names, which the other has done. */
function orEarlier(request: FastifyRequest, sent: SentTexts, error: unknown): Result {
  const earlier = findSubmission(request, sent)
  if (!earlier) throw error
  return earlier
}

async function showProblem<R, Prepared, Sent extends Received>(
  request: FastifyRequest,
  reply: FastifyReply,
  { showAgain }: ActionParts<R, Prepared, Sent>,
  sent: Sent,
  error: unknown,
): Promise<FastifyReply> {
  const problem = toHttpError(reply, error) ?? error
  if (!showAgain || !isCorrectable(problem)) throw error
  if (problem.status >= 500) request.whyUnsaved = problem
  // Meanwhile the session may have become that of somebody else.
  reauthorize(request)
  const shown = await showAgain(request, reply.code(problem.status), request.record as R, problem, sent)
  if (problem.status >= 500) request.log.error({ err: error }, 'could not be saved')
  return shown
}

/** For scripts, which go there by themselves. */
type JsonAnswer = Pick<Done, 'location'>

function answerDone(
  request: FastifyRequest,
  reply: FastifyReply,
  { location, message, fragment, page }: Done,
): FastifyReply | Promise<FastifyReply> | JsonAnswer {
  if (page) return page(reply)
  if (fragment && wantsFragment(request)) return fragment(reply, message)
  if (message) flash(request, ...message)
  if (request.routeOptions.config.answers === 'json') return { location }
  return redirect(request, reply, location)
}

/** Where htmx would put the page into a part of the one that is open, it is told to leave that. */
export function redirect(request: FastifyRequest, reply: FastifyReply, location: string): FastifyReply {
  return wantsFragment(request) ? reply.header('HX-Redirect', location).send() : reply.redirect(location, 303)
}

/** With 200 nothing is wrong yet, such as with a preview; what could not be stored (503, 507) is there to be sent again. */
function isCorrectable(error: unknown): error is HttpError {
  return error instanceof HttpError && [200, 409, 413, 415, 422, 429, 503, 507].includes(error.status)
}
