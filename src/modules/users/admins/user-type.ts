import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, group, has, ignoringScope, inOwnName } from '../../../core/access.ts'
import { toggle } from '../../../web/form/fields.ts'
import { form } from '../../../web/form/form.ts'
import { exceptSelf, exceptSuperadministrators, type UserFacts } from '../access.ts'
import { findUserInGroup } from '../accounts.ts'
import { staffFields } from '../fields.ts'
import { activeColumn, staffColumns, staffContain, staffRows } from '../list.ts'
import type { UserType } from '../user-type.ts'

const { image, lastname, name, middlename, position, phone, email, password, tg_id, last_auth, active } = staffFields

const administratorForm = form({
  name: 'admins',
  groups: [
    { title: 'Personal details', fields: { image, lastname, name, middlename, position, phone, tg_id } },
    { title: 'Sign-in', fields: { email, password, last_auth, active, superadmin: toggle('Superadministrator', { only: 'edit' }) } },
  ],
})

/** Administrators (group 1). */
export function administratorType({ rules }: FastifyInstance): UserType {
  const list = anyOf<UserFacts>(has('admin_can_view'))
  return {
    name: 'admins',
    group: group.administrator,
    icon: 'user-shield',
    title: 'Administrators',
    roleLabel: 'Administrator',
    addLabel: 'Add administrator',
    newTitle: 'New administrator',
    created: 'Administrator added',
    question: 'Delete {count} administrators?',
    done: '{count} administrators deleted',
    may: {
      list,
      view: list,
      add: allOf(anyOf(has('admin_can_add')), anyOf(inOwnName)),
      edit: allOf(ignoringScope(list), anyOf(has(rules.administratorSave)), exceptSuperadministrators),
      switch: allOf(ignoringScope(list), anyOf(has('admin_can_edit')), exceptSuperadministrators, exceptSelf),
      delete: allOf(ignoringScope(list), anyOf(has('admin_can_delete')), exceptSuperadministrators, exceptSelf),
    },
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
