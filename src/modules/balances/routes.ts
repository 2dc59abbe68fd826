import type { FastifyInstance } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { queryOf } from '../../http/request/input.ts'
import { exportDescribed } from '../../records/list/export.ts'
import { showList } from '../../records/list/show.ts'
import { mayReadLedger } from '../ledger/access.ts'
import { mayReadBalances } from './access.ts'
import { sheet } from './balances-sheet.ts'
import { balanceList, periodIn } from './list.ts'
import { exportReconciliation, findReconciledCompany, showReconciliation } from './reconciliation.ts'

export async function balanceRoutes(app: FastifyInstance): Promise<void> {
  app.get('/ledger/balances', { access: mayReadBalances }, (request, reply) =>
    showList(balanceList(periodIn(queryOf(request))))(request, reply),
  )
  app.get('/ledger/balances/export', { access: mayReadBalances, answers: 'spreadsheet' }, (request, reply) => {
    const period = periodIn(queryOf(request))
    return exportDescribed(balanceList(period), sheet, period)(request, reply)
  })
  const act = { access: mayReadLedger, record: findReconciledCompany }
  app.get('/company/:id/reconciliation', onRecord(act, showReconciliation))
  app.get('/company/:id/reconciliation/export', onRecord({ ...act, answers: 'spreadsheet' }, exportReconciliation))
}
