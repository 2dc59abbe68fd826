import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Actor, Rule } from '../core/access.ts'
import { decodeAddress } from '../core/decode-address.ts'
import type { Rules } from '../core/specification-rules.ts'
import { type Author, type Database, findSettings } from '../database/index.ts'
import type { Language, Translate } from '../i18n/translate.ts'
import type { Part } from './view/page.ts'

export interface Person extends Actor {
  email: string
  middlename: string | null
  image: string | null
  language: Language | null
  theme: 'light' | 'dark' | null
}

// biome-ignore lint/suspicious/noExplicitAny: a route table holds rules over records of every kind
export type Access = 'public' | 'signed-in' | Rule<any>

export type FindRecord<R> = (db: Database, id: number, actor?: Actor) => R | undefined

export type FindByKey<R> = (db: Database, key: string) => R | undefined

export interface RoutePolicy {
  access?: Access
  record?: FindRecord<unknown>
  recordByKey?: FindByKey<unknown>
  /** A GET that changes something, so other sites must not be able to trigger it. */
  changesState?: boolean
  ownForms?: boolean
  answers?: 'fragment' | 'file' | 'redirect' | 'events'
  /** Requested by an open page, not by its person: does not extend the session. */
  background?: boolean
  withoutFactor?: boolean
  uploads?: RegExp
  fileLimit?: number
  avatars?: readonly string[]
  gallery?: RegExp
}

export interface RouteEntry extends RoutePolicy {
  method: string
  url: string
}

export const menuGroups = ['Sales', 'People', 'Catalog', 'System'] as const

export interface MenuItem {
  path: string
  label: string
  icon: string
  group?: (typeof menuGroups)[number]
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  rule?: Rule<any>
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  may?: Record<string, Rule<any>>
  also?: readonly string[]
  waiting?: (actor: Actor) => number
}

export interface ViewProvider {
  menuViews: (request: FastifyRequest) => (path: string) => {
    address?: string
    views: { name: string; href: string; current: boolean; count: string }[]
  }
  savedView: (request: FastifyRequest, list: string, query: string) => { id: number; name: string } | undefined
}

export interface Widget extends Part<[FastifyRequest]> {
  // biome-ignore lint/suspicious/noExplicitAny: rules over records of every kind
  rule: Rule<any>
  place?: 'top' | 'side'
}

export type TopbarPart = Part<[FastifyRequest]>

declare module 'fastify' {
  interface FastifyInstance {
    db: Database
    config: Config
    rules: Rules
    routeTable: RouteEntry[]
    menu: MenuItem[]
    viewProviders: ViewProvider[]
    widgets: Widget[]
    topbar: TopbarPart[]
    sample: boolean
  }
  interface FastifyContextConfig extends RoutePolicy {}
  interface RouteShorthandOptions extends RoutePolicy {}
  interface RouteOptions extends RoutePolicy {}
  interface FastifyRequest {
    actor: Person
    sessionId: number | null
    /** The owner of an expired session that the cookie names. */
    expiredPerson: Person | null
    authenticatedAt: number
    /** Reloads session, person and rights and authorizes the request again, for use after something slow. */
    reauthorize: (part?: unknown) => void
    /** Whether the body is read only to be saved until its sender has signed in again. */
    savesSubmission: boolean
    impersonating: { returnTo: string } | null
    pendingFlash: string | null
    storageError: HttpError | null
    record: unknown
    t: Translate
    language: Language
  }
}

export interface Problem {
  message: string
  params?: Record<string, unknown>
  status?: number
}

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
export const pageNotFound = () => new HttpError(404, 'Page not found')
export const forbidden = (message = "You don't have access.") => new HttpError(403, message)

export function wantsFragment(request: FastifyRequest): boolean {
  return request.headers['hx-request'] === 'true' && request.headers['hx-request-type'] !== 'full'
}

export function url(app: FastifyInstance, path: string): string {
  return app.config.baseUrl + path
}

export function defaultLanguage({ db, config }: FastifyInstance): Language {
  return findSettings(db).language ?? config.language
}

export function organizationName({ db }: FastifyInstance, t: Translate): string {
  return findSettings(db).name ?? t('Dealer cabinet')
}

/** Built from the settings only: a forged Host header must not lead readers elsewhere. */
export function publicUrl(app: FastifyInstance, path: string): string {
  const { publicOrigin, host, port } = app.config
  return (publicOrigin ?? (app.server.listening ? app.listeningOrigin : `http://${host}:${port}`)) + url(app, path)
}

/** The names that this service is known to go by: those of its settings, and the one that a request was sent to. */
export function ownHosts({ config }: FastifyInstance, request?: FastifyRequest): string[] {
  const { publicOrigin, host } = config
  return [...(publicOrigin ? [new URL(publicOrigin).hostname] : []), host, ...(request ? [request.hostname] : [])]
}

export function authorOf(request: FastifyRequest): Author {
  const { actor } = request
  const impersonator = actor.impersonator && { id: actor.impersonator.id, name: actor.impersonator.fullName }
  return { id: actor.id, name: `${actor.lastname} ${actor.name}`, impersonator, ...clientOf(request) }
}

export function realAuthorOf(request: FastifyRequest): Author {
  const { impersonator } = request.actor
  return impersonator ? { id: impersonator.id, name: impersonator.fullName, ...clientOf(request) } : authorOf(request)
}

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
  const plain = decodeAddress(path)
  const routes = app.routeTable.filter((route) => route.changesState && route.method === 'GET' && !route.ownForms)
  return routes.some(({ url }) => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}/?$`, 'i').test(plain))
}

export function queryOf(request: { url: string }): URLSearchParams {
  const start = request.url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : request.url.slice(start))
}

export function bodyOf(request: FastifyRequest): URLSearchParams {
  return (request.body as URLSearchParams | undefined) ?? new URLSearchParams()
}
