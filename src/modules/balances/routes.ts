import type { FastifyInstance } from 'fastify'
import { queryOf } from '../../http/request/input.ts'
import { isDay } from '../../records/list/common-filters.ts'
import { exportDescribed } from '../../records/list/export.ts'
import { showList } from '../../records/list/show.ts'
import { mayReadBalances } from './access.ts'
import { sheet } from './balances-sheet.ts'
import { balanceList } from './list.ts'
import { type Period, periodOf } from './period.ts'
import { reconciliationRoutes } from './reconciliation.ts'

export async function balanceRoutes(app: FastifyInstance): Promise<void> {
  app.get('/ledger/balances', { access: mayReadBalances }, (request, reply) =>
    showList(balanceList(periodIn(queryOf(request))))(request, reply),
  )
  app.get('/ledger/balances/export', { access: mayReadBalances, answers: 'spreadsheet' }, (request, reply) => {
    const period = periodIn(queryOf(request))
    return exportDescribed(balanceList(period), sheet, period)(request, reply)
  })
  reconciliationRoutes(app)
}

/** The state of the list that a query asks for names the period. */
function periodIn(query: URLSearchParams): Period {
  const days = ['on', 'from', 'until'].map((name) => [name, query.get(name) ?? ''] as const)
  return periodOf(Object.fromEntries(days.filter(([, day]) => isDay(day))))
}
