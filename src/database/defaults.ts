import { eq, inArray, sql } from 'drizzle-orm'
import { group, roleDefaults } from '../core/access.ts'
import { defaultStatuses, defaultTransitions, type StatusPolicyKey, statusPolicyNames } from '../core/default-workflow.ts'
import { defaultPermissionSets } from '../core/permission-sets.ts'
import { type PolicyKey, policyCatalog, policyKeys } from '../core/policies.ts'
import type { Database } from './open.ts'
import { write } from './open.ts'
import {
  permissionSets,
  policies,
  policyStatus,
  seeded,
  settings,
  statuses,
  statusPolicies,
  statusTransitions,
  userPolicies,
  users,
} from './schema/index.ts'

/** Says of an installation that its first steps have been shown from the start, and go on until somebody puts them away. */
export const firstStepsBegun = 'first step: begun'

/** Creates the records the cabinet cannot work without; run after each migration. */
export function seedDefaults(db: Database, language: 'en' | 'ru'): void {
  write(db, () => {
    seedPolicies(db)
    if (isNew(db)) seedOnce(db, firstStepsBegun, () => {})
    db.insert(settings)
      .values({ id: 1, catalog: isNew(db) })
      .onConflictDoNothing()
      .run()
    seedOnce(db, 'statuses', () => seedStatuses(db, language))
    seedOnce(db, 'permission sets', () => seedPermissionSets(db, language))
  })
}

/** Orders of an installation that exists go on as they are. */
function isNew(db: Database): boolean {
  return db.select({ id: users.id }).from(users).limit(1).get() === undefined
}

/** A policy that is new is given to everybody whose group has it by default; texts follow the catalog. */
function seedPolicies(db: Database): void {
  const known = new Set(
    db
      .select({ key: policies.key })
      .from(policies)
      .all()
      .map(({ key }) => key),
  )
  for (const key of policyKeys) {
    const { groups, ...text } = policyCatalog[key]
    db.insert(policies)
      .values({ key, ...text })
      .onConflictDoUpdate({ target: policies.key, set: text })
      .run()
    if (!known.has(key)) grantByDefault(db, key)
  }
}

function grantByDefault(db: Database, key: PolicyKey): void {
  const groups = Object.values(group).filter((id) => roleDefaults[id].includes(key))
  db.run(sql`insert or ignore into ${userPolicies} (user_id, policy_id, value)
    select ${users.id}, ${policies.id}, 1 from ${users} cross join ${policies} where ${inArray(users.group_id, groups)} and ${policies.key} = ${key}`)
}

function seedPermissionSets(db: Database, language: 'en' | 'ru'): void {
  for (const { key, name, keys } of defaultPermissionSets)
    db.insert(permissionSets)
      .values({ name: name[language], seed_key: key, keys: [...keys] })
      .onConflictDoNothing()
      .run()
}

function seedOnce(db: Database, name: string, seed: () => void): void {
  if (db.select().from(seeded).where(eq(seeded.name, name)).get()) return
  seed()
  db.insert(seeded).values({ name, at: Date.now() }).run()
}

function seedStatuses(db: Database, language: 'en' | 'ru'): void {
  const ids = new Map(defaultStatuses.map((status) => [status.status_key, status.id]))
  defaultStatuses.forEach(({ id, status_key, name, color, due, notify }, index) => {
    const flags = {
      notify_manager: notify.includes('manager'),
      notify_admin: notify.includes('admin'),
      notify_dealer: notify.includes('dealer'),
      notify_make: notify.includes('make'),
    }
    const status = { id, index: index + 1, status_key, name: name[language], seed_key: status_key, color, due, ...flags }
    db.insert(statuses).values(status).run()
  })
  for (const { from, to, action, ...transition } of defaultTransitions) {
    const [parent_status_id, child_status_id] = [from, to].map((key) => ids.get(key)) as [number, number]
    db.insert(statusTransitions)
      .values({ parent_status_id, child_status_id, action_name: action[language], seed_key: to, ...transition })
      .run()
  }
  for (const [key, name] of Object.entries(statusPolicyNames)) seedStatusPolicy(db, key as StatusPolicyKey, name[language])
}

function seedStatusPolicy(db: Database, key: StatusPolicyKey, name: string): void {
  const { lastInsertRowid } = db.insert(statusPolicies).values({ key, name }).run()
  for (const status of defaultStatuses)
    db.insert(policyStatus)
      .values({ status_id: status.id, status_policy_id: Number(lastInsertRowid), value: status.policies.includes(key) })
      .run()
}
