import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Author } from '../database/index.ts'
import { findSettings } from '../database/index.ts'
import { type Language, type Translate, translator } from '../i18n/translate.ts'
import { personFinder } from './access/person-reader.ts'
import { defaultLanguage, forbidden, type Person } from './http.ts'

/**
 * Who acts, where, and in which language: all that functions ask which create, save, move and notify. A request is one; what acts without
 * a request, such as an import that is finished at the start, makes its own.
 */
export interface Acting {
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
  renew: () => Acting
}

/** Somebody without a request of their own: what they have begun and the service finishes without them. */
export function actingAs(server: FastifyInstance, actor: Person): Acting {
  const language = actor.language ?? defaultLanguage(server)
  const author = { id: actor.id, name: `${actor.lastname} ${actor.name}` }
  const renew = () => {
    const person = personFinder(server.db)(actor.id)
    if (!person) throw forbidden()
    return actingAs(server, person)
  }
  return {
    server,
    actor,
    author,
    authenticatedAt: Date.now(),
    language,
    t: translator(language, findSettings(server.db)),
    log: server.log,
    renew,
  }
}
