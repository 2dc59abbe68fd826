import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Author } from '../../database/index.ts'
import { findSettings } from '../../database/index.ts'
import { type Language, type Translate, translator } from '../../i18n/translate.ts'
import { findAuthor } from '../access/session-loader.ts'
import { forbidden } from './errors.ts'
import { defaultLanguage } from './organization.ts'
import type { Person } from './person.ts'

/**
 * Who acts, where, and in which language: all that functions ask which create, save, move and notify. A request is one; what acts without
 * a request, such as an import that is finished at the start, makes its own.
 */
export interface Context {
  /** The running service with its database, settings and rules. */
  server: FastifyInstance
  actor: Person
  /** What the change history says of the actor. */
  author: Author
  /** When the actor last gave their password, in milliseconds since 1970. */
  authenticatedAt: number
  language: Language
  t: Translate
  log: FastifyBaseLogger
  /**
   * The same actor, read anew: what takes long asks again before it writes.
   * @throws HttpError when they may no longer act: deactivated, deleted, signed out
   */
  renew: () => Context
}

/**
 * Somebody without a request of their own, as they are now: what they have begun and the service goes on with.
 * @throws HttpError when they may no longer act: deactivated, deleted
 */
export function contextFor(server: FastifyInstance, author: Author, authenticatedAt: number): Context {
  const actor = findAuthor(server, author)
  if (!actor) throw forbidden('The account of whoever started this is no longer active.')
  const language = actor.language ?? defaultLanguage(server)
  return {
    ...{ server, actor, author, authenticatedAt, language, log: server.log },
    t: translator(language, findSettings(server.db)),
    renew: () => contextFor(server, author, authenticatedAt),
  }
}
