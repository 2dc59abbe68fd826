import type { FastifyReply, FastifyRequest } from 'fastify'
import { fullName } from '../../core/text.ts'
import { allIds } from '../../web/list/rows.ts'
import { type List, queryOf, readState } from '../../web/list/state.ts'
import { sendSpreadsheet, spreadsheetStamp } from '../../web/spreadsheet.ts'
import type { DealerRow } from './list.ts'

/** The list as it is filtered and sorted, all of it, as a spreadsheet (specification, dealers export). */
export function exportDealers(list: List<DealerRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { t } = request
    const ids = allIds(request.server.db, list, request.actor, readState(list, queryOf(request)))
    return sendSpreadsheet(reply, `dealers_export_${spreadsheetStamp(new Date())}.xlsx`, {
      name: t('Dealers'),
      columns: [
        { header: t('ID'), width: 10 },
        { header: t('Company'), width: 40 },
        { header: t('Name'), width: 20 },
        { header: t('Lastname'), width: 24 },
        { header: t('Manager'), width: 36 },
        { header: t('Active'), width: 10 },
        { header: t('Created'), width: 18, format: 'dd.mm.yyyy hh:mm' },
      ],
      ids,
      load: list.rows,
      cells: (row) => [
        row.id,
        row.company,
        row.name,
        row.lastname,
        row.manager && fullName(row.manager),
        t(row.active ? 'Yes' : 'No'),
        new Date(row.created_at),
      ],
    })
  }
}
