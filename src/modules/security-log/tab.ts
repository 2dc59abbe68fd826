import type { FastifyRequest } from 'fastify'
import { openList } from '../../records/card/list-tabs.ts'
import { cardPart, listTab, type Tab } from '../../records/kind/card.ts'
import { mayReadSecurityLog, ofUser, securityLogList } from './list.ts'

export function securityLogTab<R extends { id: number }>(cardPath: string): Tab<R> {
  return {
    name: 'security-log',
    label: 'Security log',
    rule: mayReadSecurityLog,
    ...cardPart(listTab, (request: FastifyRequest, record: R) => viewOfEvents(request, cardPath, record.id)),
  }
}

function viewOfEvents(request: FastifyRequest, cardPath: string, id: number) {
  const place = { path: `${cardPath}/edit/${id}`, query: { tab: 'security-log' } }
  const list = securityLogList(request.server.db, { name: 'security-log', title: 'Security log', place, baseCondition: ofUser(id) })
  return openList(request, list)
}
