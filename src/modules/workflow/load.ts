import { asc, getTableColumns, sql } from 'drizzle-orm'
import { statusNameFor } from '../../core/default-workflow.ts'
import type { Workflow } from '../../core/transition-rules.ts'
import { cachedUntilWrite, type Database, orderTallies, prepareOnce, statuses, statusTransitions } from '../../database/index.ts'

export function loadWorkflow(db: Database, language?: 'en' | 'ru'): Workflow {
  return cachedUntilWrite(db, `workflow in ${language}`, () => readWorkflow(db, language))
}

function readWorkflow(db: Database, language?: 'en' | 'ru'): Workflow {
  return {
    statuses: allStatuses(db)
      .all()
      .map((status) => ({
        ...status,
        name: language ? statusNameFor(language, status) : status.name,
        policies: new Set(JSON.parse(status.policies)),
      })),
    transitions: allTransitions(db).all(),
  }
}

const allStatuses = prepareOnce((db) => {
  // Raw SQL, because drizzle omits table names in a query of one table.
  const policies = sql<string>`(select json_group_array(type.key) from policy_status held
    join status_policies type on type.id = held.status_policy_id where held.status_id = statuses.id and held.value)`
  const all = db.select({ ...getTableColumns(statuses), policies }).from(statuses)
  return all.orderBy(asc(statuses.index), asc(statuses.id)).prepare()
})

const allTransitions = prepareOnce((db) => db.select().from(statusTransitions).orderBy(asc(statusTransitions.id)).prepare())

export function ordersByStatus(db: Database): Map<number, number> {
  const rows = tallies(db).all()
  return new Map(rows.map(({ status_id, count }) => [status_id, count]))
}

const tallies = prepareOnce((db) => {
  const rows = db.select({ status_id: orderTallies.status_id, count: sql<number>`sum(${orderTallies.count})` }).from(orderTallies)
  return rows.groupBy(orderTallies.status_id).prepare()
})
