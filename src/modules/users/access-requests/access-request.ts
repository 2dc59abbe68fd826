import { and, asc, desc, eq, getTableColumns, inArray } from 'drizzle-orm'
import { allOf, allows, anyOf, checkAccess, either, everyone, isGroup, owned, type Rule } from '../../../core/access.ts'
import { type PolicyKey, policyCatalog } from '../../../core/policies.ts'
import { hasControlCharacters, isLongerThan, stripBidiControls } from '../../../core/text.ts'
import {
  type Author,
  accessRequests,
  cachedUntilWrite,
  type Database,
  isOpenRequest,
  policies,
  prepareOnce,
  users,
} from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import { type UserFacts, withoutImpersonation } from '../access.ts'
import { exceptProtectedUsers, maySetRight, rightsEditorRule } from '../rights/access.ts'
import type { UserType } from '../user-type.ts'

export type AccessRequest = ReturnType<typeof openAccessRequests>[number]

export const findAccessRequest: FindRecord<AccessRequest> = (db, id) => byId(db).get({ id })

export const openAccessRequests = (db: Database) => cachedUntilWrite(db, 'open access requests', () => open(db).all())

export const accessRequestsOf = (db: Database, userId: number) => byUser(db).all({ user: userId })

export function closeAccessRequests(db: Database, userId: number, policyIds: number[], state: 'granted' | 'declined', author: Author) {
  const open = and(eq(accessRequests.user_id, userId), eq(accessRequests.state, 'open'), inArray(accessRequests.policy_id, policyIds))
  db.update(accessRequests).set({ state, decided_by: author.id, decided_at: Date.now() }).where(open).run()
}

const byId = prepareOnce((db, params) => selectAccessRequests(db).where(eq(accessRequests.id, params.id)).prepare())

const open = prepareOnce((db) =>
  selectAccessRequests(db)
    .where(and(isOpenRequest, eq(users.active, true)))
    .orderBy(asc(accessRequests.id))
    .prepare(),
)

const byUser = prepareOnce((db, params) =>
  selectAccessRequests(db).where(eq(accessRequests.user_id, params.user)).orderBy(desc(accessRequests.id)).limit(100).prepare(),
)

function selectAccessRequests(db: Database) {
  const { id: _, description, ...policy } = getTableColumns(policies)
  return db
    .select({ ...getTableColumns(accessRequests), ...policy, person: getTableColumns(users) })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.user_id))
    .innerJoin(policies, eq(policies.id, accessRequests.policy_id))
}

const rightsHeldByActor = owned<AccessRequest>('permissions you have yourself', (actor, request) => maySetRight(actor, request.key, true))

export function requestRule(userTypes: readonly UserType[]): Rule<AccessRequest> {
  return anyOf(...userTypes.map((userType) => isGroup<AccessRequest>(userType.group)))
}

export function decisionRule(userTypes: readonly UserType[]): Rule<AccessRequest> {
  const editorRules = userTypes.flatMap((userType) =>
    userType.rightsPolicy ? [forUserType(userType, rightsEditorRule(userType, userType.rightsPolicy))] : [],
  )
  return allOf(requestRule(userTypes), either(...editorRules), applyToRequester(exceptProtectedUsers), anyOf(everyone(rightsHeldByActor)))
}

function forUserType(userType: UserType, rule: Rule<UserFacts>): Rule<AccessRequest> {
  return applyToRequester(rule).map((grants) =>
    grants.map(({ permission, scope }) => ({
      permission,
      scope: {
        description: requestScopeDescriptions[userType.name],
        predicate: (actor, request) => request.person.group_id === userType.group && (!scope || scope.predicate(actor, request)),
      },
    })),
  )
}

const requestScopeDescriptions: Record<UserType['name'], string> = {
  admins: 'requests of administrators',
  dealers: 'requests of dealers',
  managers: 'requests of managers',
  productions: 'requests of production users',
}

function applyToRequester(rule: Rule<UserFacts>): Rule<AccessRequest> {
  return rule.map((grants) =>
    grants.map(({ permission, scope }) => ({
      permission,
      ...(scope && { scope: { description: scope.description, predicate: (actor, request) => scope.predicate(actor, request.person) } }),
    })),
  )
}

const noteLimit = 500

export type AccessRequestForm = ReturnType<typeof buildAccessRequestForm>

export function buildAccessRequestForm({ server, actor }: Context, keys: PolicyKey[], typed: { note?: string; error?: string } = {}) {
  const wanted = keys.filter((key) => !checkAccess(actor, key))
  if (wanted.length === 0 || !allows(withoutImpersonation, actor, undefined)) return undefined
  const openRequests = accessRequestsOf(server.db, actor.id).filter(({ state, key }) => state === 'open' && wanted.includes(key))
  const choices = wanted.filter((key) => !openRequests.some((one) => one.key === key)).map((key) => ({ key, ...policyCatalog[key] }))
  const query = new URLSearchParams(keys.map((key): [string, string] => ['policy_key', key]))
  return { ...typed, choices, openRequests, noteLimit, once: crypto.randomUUID(), query }
}

/** Line breaks count as one character, as in browsers. */
export function readNote(text: string | null): { note: string; error?: string } {
  const note = stripBidiControls(text ?? '')
    .replaceAll('\r\n', '\n')
    .trim()
  if (hasControlCharacters(note)) return { note, error: 'Remove unsupported characters.' }
  return isLongerThan(note, noteLimit) ? { note, error: 'Up to {max} characters.' } : { note }
}
