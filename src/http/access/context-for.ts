import type { FastifyInstance } from 'fastify'
import { type Author, findSettings } from '../../database/index.ts'
import { translator } from '../../i18n/translate.ts'
import type { Context } from '../request/context.ts'
import { forbidden } from '../request/errors.ts'
import { defaultLanguage } from '../request/organization.ts'
import { findAuthor } from './session-loader.ts'

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
  }
}
