import querystring from 'node:querystring'
import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Actor } from '../core/access.ts'
import { decodeAddress } from '../core/decode-address.ts'
import { type Author, bestEffort, type Database, findSettings, sessions } from '../database/index.ts'
import type { Language, Translate } from '../i18n/translate.ts'

export interface Person extends Actor {
  email: string
  middlename: string | null
  image: string | null
  language: Language | null
  theme: 'light' | 'dark' | null
}

/** `name` is what the address says instead of an id, for records that have keys. */
export type FindRecord<R> = (db: Database, id: number, actor?: Actor, name?: string) => R | undefined

export interface Template<Data extends object> {
  readonly template: string
  /** Never set: makes pages with different data different types. */
  readonly takes?: (data: Data) => void
}

export function template<Data extends object>(template: string): Template<Data> {
  return { template }
}

export interface Fragment<Args extends unknown[]> {
  template: string
  load: (...args: Args) => object
}

export function fragment<Data extends object, Args extends unknown[]>(
  { template }: Template<Data>,
  load: (...args: Args) => NoInfer<Data>,
): Fragment<Args> {
  return { template, load }
}

/** What `render` of a template takes. */
export interface RenderedFragment {
  template: string
  data: object
}

export function loadFragment<Args extends unknown[]>({ template, load }: Fragment<Args>, ...args: Args): RenderedFragment {
  return { template, data: load(...args) }
}

export interface Problem {
  message: string
  params?: Record<string, unknown>
  status?: number
  /** Seconds until there is room again, where a limit was met. */
  wait?: number
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

/** The one who really acts, and not the person they act as. */
export function realAuthorOf({ impersonator, ...author }: Author): Author {
  return impersonator ? { ...author, ...impersonator } : author
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
  return parseFields(start < 0 ? '' : request.url.slice(start))
}

/**
 * What a text that somebody sent says as fields, in time that grows with its length: what `URLSearchParams` makes of a text takes
 * seconds where names have no value or blanks are many.
 */
export function parseFields(text: string): URLSearchParams {
  const fields = new URLSearchParams()
  for (const part of blanksForPluses(text.replace(/^\?/, '')).split('&')) {
    const end = part.includes('=') ? part.indexOf('=') : part.length
    if (part !== '') fields.append(querystring.unescape(part.slice(0, end)), querystring.unescape(part.slice(end + 1)))
  }
  return fields
}

/** Byte by byte: of a million pluses a replaced text takes ten times as long. */
function blanksForPluses(text: string): string {
  if (!text.includes('+')) return text
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === plus) bytes[at] = blank
  return bytes.toString()
}

const [plus, blank] = [0x2b, 0x20]

/** What the address says at `:name` in the path of the route. */
export function paramOf({ params }: FastifyRequest, name: string): string {
  return (params as Record<string, string>)[name] ?? ''
}

export function bodyOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
}

/** What the address of a form and what was sent for it say, before anything is read: what a choice is searched for, which record to repeat. */
export interface FormInput {
  query: URLSearchParams
  /** By place, such as `items.0.price`. */
  texts: ReadonlyMap<string, string>
  /** That is what was kept of a form that is still being filled in. */
  isDraft?: true
}

export const noInput: FormInput = { query: new URLSearchParams(), texts: new Map() }

export function inputOf(request: FastifyRequest): FormInput {
  return { query: queryOf(request), texts: textsByPlace(bodyOf(request)) }
}

/** What a body says, by places in place of inputs; the last one of a name counts. */
export function textsByPlace(body: Iterable<[input: string, text: string]>): Map<string, string> {
  return new Map([...body].map(([input, text]) => [input.replaceAll(/\[(\w+)\]/g, '.$1'), text]))
}

export function parseId(text: string | null | undefined): number | undefined {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** A form that takes back what a message reports. */
export interface UndoForm {
  action: string
  fields?: Record<string, string>
  /** For how many milliseconds it can be sent, if that is limited. */
  time?: number
}

export interface Flash {
  text: string
  undo?: UndoForm
}

export function flash(request: FastifyRequest, text: string, params: Record<string, unknown> = {}, undo?: UndoForm): void {
  saveFlash(request, JSON.stringify([text, params, undo]))
}

export function takeFlash(request: FastifyRequest): Flash | undefined {
  if (!request.sessionId || !request.pendingFlash) return undefined
  saveFlash(request, null)
  const [text, params, undo] = JSON.parse(request.pendingFlash)
  return { text: request.t(text, params), undo: undo ?? undefined }
}

/** Best effort: the action it reports is already done. */
function saveFlash({ server, sessionId }: FastifyRequest, message: string | null): void {
  if (sessionId) bestEffort(() => server.db.update(sessions).set({ flash: message }).where(eq(sessions.id, sessionId)).run())
}
