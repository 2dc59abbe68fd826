import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { bestEffort, logRepeatedEvent } from '../database/index.ts'
import { describeRefusal } from './access/access-descriptions.ts'
import { Forbidden } from './access/authorize.ts'
import { ReauthenticationRequired } from './access/recent-password.ts'
import { redirectTo, redirectToLogin, SignInRequired } from './access/redirect-to-login.ts'
import { ImpersonationEnded } from './access/session-loader.ts'
import { refererPath, safePath, url } from './request/addresses.ts'
import { HttpError, pageNotFound, RefusedOnPage, tooLargeMessage } from './request/errors.ts'
import { flash } from './request/flash.ts'
import { paramOf, wantsFragment } from './request/input.ts'
import { template } from './request/template.ts'
import { toHttpError } from './storage-errors.ts'
import { saveSubmission } from './submissions/pending-submissions.ts'

type Suggestion = { template: string } & object

interface Help {
  reasons?: string[]
  suggestion?: Suggestion
}

/** Where somebody goes on who does not get a page. */
interface WayOn {
  /** Where they came from. */
  back: string | undefined
  /** What may lead to what was asked for. */
  offers: 'retry' | 'search' | 'restore' | undefined
}

const errorPage = template<Help & WayOn & Headed & { status: number; message: string; requestId?: string }>('pages/error.njk')

export type SuggestionProvider = (request: FastifyRequest, denial: Forbidden['denial']) => Suggestion | undefined

declare module 'fastify' {
  interface Registry {
    suggestionProviders: SuggestionProvider[]
    /** What becomes of a record that is not there. */
    suggestForMissing?: (request: FastifyRequest) => Suggestion | undefined
  }
}

export const errorPlugin = fp(async (app: FastifyInstance) => {
  app.setErrorHandler(async (thrown: FastifyError | HttpError, request, reply) => {
    const error = toHttpError(reply, thrown) ?? thrown
    if (error instanceof SignInRequired) return redirectToLogin(request, reply)
    if (error instanceof ReauthenticationRequired) return redirectToConfirmation(request, reply)
    if (error instanceof ImpersonationEnded) return redirectAfterImpersonation(error, request, reply)
    const { status, message } = reportError(request, error, thrown)
    if (error instanceof RefusedOnPage && !wantsFragment(request)) return showOnPage(error, request, reply)
    const help = error instanceof Forbidden ? explainDenial(request, error) : helpIfMissing(request, status)
    return showError(request, reply, status, message, help)
  })
  app.setNotFoundHandler(async () => {
    throw pageNotFound()
  })
})

/**
 * What somebody is told of an error, which goes to the log if it is ours, and to the security log if they asked for what is not theirs.
 * @param thrown what was thrown, where `error` says it in other words
 */
export function reportError(request: FastifyRequest, error: FastifyError | HttpError, thrown = error): { status: number; message: string } {
  const status = statusOf(error)
  if (status >= 500) request.log.error({ err: thrown }, 'request failed')
  if (status === 403) logRefusal(request)
  return { status, message: textOf(error, status, request) }
}

function redirectToConfirmation(request: FastifyRequest, reply: FastifyReply) {
  const pending = saveSubmission(request, request.actor)
  const next = pending ? url(request.server, `/resume/${pending}`) : (refererPath(request) ?? '')
  return redirectTo(request, reply, url(request.server, `/confirm-identity?next=${encodeURIComponent(next)}`))
}

/** Somebody signed in asked for what is not theirs; the address without what is searched for or typed. */
function logRefusal(request: FastifyRequest): void {
  if (!request.signIn.sessionId && !request.signIn.apiToken) return
  const detail = `${request.method} ${request.url.split('?')[0]}`
  bestEffort(() => logRepeatedEvent(request.server.db, { event: 'access-refused', author: request.author, detail }))
}

function statusOf(error: FastifyError | HttpError): number {
  if (error instanceof HttpError) return error.status
  const { statusCode = 500 } = error
  return statusCode >= 400 && statusCode < 600 ? statusCode : 500
}

function textOf(error: FastifyError | HttpError, status: number, { method, t }: FastifyRequest): string {
  if (error instanceof HttpError) return t(error)
  return t(texts[status] ?? (status < 500 ? 'Invalid request' : method === 'GET' ? unread : unsaved))
}

const unread = 'Something went wrong on our end. Try again in a moment.'
const unsaved = 'Something went wrong on our end. Nothing was saved.'

const texts: Record<number, string> = {
  413: tooLargeMessage,
  415: 'This kind of data cannot be read here. Nothing was saved.',
  503: 'The service is busy. Nothing was saved. Try again in a moment.',
}

function explainDenial(request: FastifyRequest, { denial }: Forbidden) {
  const suggestion = request.server.registry.suggestionProviders.map((suggest) => suggest(request, denial)).find(Boolean)
  return { reasons: describeRefusal(denial, request.actor, request.t), suggestion }
}

function helpIfMissing(request: FastifyRequest, status: number): Help {
  return status === 404 ? { suggestion: request.server.registry.suggestForMissing?.(request) } : {}
}

function showError(request: FastifyRequest, reply: FastifyReply, status: number, message: string, help: Help = {}) {
  reply.code(status)
  if (wantsFragment(request)) reply.header('HX-Retarget', '#messages').header('HX-Reswap', 'innerHTML').header('HX-Push-Url', 'false')
  const requestId = status >= 500 ? request.id : undefined
  // The page says it already.
  if (status >= 500) request.whyUnsaved = null
  return reply.page(errorPage, { ...help, ...wayOn(request, status, help), status, message, ...headed(message), requestId })
}

function wayOn(request: FastifyRequest, status: number, { suggestion }: Help): WayOn {
  const referer = safePath(request.server, refererPath(request), '')
  // A form has its own address, too.
  const back = referer && (referer !== request.url || request.method !== 'GET') ? referer : undefined
  return { back, offers: offered(request, status, suggestion) }
}

function offered(request: FastifyRequest, status: number, suggestion: Suggestion | undefined): WayOn['offers'] {
  if (status >= 500 && request.method === 'GET') return 'retry'
  if (status !== 404) return undefined
  if (suggestion) return 'restore'
  // What only its token leads to cannot be searched for.
  return request.signIn.sessionId && !paramOf(request, 'token') ? 'search' : undefined
}

function showOnPage(error: RefusedOnPage, request: FastifyRequest, reply: FastifyReply) {
  request.whyUnsaved = error
  return error.show(request, reply.code(error.status))
}

function redirectAfterImpersonation(error: ImpersonationEnded, request: FastifyRequest, reply: FastifyReply) {
  flash(request, error.message)
  return redirectTo(request, reply, error.returnTo)
}

interface Headed {
  title: string
  /** What follows the first sentence. */
  rest: string | undefined
}

/** The first sentence is the heading, which has no period; that of an initial ends none. */
function headed(message: string): Headed {
  const [, title, rest] = /^(.*?(?:\p{L}{2}|[\p{N}»")]))\.(?:\s+(.+))?$/su.exec(message) ?? []
  return { title: title ?? message, rest }
}
