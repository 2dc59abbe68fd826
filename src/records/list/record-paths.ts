import type { Context } from '../../http/request/context.ts'

interface CardPlace {
  path: string
  page?: string
  creation?: unknown
  overview?: unknown
}

export function recordPath({ path, creation }: CardPlace, key: string | number): string {
  return creation ? `${path}/edit/${encodeURIComponent(key)}` : path
}

/** What follows the address of a card where its record is read. */
export const readingQuery = ({ overview }: CardPlace) => (overview ? '?tab=overview' : '')

/** Where a record of a list with a card is read. */
export function readingPath({ server }: Context, list: string, id: number): string {
  const card = server.records.get(list)?.card as CardPlace
  return card.page ? `${card.page}/${id}` : recordPath(card, id) + readingQuery(card)
}

/** Where what happened to a record is read. */
export function historyPath(card: CardPlace, id: number): string {
  return card.page ? `${card.page}/${id}` : `${recordPath(card, id)}?tab=history`
}
