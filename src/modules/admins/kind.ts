import type { FastifyInstance } from 'fastify'
import { all, anyOf, group, has, holding } from '../../core/access.ts'
import { toggle } from '../../web/form/fields.ts'
import type { Form } from '../../web/form/form.ts'
import { type PersonFacts, sparingOneself, sparingSuperadministrators } from '../people/access.ts'
import { peopleSearch, userFinder } from '../people/accounts.ts'
import { staffFields } from '../people/fields.ts'
import type { Kind } from '../people/kind.ts'
import { findStaff, staffColumns, staffRows } from '../people/list.ts'

const { image, lastname, name, middlename, position, phone, email, password, tg_id, last_auth, active } = staffFields

const form: Form = {
  name: 'admins',
  groups: [
    { title: 'Person', fields: { image, lastname, name, middlename, position, phone, tg_id } },
    { title: 'Sign-in', fields: { email, password, last_auth, active, superadmin: toggle('Superadministrator', { only: 'edit' }) } },
  ],
}

/** Administrators (group 1). */
export function administrators({ rules }: FastifyInstance): Kind {
  const list = anyOf<PersonFacts>(has('admin_can_view'))
  return {
    name: 'admins',
    group: group.administrator,
    icon: 'user-shield',
    title: 'Administrators',
    roleLabel: 'Administrator',
    addLabel: 'Add an administrator',
    newTitle: 'New administrator',
    created: 'The administrator has been registered.',
    question: 'Delete {count} administrators?',
    done: '{count} administrators deleted.',
    may: {
      list,
      view: list,
      add: anyOf(has('admin_can_add')),
      edit: all(holding(list), anyOf(has(rules.administratorSave)), sparingSuperadministrators),
      switch: all(holding(list), anyOf(has('admin_can_edit')), sparingSuperadministrators, sparingOneself),
      delete: all(holding(list), anyOf(has('admin_can_delete')), sparingSuperadministrators, sparingOneself),
    },
    form,
    choices: () => ({}),
    find: userFinder(group.administrator),
    searchOf: peopleSearch,
    list: (db) => ({
      columns: [...staffColumns, { key: 'tg_id', label: 'Telegram' }, { key: 'active', label: 'Active' }],
      sort: { key: 'lastname', dir: 'asc' },
      find: findStaff,
      rows: staffRows(db),
      template: 'people/rows.njk',
    }),
    bulk: true,
    emailUnique: rules.administratorEmailUnique,
    rights: 'admin_can_edit_policy',
  }
}
