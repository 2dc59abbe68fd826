import type { FastifyInstance } from 'fastify'
import { group } from '../../../core/access.ts'
import { groupNames } from '../../../core/labels.ts'
import { form } from '../../../web/form/form.ts'
import { findUserInGroup } from '../accounts.ts'
import { staffFields } from '../fields.ts'
import { activeColumn, staffColumns, staffContain, staffRows } from '../list.ts'
import { staffRules } from '../staff-rules.ts'
import type { UserType } from '../user-type.ts'
import { companiesTab } from './companies-tab.ts'
import { handOverAddress, handOverMenu, managerDeletion } from './hand-over.ts'

const { image, lastname, name, middlename, position, phone, email, password, invite, permission_set, tg_id, last_auth, active } =
  staffFields

const managerForm = form({
  name: 'managers',
  groups: [
    { title: 'Personal details', fields: { image, lastname, name, middlename, position, tg_id, phone } },
    { title: 'Sign-in', fields: { email, password, invite, permission_set, last_auth, active } },
  ],
})

export function managerType({ rules }: FastifyInstance): UserType {
  return {
    name: 'managers',
    paths: {
      list: '/managers',
      add: '/managers/add',
      delete: '/managers/delete',
      edit: '/managers/edit/:id',
      rights: '/managers/edit/:id/rights',
      active: '/managers/:id/active',
    },
    group: group.manager,
    icon: 'user-check',
    title: groupNames[group.manager],
    roleLabel: 'Manager',
    addLabel: 'Add manager',
    newTitle: 'New manager',
    created: 'Manager {name} added',
    question: 'Delete {count} managers?',
    done: '{count} managers deleted',
    may: staffRules(rules, 'managers'),
    form: managerForm,
    choices: () => ({}),
    find: findUserInGroup(group.manager),
    list: (db) => ({
      columns: [...staffColumns, { key: 'tg_id', label: 'Telegram' }, activeColumn],
      sort: { key: 'lastname', dir: 'asc' },
      find: staffContain,
      rows: staffRows(db),
    }),
    deletion: managerDeletion,
    askFirst: (request, manager) => handOverAddress(request, manager, '?deactivate=1'),
    menuOf: handOverMenu,
    bulk: true,
    emailUnique: true,
    rightsPolicy: 'manager_can_edit_policy',
    tabs: [companiesTab],
  }
}
