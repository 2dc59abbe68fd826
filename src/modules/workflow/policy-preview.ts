import type { FastifyRequest } from 'fastify'
import { type StatusPolicyKey, statusPolicyNames } from '../../core/default-workflow.ts'
import { queryOf } from '../../web/request.ts'
import { loadWorkflow } from './load.ts'
import { previewPolicies } from './preview.ts'

export interface PolicyPreview extends Partial<ReturnType<typeof previewPolicies>> {
  selection: { back: string | null; policies: ReadonlySet<StatusPolicyKey>; requested?: true }
}

export function presentPolicyPreview(request: FastifyRequest, statusId: number): PolicyPreview {
  const query = queryOf(request)
  const back = query.get('back')
  if (!query.has('_preview')) return { selection: { back, policies: currentPolicies(request, statusId) } }
  const policies = new Set(query.getAll('policy').filter((key): key is StatusPolicyKey => Object.hasOwn(statusPolicyNames, key)))
  return { selection: { back, policies, requested: true }, ...previewPolicies(request, statusId, policies) }
}

function currentPolicies({ server }: FastifyRequest, statusId: number): ReadonlySet<StatusPolicyKey> {
  const status = loadWorkflow(server.db).statuses.find(({ id }) => id === statusId)
  return status?.policies ?? new Set()
}
