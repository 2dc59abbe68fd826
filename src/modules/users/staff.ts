import { eq, type SQL, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, type Group, group, has, ignoringScope, inOwnName } from '../../core/access.ts'
import { groupNames } from '../../core/labels.ts'
import type { PolicyKey } from '../../core/policies.ts'
import { digitsOf, manufactures, stocks, users } from '../../database/index.ts'
import { parseId } from '../../http/request/input.ts'
import { type Choice, choice, number, toggle } from '../../records/fields/index.ts'
import { whenAsked } from '../../records/form/choices.ts'
import { form } from '../../records/form/form.ts'
import type { ImportPart } from '../../records/kind/registry.ts'
import { nameChoices } from '../../records/list/record-filters.ts'
import { addressFields } from '../notifications/channels.ts'
import { exceptSelf, exceptSuperadministrators, type UserFacts } from './access.ts'
import { deputiesTab } from './deputies/tab.ts'
import { staffFields } from './fields.ts'
import { fullNameColumn } from './full-name.ts'
import { invitationOfNew } from './invitations/send-invitation.ts'
import { activeColumn, placeColumns, staffColumns, staffRows, telegramColumn } from './list.ts'
import { companiesTab } from './managers/companies-tab.ts'
import { handOverAddress, handOverMenu, managerDeletion } from './managers/hand-over.ts'
import { findSeededSet } from './rights/permission-sets.ts'
import { findUserInGroup, noPassword } from './user.ts'
import type { UserType } from './user-type.ts'

const { password, invite, permission_set, last_auth, email, active, ...names } = staffFields
const signIn = { email, password, invite, permission_set, last_auth, active }

const extras = ['invite', 'permission_set'] as const

const discountLimit = number('Highest agreed discount, %', {
  least: 0,
  most: 100,
  hint: 'On orders and in the terms of companies. Empty: no agreed discounts, and terms as rights allow. Only superadministrators set it.',
})

/** Orders are seen by the site or the warehouse of their company. */
const seesNothing = 'Without a production site or a warehouse this person sees no orders at all.'

const forms = {
  admins: form(
    users,
    [
      { title: 'Personal details', fields: { ...names, ...addressFields } },
      { title: 'Sign-in', fields: { ...signIn, superadmin: toggle('Superadministrator', { only: 'edit' }) } },
    ],
    { extras },
  ),
  managers: form(
    users,
    [
      { title: 'Personal details', fields: { ...names, ...addressFields } },
      { title: 'Agreed discounts', folds: true, fields: { discount_limit: discountLimit } },
      { title: 'Sign-in', fields: signIn },
    ],
    { extras },
  ),
  productions: form(
    users,
    [
      { title: 'Personal details', fields: names },
      { title: 'Workplace', fields: { manufacture_id: choice('Production site', { hint: seesNothing }), stock_id: choice('Warehouse') } },
      { title: 'Sign-in', fields: signIn },
    ],
    { extras },
  ),
}

/** Managers are named as deputies on their own profile, too. */
export const managersMay = staffRules({
  view: 'manager_can_view',
  add: 'manager_can_add',
  edit: 'manager_can_edit',
  delete: 'manager_can_delete',
})

