import type { FastifyRequest } from 'fastify'
import { allows, checkAccess, group } from '../../core/access.ts'
import { groupNames } from '../../core/labels.ts'
import { requireRecentPassword } from '../../http/access/recent-password.ts'
import type { Context } from '../../http/request/context.ts'
import { type FormInput, inputOf } from '../../http/request/input.ts'
import { formatDate } from '../../i18n/format.ts'
import { openList } from '../../records/card/list-tabs.ts'
import { choice, option } from '../../records/fields/index.ts'
import { whenAsked } from '../../records/form/choices.ts'
import { type FormState, inState } from '../../records/form/form.ts'
import { type Card, cardPart, listTab, type Tab, tabQuery } from '../../records/kind/card.ts'
import { addressFields, notificationFields } from '../notifications/channels.ts'
import { mayReadSecurityLog, ofUser, securityLogList } from '../security-log/list.ts'
import { isSelf, maySetCredentials } from './access.ts'
import { accessTab } from './access-tab.ts'
import { createAccount, updateAccount } from './accounts.ts'
import { guardAdministrator } from './administrators.ts'
import { userTokensTab } from './api-tokens/tab.ts'
import { preferenceFields } from './fields.ts'
import { mayImpersonate } from './impersonation.ts'
import { invitationOf } from './invitations/invitation.ts'
import { sendInvitation } from './invitations/send-invitation.ts'
import { invitationTab } from './invitations/tab.ts'
import { describePerson } from './person-facts.ts'
import { applySet, setChoices } from './rights/permission-sets.ts'
import { grantedKeys } from './rights/rights.ts'
import { rightsTab } from './rights/tab.ts'
import { userSessionsTab } from './sessions.ts'
import { noPassword, type User, userLabel } from './user.ts'
import type { UserForm, UserType } from './user-type.ts'

const extraUserFields = {
  group_id: option('Group', groupNames),
  manager_id: choice('Manager'),
  ...preferenceFields,
  ...notificationFields,
}

/** Who was invited gets in once they have a password. */
function describeAccount({ server, t }: Context, { id, active, password }: User) {
  if (!active) return { state: 'off' as const, text: t('Deactivated') }
  const invitation = password === noPassword ? invitationOf(server.db, id) : undefined
  if (invitation?.state !== 'invited') return { state: 'on' as const, text: t('Active') }
  return { state: 'off' as const, text: t('Invited on {date}', { date: formatDate(invitation.at) }) }
}

export function userCard(userType: UserType): Card<User, UserForm> {
  return {
    list: userType.name,
    path: `/${userType.name}`,
    form: userType.form,
    may: userType.may,
    find: userType.find,
    titleOf: userLabel,
    head: {
      state: describeAccount,
      picture: ({ image }) => image,
      facts: (context, user) => describePerson(context, userType, user),
      menu: (request, user) => [
        ...(allows(mayImpersonate, request.actor, user)
          ? [{ label: request.t('Sign in as'), icon: 'login', href: `/impersonate/${user.id}` }]
          : []),
        ...(userType.menu?.(request, user) ?? []),
      ],
    },
    overview: userType.overview,
    panel: userType.panel,
    related: userType.related,
    shared: sharedFields,
    formState: (context, user, input) => userFormState(userType, context, user, input),
    creation: {
      title: userType.newTitle,
      done: userType.created,
      again: userType.again ?? (() => ({})),
      create: (request, { invite, password, permission_set, ...values }) => {
        const account = { ...values, password: password ?? noPassword, ...userType.initialValues?.(request, values) }
        const id = createAccount(request.server.db, userType.group, account, request.author, (key) => checkAccess(request.actor, key))
        const user = userType.find(request.server.db, id) as User
        guardAdministrator(request, user, 'administrator-added')
        if (permission_set) applySet(request, user, permission_set)
        if (invite) sendInvitation(request, user)
        return id
      },
    },
    save: (request, user, { orders, ...values }) => {
      if (isSensitive(user, values)) requireRecentPassword(request)
      if (values.superadmin !== undefined && values.superadmin !== user.superadmin)
        guardAdministrator(request, user, 'administrator-rights')
      if (values.active && !user.active) guardAdministrator(request, user, 'administrator-added')
      const taken = userType.beforeSave?.(request, user, { company_id: values.company_id, orders })
      updateAccount(request.server, user, values, request.author, taken)
    },
    next: (request, user, before) => {
      if (before) return before.active && !user.active ? userType.askFirst?.(request, before) : undefined
      return isInviting(inputOf(request)) ? `/${userType.name}/edit/${user.id}${tabQuery(request, 'invitation')}` : undefined
    },
    extraFields: extraUserFields,
    tabs: [
      ...(userType.rightsPolicy ? [rightsTab(userType, userType.rightsPolicy)] : []),
      ...(userType.tabs ?? []),
      accessTab(userType),
      invitationTab(userType),
      userSessionsTab(userType),
      userTokensTab(userType),
      securityLogTab(`/${userType.name}`),
    ],
  }
}

