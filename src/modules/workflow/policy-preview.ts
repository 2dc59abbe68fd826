import type { FastifyRequest } from 'fastify'
import { type StatusPolicyKey, statusPolicyNames } from '../../core/default-workflow.ts'
import { queryOf } from '../../web/request.ts'
import { loadWorkflow } from './load.ts'
import { previewPolicies } from './preview.ts'

export interface PolicyPreview extends Partial<ReturnType<typeof previewPolicies>> {
  trial: { back: string | null; on: ReadonlySet<StatusPolicyKey>; shown?: true }
}

export function presentPolicyPreview(request: FastifyRequest, statusId: number): PolicyPreview {
  const query = queryOf(request)
  const back = query.get('back')
  if (!query.has('_preview')) return { trial: { back, on: currentPolicies(request, statusId) } }
  const on = new Set(query.getAll('policy').filter((key): key is StatusPolicyKey => Object.hasOwn(statusPolicyNames, key)))
  return { trial: { back, on, shown: true }, ...previewPolicies(request, statusId, on) }
}

function currentPolicies({ server }: FastifyRequest, statusId: number): ReadonlySet<StatusPolicyKey> {
  const status = loadWorkflow(server.db).statuses.find(({ id }) => id === statusId)
  return status?.policies ?? new Set()
}
