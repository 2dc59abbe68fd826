import { all, anyOf, group, has, holding } from '../../core/access.ts'
import type { Form } from '../../web/form/form.ts'
import { type PersonFacts, sparingOneself, sparingSuperadministrators } from '../people/access.ts'
import { peopleSearch, userFinder } from '../people/accounts.ts'
import { staffFields } from '../people/fields.ts'
import type { Kind } from '../people/kind.ts'
import { findStaff, staffColumns, staffRows } from '../people/list.ts'

import { companiesTab } from './companies-tab.ts'

const { image, lastname, name, middlename, position, phone, email, password, tg_id, last_auth, active } = staffFields

const form: Form = {
  name: 'managers',
  groups: [
    { title: 'Person', fields: { image, lastname, name, middlename, position, tg_id, phone } },
    { title: 'Sign-in', fields: { email, password, last_auth, active } },
  ],
}

/** Managers (group 3). */
export function managers(): Kind {
  const list = anyOf<PersonFacts>(has('manager_can_view'))
  return {
    name: 'managers',
    group: group.manager,
    icon: 'user-check',
    title: 'Managers',
    roleLabel: 'Manager',
    addLabel: 'Add a manager',
    newTitle: 'New manager',
    created: 'The manager has been registered.',
    question: 'Delete {count} managers?',
    done: '{count} managers deleted.',
    may: {
      list,
      view: list,
      add: anyOf(has('manager_can_add')),
      edit: all(holding(list), anyOf(has('manager_can_edit')), sparingSuperadministrators),
      switch: all(holding(list), anyOf(has('manager_can_edit')), sparingSuperadministrators, sparingOneself),
      delete: all(holding(list), anyOf(has('manager_can_delete')), sparingSuperadministrators, sparingOneself),
    },
    form,
    choices: () => ({}),
    find: userFinder(group.manager),
    searchOf: peopleSearch,
    list: (db) => ({
      columns: [...staffColumns, { key: 'tg_id', label: 'Telegram' }, { key: 'active', label: 'Active' }],
      sort: { key: 'lastname', dir: 'asc' },
      find: findStaff,
      rows: staffRows(db),
      template: 'people/rows.njk',
    }),
    bulk: true,
    emailUnique: true,
    rights: 'manager_can_edit_policy',
    tabs: [companiesTab],
  }
}
