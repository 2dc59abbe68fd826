import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Actor, Rule } from '../core/access.ts'
import type { Rules } from '../core/specification-rules.ts'
import type { Database } from '../database/open.ts'
import type { Author } from '../database/records.ts'
import type { Translate } from '../i18n/translate.ts'
import type { Part } from './view/page.ts'

export interface Person extends Actor {
  email: string
  middlename: string | null
  image: string | null
  language: 'en' | 'ru' | null
  theme: 'light' | 'dark' | null
}

/** Who may use a route: everybody, anybody signed in, or those a rule allows. */
// biome-ignore lint/suspicious/noExplicitAny: a route table holds rules over records of every kind
export type Access = 'public' | 'signed-in' | Rule<any>

/** Loads the record named by an address; with an actor, only if this person may know that it exists. */
export type FindRecord<R> = (db: Database, id: number, actor?: Actor) => R | undefined

export type FindByKey<R> = (db: Database, key: string) => R | undefined

export interface RoutePolicy {
  access?: Access
  record?: FindRecord<unknown>
  recordByKey?: FindByKey<unknown>
  /** A GET that changes something, so other sites must not be able to trigger it. */
  changesState?: boolean
  /** A state-changing GET that only replays this person's own submission: signing in may redirect to it. */
  ownForms?: boolean
  /** What a GET answers when it is not a page with a region. */
  answers?: 'fragment' | 'file' | 'redirect' | 'events'
  /** Requested by an open page, not by its person: does not extend the session. */
  background?: boolean
  /** Open to those who still have to set up the second factor that they need. */
  withoutFactor?: boolean
  /** Names of inputs that may upload files; any other file in the body is refused. */
  uploads?: RegExp
  /** Names of inputs whose pictures become avatars. */
  avatars?: readonly string[]
  /** Name of the input whose pictures are stored in the sizes of the gallery. */
  gallery?: string
}

export interface RouteEntry extends RoutePolicy {
  method: string
  url: string
}

export interface MenuItem {
  path: string
  label: string
  icon: string
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  rule?: Rule<any>
  /** Rules by the name of the action, see `actionLabels`. */
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  may?: Record<string, Rule<any>>
  /** Path of its cards when it differs from that of the list. */
  card?: string
  total?: (actor: Actor) => number
  waiting?: (actor: Actor) => number
}

export interface Widget extends Part<[FastifyRequest]> {
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  rule: Rule<any>
}

export type TopbarPart = Part<[FastifyRequest]>

declare module 'fastify' {
  interface FastifyInstance {
    db: Database
    config: Config
    rules: Rules
    routeTable: RouteEntry[]
    menu: MenuItem[]
    widgets: Widget[]
    topbar: TopbarPart[]
    sample: boolean
  }
  interface FastifyContextConfig extends RoutePolicy {}
  interface RouteShorthandOptions extends RoutePolicy {}
  interface RouteOptions extends RoutePolicy {}
  interface FastifyRequest {
    /** Set by the policy hook on every route that is not public. */
    actor: Person
    sessionId: number | null
    /** The owner of an expired session that the cookie names. */
    expiredPerson: Person | null
    /** When the person of the session last gave their password. */
    provedAt: number
    /**
     * Reloads session, person and rights and authorizes the request again, for use after something slow.
     * @throws HttpError when access has been lost
     */
    reauthorize: () => void
    /** Whether the body is read only to be saved until its sender has signed in again. */
    savesSubmission: boolean
    impersonating: { returnTo: string } | null
    pendingFlash: string | null
    /** Why nothing could be saved, shown above the re-rendered form. */
    storageError: HttpError | null
    /** The record named by the address, already authorized by the policy hook. */
    record: unknown
    t: Translate
    language: 'en' | 'ru'
  }
}

/** What is wrong with submitted input; the message is a translation key. */
export interface Problem {
  message: string
  params?: Record<string, unknown>
  /** Status of the response; 422 by default. */
  status?: number
}

/** A response other than success; the message is a translation key shown to the person. */
export class HttpError extends Error {
  readonly status: number
  readonly params: Record<string, unknown>
  constructor(status: number, message: string, params: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.params = params
  }
}

export const notFound = () => new HttpError(404, 'Record not found. It may have been deleted.')
export const noSuchPage = () => new HttpError(404, 'Page not found')
export const forbidden = (message = "You don't have access.") => new HttpError(403, message)

/** htmx asks for a fragment unless it says that it swaps the whole page. */
export function wantsFragment(request: FastifyRequest): boolean {
  return request.headers['hx-request'] === 'true' && request.headers['hx-request-type'] !== 'full'
}

export function url(app: FastifyInstance, path: string): string {
  return app.config.baseUrl + path
}

/**
 * The absolute address of a path, for emails. Built from the settings only: a forged Host header
 * must not be able to lead the reader elsewhere (host header injection).
 */
export function publicUrl(app: FastifyInstance, path: string): string {
  const { publicOrigin, host, port } = app.config
  return (publicOrigin ?? (app.server.listening ? app.listeningOrigin : `http://${host}:${port}`)) + url(app, path)
}

export function authorOf(request: FastifyRequest): Author {
  const { actor } = request
  const impersonator = actor.impersonator && { id: actor.impersonator.id, name: actor.impersonator.fullName }
  return { id: actor.id, name: `${actor.lastname} ${actor.name}`, impersonator, ...clientOf(request) }
}

/** The person who really sits there, whoever they act as. */
export function realAuthorOf(request: FastifyRequest): Author {
  const { impersonator } = request.actor
  return impersonator ? { id: impersonator.id, name: impersonator.fullName, ...clientOf(request) } : authorOf(request)
}

/** Where a request comes from, as both logs name it. */
export function clientOf({ ip, headers }: FastifyRequest): Required<Pick<Author, 'address' | 'userAgent'>> {
  return { address: ip, userAgent: headers['user-agent'] ?? '' }
}

export function refererPath(request: FastifyRequest): string | undefined {
  const { referer } = request.headers
  if (!referer || !URL.canParse(referer)) return undefined
  const { pathname, search } = new URL(referer)
  return pathname + search
}

/** A path inside the cabinet that is safe to redirect to, or the fallback (open redirects, state-changing GETs). */
export function safePath(app: FastifyInstance, target: unknown, fallback: string): string {
  if (typeof target !== 'string' || !URL.canParse(target, 'http://cabinet.invalid')) return fallback
  const { host, pathname, search } = new URL(target, 'http://cabinet.invalid')
  // Browsers take a path that begins with two slashes for another host.
  const ours = host === 'cabinet.invalid' && target.startsWith('/') && !pathname.startsWith('//')
  const inside = ours && `${pathname}/`.startsWith(url(app, '/'))
  return inside && !changesState(app, pathname) ? pathname + search : fallback
}

function changesState(app: FastifyInstance, path: string): boolean {
  const plain = decodeFully(path)
  const routes = app.routeTable.filter((route) => route.changesState && route.method === 'GET' && !route.ownForms)
  return routes.some(({ url }) => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}/?$`, 'i').test(plain))
}

/** Decodes repeatedly, so that no double encoding hides what a path means. */
function decodeFully(address: string): string {
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what browsers strip
    const decoded = decodeURIComponent(address).replace(/[\u0000-\u0020]/g, '')
    return decoded === address ? address : decodeFully(decoded)
  } catch {
    return address
  }
}
