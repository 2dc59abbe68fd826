import { allOf, anyOf, either, everyone, isGroup, type Ownership, type Rule } from '../../../core/access.ts'
import type { UserFacts } from '../access.ts'
import { exceptProtectedUsers, maySetRight, rightsEditorRule } from '../rights/access.ts'
import type { UserType } from '../user-type.ts'
import type { AccessRequest } from './access-request.ts'

const rightsHeldByActor: Ownership<AccessRequest> = {
  description: 'permissions you have yourself',
  predicate: (actor, request) => maySetRight(actor, request.key, true),
}

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
