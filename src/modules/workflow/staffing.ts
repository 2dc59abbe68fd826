import { type Group, group } from '../../core/access.ts'
import { type Party, parties } from '../../core/transition.ts'
import type { Staffing } from '../../core/workflow-faults.ts'
import type { Database } from '../../database/open.ts'
import { prepared } from '../../database/prepared.ts'

/** Which groups and parties have anybody active, who sees orders at all or is to be told of them. */
export function loadStaffing(db: Database): Staffing {
  const found = present(db).get() as Record<string, number>
  return {
    acting: new Set(Object.values(group).filter((one): one is Group => found[`acting_${one}`] === 1)),
    told: new Set(parties.filter((party): party is Party => found[`told_${party}`] === 1)),
  }
}

const seesAll = `exists (select 1 from user_policies held join policies on policies.id = held.policy_id
  where held.user_id = users.id and held.value and policies.key = 'order_can_view')`
const supervises = 'exists (select 1 from companies where companies.manager_id = users.id)'
const looksAfter = 'exists (select 1 from users dealers where dealers.manager_id = users.id and dealers.group_id = 2)'

const conditions = {
  acting_1: `group_id = 1 and (superadmin or ${seesAll})`,
  acting_2: 'group_id = 2 and company_id is not null',
  acting_3: `group_id = 3 and (${supervises} or superadmin or ${seesAll})`,
  acting_4: `group_id = 4 and (stock_id is not null or manufacture_id is not null or superadmin or ${seesAll})`,
  told_manager: `${supervises} or ${looksAfter}`,
  told_admin: 'group_id = 1',
  told_dealer: 'group_id = 2',
  told_make: 'group_id = 4 and manufacture_id is not null',
}

const present = prepared((db) => {
  const columns = Object.entries(conditions).map(
    ([name, condition]) => `exists (select 1 from users where active and (${condition})) as ${name}`,
  )
  return db.$client.prepare(`select ${columns.join(', ')}`)
})
