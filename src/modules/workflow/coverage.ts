import { type Group, group } from '../../core/access.ts'
import { type Party, parties } from '../../core/transition-rules.ts'
import type { Coverage } from '../../core/workflow-lint.ts'
import { type Database, prepareOnce } from '../../database/index.ts'

export function loadCoverage(db: Database): Coverage {
  const coverage = coverageQuery(db).get() as Record<string, number>
  // A new installation has nobody yet, and that is no fault of its workflow.
  const covered = (name: string) => coverage.populated === 0 || coverage[name] === 1
  return {
    acting: new Set(Object.values(group).filter((one): one is Group => covered(`acting_${one}`))),
    notified: new Set(parties.filter((party): party is Party => covered(`notified_${party}`))),
  }
}

const seesAll = `(superadmin or exists (select 1 from user_policies held join policies on policies.id = held.policy_id
  where held.user_id = users.id and held.value and policies.key = 'order_can_view'))`

const someoneActive = (condition: string) => `exists (select 1 from users where active and ${condition})`
const activeSupervisor = (of: string) => `exists (select 1 from ${of} join users on users.id = of.manager_id where users.active)`

const conditions = {
  populated: 'exists (select 1 from users where group_id <> 1)',
  acting_1: someoneActive(`group_id = 1 and ${seesAll}`),
  acting_2: someoneActive('group_id = 2 and company_id is not null'),
  acting_3: someoneActive(`group_id = 3 and (exists (select 1 from companies where manager_id = users.id) or ${seesAll})`),
  acting_4: someoneActive(`group_id = 4 and (stock_id is not null or manufacture_id is not null or ${seesAll})`),
  // Companies first: there are far fewer of them than users, who are checked only when no company has a manager.
  notified_manager: `${activeSupervisor('companies of')} or ${activeSupervisor('users of')}`,
  notified_admin: someoneActive('group_id = 1'),
  notified_dealer: someoneActive('group_id = 2'),
  notified_make: someoneActive('group_id = 4 and manufacture_id is not null'),
}

const coverageQuery = prepareOnce((db) => {
  const columns = Object.entries(conditions).map(([name, condition]) => `(${condition}) as ${name}`)
  return db.$client.prepare(`select ${columns.join(', ')}`)
})
