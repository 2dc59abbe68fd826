import type { FastifyRequest } from 'fastify'
import { eachInTurn } from '../../../concurrency/each-in-turn.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf } from '../../../http/request/input.ts'
import type { Booking } from './book.ts'
import type { LinedRow } from './columns.ts'
import { findBooked, type Match, matchTarget, problemOf } from './match.ts'
import { StatementRejected, type Wanted } from './rejected.ts'
import { type Statement, statementRows } from './statement.ts'
import { findTarget, type Reason } from './target.ts'

/**
 * Rows as they were ticked, or for what was typed; one that is wrong, in doubt or not seen as it would be split refuses all.
 * @throws StatementRejected
 */
export async function readBookings(request: FastifyRequest, statement: Statement): Promise<Booking[]> {
  const rows = await statementRows(request.server.db, statement)
  const byNumber = new Map(rows.map((row) => [row.row, row]))
  const rejection = new StatementRejected(bodyOf(request))
  const linked = new Set<number>()
  const bookings: Booking[] = []
  await eachInTurn(rejection.wanted(request), ([number, wanted]) => {
    const read = readBooking(request, byNumber.get(number), wanted, linked)
    if ('target' in read) return bookings.push(read)
    if (read.match) rejection.matches.set(number, read.match)
    return rejection.problems.set(number, read)
  })
  if (rejection.problems.size > 0) throw rejection
  if (bookings.length === 0) throw new StatementRejected(bodyOf(request), new HttpError(422, 'Nothing selected.'))
  // As the bank wrote them, one after another, whatever the page shows first.
  return bookings.sort((a, b) => a.row.row - b.row.row)
}

type Unread = Reason & { match?: Match }

function readBooking(request: Context, row: LinedRow | undefined, wanted: Wanted, linked: Set<number>): Booking | Unread {
  const { db } = request.server
  const { target, paymentId, besides } = wanted
  if (!row || !target) return { message: wanted.problem ?? 'There is no order with this number whose payments you may confirm.' }
  const problem = problemOf(db, row)
  if (problem) return problem
  const found = findTarget(request, row, target)
  if ('message' in found) return found
  const booking = { row, target, paymentId, besides }
  if (findBooked(db, row)) return booking
  if (paymentId !== undefined) {
    if (linked.has(paymentId)) return { message: choose }
    linked.add(paymentId)
    return booking
  }
  const match = matchTarget(request, row, found)
  if (match.byHand && match.byHand.id !== besides) return { message: choose, match }
  if (wanted.isUnseen && target.orders.length > 1) return { message: 'Check how the amount is split, then book it.', match }
  return booking
}

export const choose = 'Choose whether this is the payment that was confirmed by hand, or another one.'
