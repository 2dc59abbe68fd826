import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { companies, users } from '../../../database/schema/index.ts'
import { idsQuery } from '../../../web/list/rows.ts'
import { type List, readState } from '../../../web/list/state.ts'
import { queryOf } from '../../../web/request.ts'
import { sendSpreadsheet, spreadsheetStamp } from '../../../web/spreadsheet/send.ts'
import type { DealerRow } from './list.ts'

const manager = alias(users, 'manager')

export function exportDealers(list: List<DealerRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { t } = request
    return sendSpreadsheet(request, reply, `dealers_export_${spreadsheetStamp(new Date())}.xlsx`, {
      name: t('Dealers'),
      columns: [
        { header: t('ID'), width: 10 },
        { header: t('Company'), width: 40 },
        { header: t('Name'), width: 20 },
        { header: t('Lastname'), width: 24 },
        { header: t('Manager'), width: 36 },
        { header: t('Active'), width: 10 },
        { header: t('Created'), width: 18, moment: true },
      ],
      ids: idsQuery(request.server.db, list, request.actor, readState(list, queryOf(request))),
      rows: rowsOf(request),
    })
  }
}

function rowsOf({ server, t }: FastifyRequest) {
  return server.db
    .select({
      id: users.id,
      company: companies.org,
      name: users.name,
      lastname: users.lastname,
      manager: sql`concat_ws(' ', ${manager.lastname}, ${manager.name}, ${manager.middlename})`,
      active: sql`iif(${users.active}, ${t('Yes')}, ${t('No')})`,
      created: users.created_at,
    })
    .from(users)
    .leftJoin(companies, eq(companies.id, users.company_id))
    .leftJoin(manager, eq(manager.id, users.manager_id))
    .getSQL()
}
