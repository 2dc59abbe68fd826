import type { FastifyReply, FastifyRequest, RouteShorthandOptionsWithHandler } from 'fastify'
import type { AnyRule, Rule } from '../core/access.ts'
import { write } from '../database/open.ts'
import { LimitReached, limited } from './access/rate-limit.ts'
import { reloadRecord } from './access/record-routes.ts'
import type { FindRecord, RoutePolicy } from './app-types.ts'
import { HttpError } from './errors.ts'
import { flash, type UndoForm } from './flash.ts'
import { bodyOf, wantsFragment } from './input.ts'
import { type Result, type SentTexts, withIdempotencyKey } from './submissions/idempotency.ts'

/** What an action has done, and how that is answered: with a redirect, unless it says otherwise. */
export interface Done {
  location: string
  message?: Message
  /** For htmx, which replaces a part of the page. */
  fragment?: (reply: FastifyReply) => FastifyReply | Promise<FastifyReply>
  /** Shown at once and only once, such as a secret. */
  page?: (reply: FastifyReply) => FastifyReply
}

export type Message = [text: string, params?: Record<string, unknown>, undo?: UndoForm]

type ActionPolicy<R> = RoutePolicy &
  ({ access: Rule<R>; record: FindRecord<R> } | { access: 'public' | 'signed-in' | AnyRule; record?: undefined })

/** Runs inside the transaction, with the record as it is now, authorized again. */
type Perform<R, Prepared> = (request: FastifyRequest, record: R, prepared: Prepared) => Done

interface ActionSteps<R, Prepared> {
  /** What takes long or asks others, such as hashing and mail; before the transaction. */
  prepare?: (request: FastifyRequest, record: R) => Prepared | Promise<Prepared>
  perform: Perform<R, Prepared>
  /** Shows the form again with what was sent and what is wrong with it (409, 422, 429); other problems get the page of errors. */
  showAgain?: (request: FastifyRequest, reply: FastifyReply, record: R, problem: HttpError) => FastifyReply | Promise<FastifyReply>
}

/**
 * The options of a route that writes: POST, PATCH or DELETE. Access and record are asked again inside the one transaction, and a form that
 * is sent twice with the same `once` is carried out once.
 */
export function action<R, Prepared = undefined>(
  policy: ActionPolicy<R>,
  steps: Perform<NoInfer<R>, Prepared> | ActionSteps<NoInfer<R>, Prepared>,
): RouteShorthandOptionsWithHandler {
  return { ...policy, handler: (request, reply) => carryOut(request, reply, request.record as R, steps) }
}

/** What the handler of an action does; for a GET that changes something, too. */
export async function carryOut<R, Prepared>(
  request: FastifyRequest,
  reply: FastifyReply,
  record: R,
  steps: Perform<R, Prepared> | ActionSteps<R, Prepared>,
): Promise<FastifyReply | JsonAnswer> {
  const { prepare, perform, showAgain } = typeof steps === 'function' ? { perform: steps } : steps
  try {
    const prepared = (await prepare?.(request, record)) as Prepared
    return answer(
      request,
      reply,
      performOnce(request, record, (current) => perform(request, current, prepared)),
    )
  } catch (error) {
    if (!showAgain || !isCorrectable(error)) throw error
    // Meanwhile the session may have become that of somebody else.
    request.reauthorize()
    return showAgain(request, withStatus(reply, error), request.record as R, error)
  }
}

/**
 * Carries out a write in one transaction, unless the same person has sent this form with this key before.
 * @param record as the handler got it: `work` gets it as it is now
 * @param texts what was sent, with its key
 * @throws HttpError when the record is gone or this person may not any more; SentOtherwise when other values were sent with the key
 */
export function performOnce<R, T extends Result>(
  request: FastifyRequest,
  record: R,
  work: (current: R) => T,
  texts: SentTexts = bodyOf(request),
): T | Result {
  const { server, routeOptions } = request
  // Nobody has signed in, so there is nobody whose form it could be.
  if (routeOptions.config.access === 'public') return write(server.db, () => work(record))
  return write(server.db, () => {
    const current = reloadRecord(request, record)
    return withIdempotencyKey(request, texts, () => work(current))
  })
}

/** For scripts, which go there by themselves. */
type JsonAnswer = Pick<Done, 'location'>

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { location, message, fragment, page }: Done,
): FastifyReply | Promise<FastifyReply> | JsonAnswer {
  if (page) return page(reply)
  if (fragment && wantsFragment(request)) return fragment(reply)
  if (message) flash(request, ...message)
  if (request.routeOptions.config.answers === 'json') return { location }
  return reply.redirect(location, 303)
}

const isCorrectable = (error: unknown): error is HttpError => error instanceof HttpError && [409, 422, 429].includes(error.status)

function withStatus(reply: FastifyReply, problem: HttpError): FastifyReply {
  return problem instanceof LimitReached ? limited(reply, problem) : reply.code(problem.status)
}
