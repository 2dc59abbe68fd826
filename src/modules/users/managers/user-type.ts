import { allOf, anyOf, group, has, ignoringScope, inOwnName } from '../../../core/access.ts'
import { form } from '../../../web/form/form.ts'
import { exceptSelf, exceptSuperadministrators, type UserFacts } from '../access.ts'
import { findUserInGroup } from '../accounts.ts'
import { staffFields } from '../fields.ts'
import { activeColumn, staffColumns, staffContain, staffRows } from '../list.ts'
import type { UserType } from '../user-type.ts'

import { companiesTab } from './companies-tab.ts'

const { image, lastname, name, middlename, position, phone, email, password, tg_id, last_auth, active } = staffFields

const managerForm = form({
  name: 'managers',
  groups: [
    { title: 'Personal details', fields: { image, lastname, name, middlename, position, tg_id, phone } },
    { title: 'Sign-in', fields: { email, password, last_auth, active } },
  ],
})

/** Managers (group 3). */
export function managerType(): UserType {
  const list = anyOf<UserFacts>(has('manager_can_view'))
  return {
    name: 'managers',
    group: group.manager,
    icon: 'user-check',
    title: 'Managers',
    roleLabel: 'Manager',
    addLabel: 'Add manager',
    newTitle: 'New manager',
    created: 'Manager added',
    question: 'Delete {count} managers?',
    done: '{count} managers deleted',
    may: {
      list,
      view: list,
      add: allOf(anyOf(has('manager_can_add')), anyOf(inOwnName)),
      edit: allOf(ignoringScope(list), anyOf(has('manager_can_edit')), exceptSuperadministrators),
      switch: allOf(ignoringScope(list), anyOf(has('manager_can_edit')), exceptSuperadministrators, exceptSelf),
      delete: allOf(ignoringScope(list), anyOf(has('manager_can_delete')), exceptSuperadministrators, exceptSelf),
    },
    form: managerForm,
    choices: () => ({}),
    find: findUserInGroup(group.manager),
    list: (db) => ({
      columns: [...staffColumns, { key: 'tg_id', label: 'Telegram' }, activeColumn],
      sort: { key: 'lastname', dir: 'asc' },
      find: staffContain,
      rows: staffRows(db),
    }),
    bulk: true,
    emailUnique: true,
    rightsPolicy: 'manager_can_edit_policy',
    tabs: [companiesTab],
  }
}
