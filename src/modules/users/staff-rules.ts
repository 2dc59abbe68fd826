import { allOf, anyOf, has, ignoringScope, inOwnName } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import type { Rules } from '../../core/specification-rules.ts'
import { exceptSelf, exceptSuperadministrators, type UserFacts } from './access.ts'
import type { UserType } from './user-type.ts'

type Staff = Exclude<UserType['name'], 'dealers'>
type StaffPolicies = Record<Exclude<keyof UserType['may'], 'list' | 'rowEdit'>, PolicyKey> & { rowEdit?: PolicyKey }

/** The policies in which administrators, managers and production users differ. As specified, some are borrowed from managers. */
const staffPolicies = (rules: Rules): Record<Staff, StaffPolicies> => ({
  admins: {
    view: 'admin_can_view',
    add: 'admin_can_add',
    edit: rules.administratorSave,
    switch: 'admin_can_edit',
    delete: 'admin_can_delete',
  },
  managers: {
    view: 'manager_can_view',
    add: 'manager_can_add',
    edit: 'manager_can_edit',
    switch: 'manager_can_edit',
    delete: 'manager_can_delete',
  },
  productions: {
    view: 'production_can_view',
    add: 'production_can_add',
    edit: 'production_can_edit',
    switch: 'production_can_edit',
    delete: rules.productionRowDelete,
    rowEdit: rules.productionRowEdit,
  },
})

export function staffRules(rules: Rules, staff: Staff): UserType['may'] {
  const policies = staffPolicies(rules)[staff]
  const list = anyOf<UserFacts>(has(policies.view))
  const changing = (policy: PolicyKey) => allOf(ignoringScope(list), anyOf<UserFacts>(has(policy)), exceptSuperadministrators)
  const edit = changing(policies.edit)
  return {
    list,
    view: list,
    add: allOf(anyOf(has(policies.add)), anyOf(inOwnName)),
    edit,
    switch: allOf(changing(policies.switch), exceptSelf),
    delete: allOf(changing(policies.delete), exceptSelf),
    // The action leads to the card, so it must not promise what the card refuses.
    ...(policies.rowEdit && { rowEdit: allOf(anyOf<UserFacts>(has(policies.rowEdit)), edit) }),
  }
}
