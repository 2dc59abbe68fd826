import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Group, group } from '../../../core/access.ts'
import { groupNames } from '../../../core/labels.ts'
import { fold, fullName } from '../../../core/text.ts'
import { page } from '../../../web/http.ts'
import type { Order } from '../order.ts'
import { type Reader, readersOf } from './readers.ts'

const suggestions = page<{ people: { name: string; role: string }[] }>('orders/mention-suggestions.njk')

export function showPeople({ server, actor, record, t }: FastifyRequest, reply: FastifyReply) {
  const order = record as Order
  const readers = readersOf(server.db, order, { internal: false }).filter(({ id }) => id !== actor.id)
  const offered =
    actor.group_id === group.dealer
      ? readers.filter(({ id, group_id }) => group_id === group.dealer || id === order.owner_manager_id)
      : readers
  return reply.page(suggestions, {
    people: offered.map(({ lastname, name, group_id }) => ({ name: `${lastname} ${name}`, role: t(groupNames[group_id as Group]) })),
  })
}

/** An `@` before a letter, but not inside an email address. */
const mention = /(?<![\p{L}\p{N}._-])@(?=\p{L})/gu

/**
 * Finds mentions (`@Lastname` or `@Lastname Name`) of users who may read the message.
 * @returns their ids, and mentions that match nobody or several users
 */
export function findMentions(text: string, readers: readonly Reader[]): { ids: number[]; unknown: string[] } {
  const ids = new Set<number>()
  const unknown = new Set<string>()
  for (const { index } of text.matchAll(mention)) {
    const rest = text.slice(index + 1, index + 1 + 200)
    const named = longestMatches(fold(rest), readers)
    const [one] = named
    if (one && named.length === 1) ids.add(one.id)
    else unknown.add(`@${/^[\p{L}\p{M}'’-]+/u.exec(rest)?.[0]}`)
  }
  return { ids: [...ids], unknown: [...unknown] }
}

function longestMatches(rest: string, readers: readonly Reader[]): Reader[] {
  let longest = 0
  let found: Reader[] = []
  for (const reader of readers) {
    const length = Math.max(...namesOf(reader).map((name) => (begins(rest, name) ? name.length : 0)))
    if (length === 0 || length < longest) continue
    found = length === longest ? [...found, reader] : [reader]
    longest = length
  }
  return found
}

const namesOf = (reader: Reader) => [reader.lastname, `${reader.lastname} ${reader.name}`, fullName(reader)].map(fold)

function begins(rest: string, name: string): boolean {
  return rest.startsWith(name) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length))
}
