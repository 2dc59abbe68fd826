import type { FastifyRequest } from 'fastify'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { queryOf } from '../../../http/request/input.ts'
import type { Match, Proposal } from './match.ts'
import { offeredCompanies } from './payers.ts'
import type { StatementRejected } from './rejected.ts'
import type { Statement } from './statement.ts'
import { writeTarget } from './target.ts'

const pageSize = 200
const outcomes = ['open', 'enters', 'confirms', 'booked', 'unreadable', 'outgoing'] as const

const outcomeLabels: Record<Match['outcome'], string> = {
  open: 'Order not found',
  enters: 'New payment',
  confirms: 'Confirms a reported payment',
  booked: 'Booked already',
  unreadable: 'Cannot be booked',
  outgoing: 'Outgoing payment',
}

export function viewOfStatement(request: FastifyRequest, statement: Statement, matches: Match[], rejected?: StatementRejected) {
  const { t, server } = request
  const sorted = [...matches].sort((a, b) => placeOf(a) - placeOf(b))
  const pages = Math.max(1, Math.ceil(sorted.length / pageSize))
  const number = Math.min(Math.max(1, Math.trunc(Number(queryOf(request).get('page'))) || 1), pages)
  return {
    title: t('Bank statement'),
    statement: { id: statement.id, file_name: statement.file_name },
    action: url(server, `/payments/import/${statement.id}`),
    counts: outcomes.map((outcome) => ({
      label: outcomeLabels[outcome],
      count: matches.filter((match) => match.outcome === outcome).length,
    })),
    rows: sorted
      .slice((number - 1) * pageSize, number * pageSize)
      .map((match) => viewOfMatch(request, rejected?.matches.get(match.row.row) ?? match, rejected)),
    companies: offeredCompanies(request),
    problem: rejected && t(rejected),
    pages,
    number,
  }
}

/** What can be booked goes before what cannot. */
const placeOf = ({ outcome, proposal }: Match) =>
  outcome === 'outgoing' && proposal ? outcomes.indexOf('booked') - 0.5 : outcomes.indexOf(outcome)

function viewOfMatch({ t }: Context, { row, outcome, why, proposal, byHand, payment }: Match, rejected?: StatementRejected) {
  const error = rejected?.problems.get(row.row)
  const book = proposal && [row.row, targetOf(proposal), byHand?.id].filter(Boolean).join(':')
  const link = byHand && `${row.row}:${byHand.id}`
  const isShownAsTyped = Boolean(rejected?.matches.has(row.row)) && !byHand
  const isSure = proposal && !proposal.doubt && !byHand && outcome !== 'open' && outcome !== 'outgoing'
  return {
    ...row,
    ...{ outcome, book, link },
    label: t(proposal && outcome === 'outgoing' ? 'Refund' : outcomeLabels[outcome]),
    why: why.map((reason) => t(reason)).join(', '),
    doubt: proposal?.doubt && t(proposal.doubt),
    order: payment ? payment.order_id : onlyOrder(proposal),
    payment: payment?.id,
    proposal: proposal && { ...proposal, orders: proposal.orders.map(({ id }) => id) },
    byHand: byHand && { id: byHand.id, order: byHand.order_id, company: byHand.org, date: byHand.date, by: byHand.decider_name },
    isTyped: outcome === 'open' || proposal !== undefined,
    ticked: rejected ? rejected.ticked.has(book ?? '') || isShownAsTyped : isSure,
    linked: rejected?.ticked.has(link ?? '') ?? false,
    typed: rejected?.orders.get(row.row),
    company: rejected?.companies.get(row.row),
    error: error && t(error),
  }
}

const targetOf = ({ orders, company_id }: Proposal) => writeTarget({ orders: orders.map(({ id }) => id), company: company_id ?? undefined })

const onlyOrder = (proposal?: Proposal) => (proposal?.orders.length === 1 ? proposal.orders[0]?.id : undefined)