export function staffTypes({ db, rules }: FastifyInstance): Record<keyof typeof forms, UserType> {
  const list = {
    columns: [...staffColumns, telegramColumn, activeColumn],
    sort: { key: 'lastname', dir: 'asc' },
    find: [...personTexts, users.tg_id],
    rows: staffRows(db),
  } as const
  return {
    managers: {
      name: 'managers',
      group: group.manager,
      find: findUserInGroup(group.manager),
      icon: 'user-check',
      letter: 's',
      title: groupNames[group.manager],
      roleLabel: 'Manager',
      addLabel: 'Add manager',
      newTitle: 'New manager',
      created: 'Manager {name} added',
      question: 'Delete {count} managers?',
      done: '{count} managers deleted',
      may: managersMay,
      rightsPolicy: 'manager_can_edit_policy',
      form: forms.managers,
      suggested: (context) => ({ permission_set: findSeededSet(context.server.db, 'manager')?.id }),
      list: () => list,
      deletion: managerDeletion,
      askFirst: (request, manager) => handOverAddress(request, manager, '?deactivate=1'),
      menu: handOverMenu,
      imports: staffImports(group.manager),
      tabs: [companiesTab, deputiesTab(managersMay)],
    },
    productions: {
      name: 'productions',
      group: group.production,
      find: findUserInGroup(group.production),
      icon: 'tools',
      letter: 'v',
      title: groupNames[group.production],
      roleLabel: 'Production user',
      addLabel: 'Add production user',
      newTitle: 'New production user',
      created: 'Production user {name} added',
      question: 'Delete {count} production users?',
      done: '{count} production users deleted',
      // As specified, some are borrowed from managers.
      may: staffRules({
        view: 'production_can_view',
        add: 'production_can_add',
        edit: 'production_can_edit',
        delete: rules.productionRowDelete,
        rowEdit: rules.productionRowEdit,
      }),
      rightsPolicy: 'production_can_edit_policy',
      form: forms.productions,
      choices: () => whenAsked({ stock_id: () => nameChoices(db, stocks), manufacture_id: () => nameChoices(db, manufactures) }),
      suggested: (_, { query }) => ({
        stock_id: parseId(query.get('stock')),
        manufacture_id: parseId(query.get('site')) ?? onlyOf(nameChoices(db, manufactures)),
      }),
      again: ({ stock_id, manufacture_id }) => ({
        ...(stock_id && { stock: String(stock_id) }),
        ...(manufacture_id && { site: String(manufacture_id) }),
      }),
      facts: ({ t }, user) => [
        { label: 'Job title', text: user.position },
        ...(!user.manufacture_id && !user.stock_id ? [{ label: 'Workplace', text: t('None: sees no orders'), late: true }] : []),
      ],
      list: () => ({
        ...list,
        columns: [...staffColumns, ...placeColumns, telegramColumn, activeColumn],
        find: [...personTexts, nameOf(stocks, users.stock_id), nameOf(manufactures, users.manufacture_id)],
      }),
      single: true,
      imports: staffImports(group.production),
    },
    admins: {
      name: 'admins',
      group: group.administrator,
      find: findUserInGroup(group.administrator),
      icon: 'user-shield',
      letter: 'a',
      title: groupNames[group.administrator],
      roleLabel: 'Administrator',
      addLabel: 'Add administrator',
      newTitle: 'New administrator',
      created: 'Administrator {name} added',
      question: 'Delete {count} administrators?',
      done: '{count} administrators deleted',
      may: staffRules({
        view: 'admin_can_view',
        add: 'admin_can_add',
        edit: rules.administratorSave,
        switch: 'admin_can_edit',
        delete: 'admin_can_delete',
      }),
      rightsPolicy: 'admin_can_edit_policy',
      form: forms.admins,
      list: () => list,
    },
  }
}

/** Where there is no choice it is made. */
const onlyOf = (choices: Choice[]) => (choices.length === 1 ? choices[0]?.id : undefined)

/** Nobody is given a password by a sheet: whoever is added is invited. */
const staffImports = (of: Group): ImportPart => ({
  keys: ['email'],
  unique: 'email',
  initial: { password: noPassword },
  splits: { full_name: fullNameColumn },
  invitation: invitationOfNew(of),
})

type StaffPolicies = Record<'view' | 'add' | 'edit' | 'delete', PolicyKey> & { switch?: PolicyKey; rowEdit?: PolicyKey }

function staffRules(policies: StaffPolicies): UserType['may'] {
  const list = anyOf<UserFacts>(has(policies.view))
  const changing = (policy: PolicyKey) => allOf(ignoringScope(list), anyOf<UserFacts>(has(policy)), exceptSuperadministrators)
  const edit = changing(policies.edit)
  return {
    list,
    view: list,
    add: allOf(anyOf(has(policies.add)), anyOf(inOwnName)),
    edit,
    switch: allOf(changing(policies.switch ?? policies.edit), exceptSelf),
    delete: allOf(changing(policies.delete), exceptSelf),
    // The action leads to the card, so it must not promise what the card refuses.
    ...(policies.rowEdit && { rowEdit: allOf(anyOf<UserFacts>(has(policies.rowEdit)), edit) }),
  }
}

const personTexts = [users.lastname, users.name, users.middlename, users.email, users.phone, digitsOf(users.phone)]

type Workplaces = typeof stocks | typeof manufactures

function nameOf(workplaces: Workplaces, id: typeof users.stock_id | typeof users.manufacture_id): SQL {
  return sql`(select ${workplaces.name} from ${workplaces} where ${eq(workplaces.id, id)})`
}
