import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import type { Values } from '../form/form.ts'
import type { Card, CardRecord, Creation } from '../kind/card.ts'
import { findTaken } from '../kind/taken.ts'

/**
 * The only way into the records of a card, for pages, the API, imports and their undoing: adds one, or saves what is changed of one, under
 * the rules that the card itself keeps. Call it inside `write`.
 * @throws ValidationFailed with what is wrong by field
 */
export function saveRecord<R extends CardRecord>(
  context: Context,
  card: Card<R>,
  record: R | undefined,
  values: Values,
): { id: number; changed: boolean } {
  const taken = findTaken(context, card, record, values)
  if (Object.keys(taken).length > 0) throw new ValidationFailed(taken)
  // The one place where what was read gets the type that the declaration of its form promises.
  if (!record) return { id: (card.creation as Creation).create(context, values as never), changed: true }
  card.save(context, record, values as never)
  return { id: record.id, changed: card.find(context.server.db, record.id)?.version !== record.version }
}
