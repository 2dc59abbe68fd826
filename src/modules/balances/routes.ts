import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { queryOf } from '../../http/request/input.ts'
import { isDay } from '../../records/list/common-filters.ts'
import { exportDescribed } from '../../records/list/export.ts'
import { openState, sendList } from '../../records/list/show.ts'
import { stateFor } from '../../records/list/state.ts'
import { mayReadBalances } from './access.ts'
import { sheet } from './balances-sheet.ts'
import { balanceList, findByFigures, totalsOf } from './list.ts'
import { type Period, periodOf } from './period.ts'
import { reconciliationRoutes } from './reconciliation.ts'

export async function balanceRoutes(app: FastifyInstance): Promise<void> {
  app.registry.commands.push({ path: '/ledger/balances', label: ['Balances'], says: ['debt, reconciliation'], rule: mayReadBalances })
  app.get('/ledger/balances', { access: mayReadBalances }, showBalances)
  app.get('/ledger/balances/export', { access: mayReadBalances, answers: 'spreadsheet' }, exportBalances)
  reconciliationRoutes(app)
}

async function showBalances(request: FastifyRequest, reply: FastifyReply) {
  const period = periodIn(queryOf(request))
  const list = balanceList(period)
  const state = openState(request, reply, list)
  const ids = await findByFigures(request, list, period, state)
  return sendList(request, reply, list, state, { ids, totals: await totalsOf(request, list, period, state) })
}

async function exportBalances(request: FastifyRequest, reply: FastifyReply) {
  const query = queryOf(request)
  const period = periodIn(query)
  const list = balanceList(period)
  const found = await findByFigures(request, list, period, stateFor(request, list, query))
  return exportDescribed(list, sheet, period, found)(request, reply)
}

/** The state of the list that a query asks for names the period. */
function periodIn(query: URLSearchParams): Period {
  const days = ['on', 'from', 'until'].map((name) => [name, query.get(name) ?? ''] as const)
  return periodOf(Object.fromEntries(days.filter(([, day]) => isDay(day))))
}
