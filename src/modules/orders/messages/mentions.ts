import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Group, group, isAmong, isDealer } from '../../../core/access.ts'
import { groupMemberNames } from '../../../core/labels.ts'
import { fold, fullName } from '../../../core/text.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Person } from '../../../http/request/person.ts'
import { template } from '../../../http/request/template.ts'
import type { Order } from '../order.ts'
import { readersOf } from '../recipients.ts'

/** An `@` before a letter, but not inside an email address. */
const mention = /(?<![\p{L}\p{N}._-])@(?=\p{L})/gu

export const mentionLimit = 50

interface Mentions {
  ids: number[]
  /** What matches nobody or several users. */
  unknown: string[]
  /** Whether there are more than are read. */
  more: boolean
}

export const noMentions: Mentions = { ids: [], unknown: [], more: false }

/** Finds the first mentions (`@Lastname` or `@Lastname Name`) of the people who may be mentioned. */
export function findMentions(text: string, readers: readonly Person[]): Mentions {
  const ids = new Set<number>()
  const unknown = new Set<string>()
  const places = [...text.matchAll(mention)].map(({ index }) => index + 1)
  const names = readersByName(readers)
  for (const place of places.slice(0, mentionLimit)) {
    const rest = text.slice(place, place + 200)
    const named = longestMatch(fold(rest), names)
    const [one] = named
    if (one && named.length === 1) ids.add(one.id)
    else unknown.add(`@${/^[\p{L}\p{M}'’-]+/u.exec(rest)?.[0]}`)
  }
  return { ids: [...ids], unknown: [...unknown], more: places.length > mentionLimit }
}

/** Names are folded once, however many mentions there are; the longest come first. */
function readersByName(readers: readonly Person[]): [name: string, readers: Person[]][] {
  const byName = Map.groupBy(
    readers.flatMap((reader) => [...new Set(namesOf(reader))].map((name) => ({ name, reader }))),
    ({ name }) => name,
  )
  const named = [...byName].map(([name, found]): [string, Person[]] => [name, found.map(({ reader }) => reader)])
  return named.sort(([one], [other]) => other.length - one.length)
}

const longestMatch = (rest: string, names: ReturnType<typeof readersByName>) => names.find(([name]) => begins(rest, name))?.[1] ?? []

const namesOf = (reader: Person) => [reader.lastname, `${reader.lastname} ${reader.name}`, fullName(reader)].map(fold)

function begins(rest: string, name: string): boolean {
  return name !== '' && rest.startsWith(name) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length))
}

const suggestions = template<{ people: { name: string; role: string }[] }>('orders/mention-suggestions.njk')

/** Whom somebody may mention: dealers learn of nobody but their colleagues and their manager. */
export function mentionable({ server, actor }: Context, order: Order, { internal }: { internal: boolean }): Person[] {
  const readers = readersOf(server.db, order, { internal })
  if (!isDealer(actor)) return readers
  return readers.filter(({ group_id, managers }) => group_id === group.dealer || isAmong(managers, order.owner_manager_id))
}

export function showPeople(request: FastifyRequest, reply: FastifyReply, order: Order) {
  const { actor, t } = request
  const offered = mentionable(request, order, { internal: false }).filter(({ id }) => id !== actor.id)
  return reply.page(suggestions, {
    people: offered.map(({ lastname, name, group_id }) => ({ name: `${lastname} ${name}`, role: t(groupMemberNames[group_id as Group]) })),
  })
}
