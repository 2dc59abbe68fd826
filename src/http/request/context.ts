import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Author } from '../../database/index.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
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
}

/** What a write needs of it: where, and in whose name. */
export type WriteContext = Pick<Context, 'server' | 'author'>
