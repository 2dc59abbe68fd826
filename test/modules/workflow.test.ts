import t from 'tap'
import { defaultStatuses, defaultTransitions } from '../../src/core/workflow.ts'
import { loadWorkflow } from '../../src/modules/workflow/load.ts'
import { startCabinet } from '../support/cabinet.ts'

t.test('a new installation has the workflow of the defaults', async (t) => {
  const { db } = await startCabinet(t)
  const { statuses, transitions } = loadWorkflow(db)
  t.same(
    statuses.map(({ id, status_key, policies }) => [id, status_key, [...policies].sort()]),
    defaultStatuses.map(({ id, status_key, policies }) => [id, status_key, [...policies].sort()]),
  )
  const keys = new Map(statuses.map((status) => [status.id, status.status_key]))
  t.same(
    transitions.map((way) => [keys.get(way.parent_status_id), keys.get(way.child_status_id), way.dealer_can, way.required_fields]),
    defaultTransitions.map((way) => [way.from, way.to, way.dealer_can, way.required_fields]),
  )
})
