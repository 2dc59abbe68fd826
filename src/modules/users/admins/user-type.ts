import type { FastifyInstance } from 'fastify'
import { group } from '../../../core/access.ts'
import { groupNames } from '../../../core/labels.ts'
import { toggle } from '../../../web/form/fields.ts'
import { form } from '../../../web/form/form.ts'
import { findUserInGroup } from '../accounts.ts'
import { staffFields } from '../fields.ts'
import { activeColumn, staffColumns, staffContain, staffRows } from '../list.ts'
import { staffRules } from '../staff-rules.ts'
import type { UserType } from '../user-type.ts'

const { image, lastname, name, middlename, position, phone, email, password, invite, permission_set, tg_id, last_auth, active } =
  staffFields

const administratorForm = form({
  name: 'admins',
  groups: [
    { title: 'Personal details', fields: { image, lastname, name, middlename, position, phone, tg_id } },
    {
      title: 'Sign-in',
      fields: { email, password, invite, permission_set, last_auth, active, superadmin: toggle('Superadministrator', { only: 'edit' }) },
    },
  ],
})

export function administratorType({ rules }: FastifyInstance): UserType {
  return {
    name: 'admins',
    paths: {
      list: '/admins',
      add: '/admins/add',
      delete: '/admins/delete',
      edit: '/admins/edit/:id',
      rights: '/admins/edit/:id/rights',
      active: '/admins/:id/active',
    },
    group: group.administrator,
    icon: 'user-shield',
    title: groupNames[group.administrator],
    roleLabel: 'Administrator',
    addLabel: 'Add administrator',
    newTitle: 'New administrator',
    created: 'Administrator {name} added',
    question: 'Delete {count} administrators?',
    done: '{count} administrators deleted',
    may: staffRules(rules, 'admins'),
    form: administratorForm,
    choices: () => ({}),
    find: findUserInGroup(group.administrator),
    list: (db) => ({
      columns: [...staffColumns, { key: 'tg_id', label: 'Telegram' }, activeColumn],
      sort: { key: 'lastname', dir: 'asc' },
      find: staffContain,
      rows: staffRows(db),
    }),
    bulk: true,
    emailUnique: rules.administratorEmailUnique,
    rightsPolicy: 'admin_can_edit_policy',
  }
}
