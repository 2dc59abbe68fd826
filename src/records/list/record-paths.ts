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

/** Where a record of a list with a card is read; `back` is the query of the list that somebody came from. */
export function readingPath({ server }: Pick<Context, 'server'>, list: string, id: number, back?: string): string {
  const card = server.records.get(list)?.card as CardPlace
  const path = card.page ? `${card.page}/${id}` : recordPath(card, id) + readingQuery(card)
  return back ? `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ back })}` : path
}

/** Where what happened to a record is read. */
export function historyPath(card: CardPlace, id: number): string {
  return card.page ? `${card.page}/${id}` : `${recordPath(card, id)}?tab=history`
}
