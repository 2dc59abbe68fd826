import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Actor, Rule } from '../core/access.ts'
import type { Rules } from '../core/rules.ts'
import type { Database } from '../database/open.ts'
import type { Author } from '../database/records.ts'
import type { Translate } from '../i18n/translate.ts'
import type { Part } from './view/page.ts'

/** The signed-in person: the actor of the access rules, and what pages show of them. */
export interface Person extends Actor {
  email: string
  middlename: string | null
  image: string | null
  language: 'en' | 'ru' | null
  theme: 'light' | 'dark' | null
}

/** A route's access: the sign-in page and its like, anybody signed in, or a rule. */
// biome-ignore lint/suspicious/noExplicitAny: a route table holds rules over records of every kind
export type Access = 'public' | 'signed-in' | Rule<any>

/** Loads the record that an address names; with an actor, not one whose very existence is kept from them. */
export type FindRecord<R> = (db: Database, id: number, actor?: Actor) => R | undefined

/** Loads the record that an address names by a word in place of its id. */
export type FindByKey<R> = (db: Database, key: string) => R | undefined

export interface RoutePolicy {
  access?: Access
  record?: FindRecord<unknown>
  recordByKey?: FindByKey<unknown>
  /** Allowed although the method only reads: it changes something, so other sites may not lead here. */
  changesState?: boolean
  /** Of what changes state: nothing but what this person has sent themselves, so signing in may lead here. */
  ownForms?: boolean
  /** What a GET answers with when it is not a page with its region. */
  answers?: 'fragment' | 'file' | 'redirect' | 'events'
  /** Asked by an open page and not by its person: it does not keep their session alive. */
  background?: boolean
  /** Takes files from inputs of these names: a body that carries one from elsewhere is refused. */
  uploads?: RegExp
  /** Takes pictures under these names and turns them into avatars. */
  avatars?: readonly string[]
  /** Takes any number of pictures under this name and keeps them in sizes for readers. */
  gallery?: string
}

export interface RouteEntry extends RoutePolicy {
  method: string
  url: string
}

/** A place in the main menu. */
export interface MenuItem {
  path: string
  label: string
  icon: string
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  rule?: Rule<any>
  /** Who may do what there, by the name of the action: see `actionLabels`. */
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  may?: Record<string, Rule<any>>
  /** Where its cards live, when that is another path than the list's. */
  card?: string
  /** How many records of it this person sees: shown on the dashboard. */
  total?: (actor: Actor) => number
  /** How many of them wait for this person: shown beside the label and on the dashboard. */
  waiting?: (actor: Actor) => number
}

/** A part of the dashboard that a module adds. */
export interface Widget extends Part<[FastifyRequest]> {
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  rule: Rule<any>
}

/** A part of the bar at the top of every page that a module adds. */
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
    /** True while the database holds the sample data. */
    sample: boolean
  }
  interface FastifyContextConfig extends RoutePolicy {}
  interface RouteShorthandOptions extends RoutePolicy {}
  interface RouteOptions extends RoutePolicy {}
  interface FastifyRequest {
    /** Set by the policy hook on every route that is not public. */
    actor: Person
    /** Row of the session that the cookie names, when it is alive. */
    sessionId: number | null
    /** Whose session it was, when the cookie names one that has run out. */
    expiredPerson: Person | null
    /**
     * Reads session, person and rights anew and judges the request by them: for whatever comes after something slow.
     * @throws HttpError when it may not go on
     */
    reauthorize: () => void
    /** The form is read to be kept until its sender has signed in again. */
    savesSubmission: boolean
    impersonating: { returnTo: string } | null
    /** The message waiting in the session, see flash.ts. */
    pendingFlash: string | null
    /** Why nothing could be saved, told above the form that is shown again. */
    storageError: HttpError | null
    /** The record the address names, already judged by the policy hook. */
    record: unknown
    t: Translate
    language: 'en' | 'ru'
  }
}

/** What is wrong with a value that was sent; the message is a translation key. */
export interface Problem {
  message: string
  params?: Record<string, unknown>
  /** The status of the answer, where that is not 422. */
  status?: number
}

/** An answer other than success; the message is a translation key shown to the person. */
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

/** A path of the cabinet with the prefix it is served under. */
export function url(app: FastifyInstance, path: string): string {
  return app.config.baseUrl + path
}

/**
 * The same as an absolute address, for messages. It comes from the settings, never from a request:
 * what a request says about its host anybody could have made up, to lead the reader of the message astray.
 */
export function publicUrl(app: FastifyInstance, path: string): string {
  const { publicOrigin, host, port } = app.config
  return (publicOrigin ?? (app.server.listening ? app.listeningOrigin : `http://${host}:${port}`)) + url(app, path)
}

/** Who the change history names for this request. */
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

/** The page of the cabinet that this request came from, if it says. */
export function refererPath(request: FastifyRequest): string | undefined {
  const { referer } = request.headers
  if (!referer || !URL.canParse(referer)) return undefined
  const { pathname, search } = new URL(referer)
  return pathname + search
}

/** A target inside the cabinet that only shows something, or the fallback when it would lead elsewhere. */
export function safePath(app: FastifyInstance, target: unknown, fallback: string): string {
  if (typeof target !== 'string' || !URL.canParse(target, 'http://cabinet.invalid')) return fallback
  const { host, pathname, search } = new URL(target, 'http://cabinet.invalid')
  // Normalizing may leave a path that begins with two slashes: a browser takes that for another host.
  const ours = host === 'cabinet.invalid' && target.startsWith('/') && !pathname.startsWith('//')
  const inside = ours && `${pathname}/`.startsWith(url(app, '/'))
  return inside && !changesState(app, pathname) ? pathname + search : fallback
}

/** Whether opening a path does something, however it is written; going on with one's own form is one's own doing. */
function changesState(app: FastifyInstance, path: string): boolean {
  const plain = decodeFully(path)
  const routes = app.routeTable.filter((route) => route.changesState && route.method === 'GET' && !route.ownForms)
  return routes.some(({ url }) => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}/?$`, 'i').test(plain))
}

/** An address as it reads once nothing in it is encoded any more, and without what browsers strip. */
function decodeFully(address: string): string {
  try {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what browsers strip
    const decoded = decodeURIComponent(address).replace(/[\u0000-\u0020]/g, '')
    return decoded === address ? address : decodeFully(decoded)
  } catch {
    return address
  }
}
