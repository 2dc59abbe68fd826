import type { Config } from '../../config.ts'
import type { Actor, AnyRule } from '../../core/access.ts'
import type { Rules } from '../../core/specification-rules.ts'
import type { Author, Database } from '../../database/index.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
import type { HttpError } from './errors.ts'
import type { Person } from './person.ts'

export type Access = 'public' | 'signed-in' | AnyRule

/** `name` is what the address says instead of an id, for records that have keys. */
export type FindRecord<R> = (db: Database, id: number, actor?: Actor, name?: string) => R | undefined

export interface RoutePolicy {
  access?: Access
  record?: FindRecord<unknown>
  /** The answer where there is no record with an id. */
  missing?: ((id: number) => HttpError) | undefined
  /** A GET that changes something, so other sites must not be able to trigger it. */
  changesState?: boolean
  ownForms?: boolean
  answers?: 'fragment' | 'file' | 'spreadsheet' | 'redirect' | 'events' | 'json'
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

declare module 'fastify' {
  interface FastifyInstance {
    db: Database
    config: Config
    rules: Rules
    routeTable: RouteEntry[]
    sample: boolean
    registry: Registry
    /** Milliseconds that are waited for a form to arrive, a spreadsheet to be written, a webhook to answer. */
    timeouts: { form: number; export: number; webhook: number }
  }
  interface FastifyContextConfig extends RoutePolicy {}
  interface RouteShorthandOptions extends RoutePolicy {}
  interface RouteOptions extends RoutePolicy {}
  interface FastifyRequest {
    actor: Person
    author: Author
    authenticatedAt: number
    /** Whether the body is read only to be saved until its sender has signed in again. */
    savesSubmission: boolean
    whyUnsaved: HttpError | null
    record: unknown
    t: Translate
    language: Language
  }
}