/** As specified, administrators may be given the email of others. */
function sharedFields({ server: { rules } }: Context, user: User | undefined): string[] {
  return user?.group_id === group.administrator && !rules.administratorEmailUnique ? ['email'] : []
}

function isSensitive(user: User, { email = user.email, password, superadmin = user.superadmin }: Partial<User>): boolean {
  return Boolean(password) || email !== user.email || superadmin !== user.superadmin
}

function userFormState(userType: UserType, context: Context, user: User | undefined, input: FormInput): FormState {
  const choices = userType.choices?.(context, user, input) ?? {}
  if (!user) {
    const permission_set = setChoices(context, userType)
    return {
      mode: 'create',
      stored: { active: true, invite: true, ...userType.suggested?.(context, input) },
      choices: permission_set ? whenAsked({ permission_set: () => permission_set }, choices) : choices,
      states: {
        ...inState('locked', lockedAlways(context)),
        ...inState('hidden', permission_set ? [] : ['permission_set']),
        ...inState('optional', isInviting(input) ? ['password'] : []),
      },
    }
  }
  const own = userType.formState?.(context, user)
  return {
    mode: 'edit',
    stored: { ...user },
    choices,
    ...own,
    states: { ...inState('locked', lockedFields(context, user)), ...own?.states },
    ...(user.id === context.actor.id && { hints: { password: { text: 'Change your password on your profile', path: '/profile' } } }),
  }
}

/** Only superadministrators say how much discount a manager may give. */
function lockedAlways({ actor }: Context): Set<string> {
  return new Set(actor.superadmin && !actor.impersonator ? [] : ['discount_limit'])
}

/** Only superadministrators create superadministrators; nobody deactivates or promotes themselves, or moves to where they would see other orders. */
function lockedFields(context: Context, user: User): Set<string> {
  const { actor, server } = context
  const locked = lockedAlways(context)
  if (!actor.superadmin || actor.impersonator) locked.add('superadmin')
  if (actor.impersonator) for (const name of Object.keys(addressFields)) locked.add(name)
  if (!maySetCredentials(actor, grantedKeys(server.db, user.id)))
    for (const name of ['email', 'password', ...Object.keys(addressFields)]) locked.add(name)
  if (isSelf(actor, user)) for (const name of ['active', 'password']) locked.add(name)
  if (isSelf(actor, user) && !actor.superadmin) for (const name of ['stock_id', 'manufacture_id']) locked.add(name)
  return locked
}

function securityLogTab<R extends { id: number }>(cardPath: string): Tab<R> {
  return {
    name: 'security-log',
    label: 'Security log',
    icon: 'shield-lock',
    rule: mayReadSecurityLog,
    ...cardPart(listTab, (request: FastifyRequest, record: R) => viewOfEvents(request, cardPath, record.id)),
  }
}

function viewOfEvents(request: FastifyRequest, cardPath: string, id: number) {
  const place = { path: `${cardPath}/edit/${id}`, query: { tab: 'security-log' } }
  const list = securityLogList(request.server.db, { name: 'security-log', title: 'Security log', place, baseCondition: ofUser(id) })
  return openList(request, list)
}

function isInviting({ texts }: FormInput): boolean {
  return texts.get('invite') === '1'
}
