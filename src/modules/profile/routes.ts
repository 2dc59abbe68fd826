import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { companies, type Database, users } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import { requireRecentPassword } from '../../http/access/recent-password.ts'
import { lacksRequiredFactor } from '../../http/access/second-factor.ts'
import { openSession } from '../../http/access/session.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound, type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import { currentPassword, password, readOnlyText } from '../../records/fields/index.ts'
import { viewOfFormWithConflicts } from '../../records/form/conflict-view.ts'
import { type EditValues, type Entry, type FormState, form, inState } from '../../records/form/form.ts'
import { type Conflict, formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { type CardFrame, formCard, formTab, type Tab, tabLinks } from '../../records/kind/card.ts'
import { type Company, findCompany } from '../companies/company.ts'
import { addressFields, notificationFields } from '../notifications/channels.ts'
import { termsAccess } from '../offers/access.ts'
import { offerTermsRoutes, viewOfTerms } from '../offers/routes.ts'
import { verifyCurrentPassword } from '../session/current-password.ts'
import { updateAccount } from '../users/accounts.ts'
import { deputyRoutes, ownDeputiesTab } from '../users/deputies/tab.ts'
import { preferenceFields, staffFields } from '../users/fields.ts'
import { managersMay } from '../users/staff.ts'
import { findSelf, noPassword, type User, userLabel } from '../users/user.ts'
import { ownTokenRoutes } from './api-tokens.ts'
import { ownPasskeyRoutes } from './passkeys.ts'
import { ownFactorRoutes, ownSessionRoutes, securityTab, sessionsTab } from './security.ts'

const { lastname, name, middlename, phone } = staffFields

const profileForm = form(
  users,
  [
    { title: 'Personal details', fields: { lastname, name, middlename, phone, ...addressFields } },
    { title: 'Account', fields: { email: readOnlyText('Email'), role: readOnlyText('Role'), company: readOnlyText('Company') } },
    { title: 'Settings', fields: preferenceFields },
    { title: 'Notifications', fields: notificationFields },
    {
      title: 'Password',
      tab: 'security',
      fields: {
        current_password: currentPassword('Current password', {
          autocomplete: 'current-password',
        }),
        password: password('New password', {
          autocomplete: 'new-password',
          hint: '8 to 256 characters',
        }),
      },
    },
  ],
  { extras: ['current_password'] },
)

/** An impersonator must not see or change what belongs to the person alone. */
const selfOnlyFields = [
  ...['language', 'theme', 'key_shortcuts', 'current_password', 'password'],
  ...Object.keys({ ...addressFields, ...notificationFields }),
]

function profileFormState({ actor, server, t }: Context, user: User): FormState {
  const role = server.registry.userTypes.get(user.group_id)?.roleLabel
  const stored = { ...user, role: role && t(role), company: companyOf(server.db, user) }
  return { mode: 'edit', stored, choices: {}, states: inState('locked', actor.impersonator ? selfOnlyFields : []) }
}

function visibleProfileState(context: Context, user: User): FormState {
  const state = profileFormState(context, user)
  const hidden = [...Object.keys(state.states ?? {}), ...(state.stored.company ? [] : ['company'])]
  return { ...state, states: inState('hidden', hidden) }
}

function companyOf(db: Database, user: User): string | undefined {
  const own = eq(companies.id, user.company_id ?? 0)
  return db.select({ org: companies.org }).from(companies).where(own).get()?.org
}

const offerTab: Tab<User> = {
  name: 'offer',
  label: 'Offer',
  rule: termsAccess.own,
  template: formCard.template,
  load: (request, { company_id }) => viewOfTerms(request, findCompany(request.server.db, company_id ?? 0) as Company, offerPath),
}

const offerPath = '/profile/offer'

const tabs = [offerTab, ownDeputiesTab, securityTab, sessionsTab]

export async function profileRoutes(app: FastifyInstance): Promise<void> {
  app.registry.commands.push(
    { path: '/profile', label: ['My profile'], says: ['account, name, phone, settings, preferences'] },
    { path: '/profile#mail_statuses', label: ['My profile', 'Notifications'], says: ['mail, email, messages sent, Telegram'] },
    { path: '/profile?tab=security#current_password', label: ['My profile', 'Password'] },
    { path: '/profile?tab=security', label: ['My profile', 'Security'], says: ['sign-in, code, passkey', 'API, tokens'] },
    { path: '/profile?tab=sessions', label: ['My profile', 'Sessions'], says: ['devices'] },
  )
  app.get('/profile', { access: 'signed-in', withoutFactor: true }, (request, reply) => showProfile(request, reply))
  app.post('/profile', action({ access: 'signed-in' }, profileAction))
  ownSessionRoutes(app)
  ownFactorRoutes(app, showTab)
  ownPasskeyRoutes(app)
  offerTermsRoutes(app, (request, reply, company, entry, conflict) =>
    showTab(request, reply, offerTab.name, viewOfTerms(request, company, offerPath, entry, conflict)),
  )
  deputyRoutes(app, managersMay, (request, reply, more) => showTab(request, reply, ownDeputiesTab.name, more))
  ownTokenRoutes(app, (request, reply, more) => showTab(request, reply, 'security', more))
}

function showProfile(request: FastifyRequest, reply: FastifyReply, entry?: Entry, conflict?: Conflict) {
  const { server, t } = request
  const tab = lacksRequiredFactor(request) ? securityTab : tabs.find(({ name }) => name === queryOf(request).get('tab'))
  if (entry && (tab === securityTab || passwordFields.some((name) => entry.errors[name])))
    return showTab(request, reply, securityTab.name, { passwordForm: passwordFormOf(request, findSelf(request), entry) })
  if (!entry && tab) return showTab(request, reply, tab.name)
  const record = findSelf(request)
  const form = viewOfFormWithConflicts(profileForm, visibleProfileState(request, record), t, entry, conflict)
  return reply.page(formCard, { ...form, ...profileFrame(request, record), action: url(server, '/profile') })
}

function showTab(request: FastifyRequest, reply: FastifyReply, name: string, more: object = {}): FastifyReply {
  const record = findSelf(request)
  const tab = tabs.find((one) => one.name === name)
  if (!tab?.template) throw notFound()
  authorize(tab.rule, request.actor, record)
  const own = tab === securityTab && !lacksRequiredFactor(request) ? { passwordForm: passwordFormOf(request, record) } : {}
  return reply.page({ template: tab.template }, { ...profileFrame(request, record, tab), ...tab.load?.(request, record), ...own, ...more })
}

const passwordFields = ['current_password', 'password']

function passwordFormOf(request: FastifyRequest, record: User, entry?: Entry): FormView {
  return viewOfForm(profileForm, { ...profileFormState(request, record), tab: securityTab.name }, request.t, entry)
}

function profileFrame(request: FastifyRequest, record: User, tab?: Tab<User>): CardFrame {
  return {
    record,
    title: request.t('My profile'),
    list_name: 'profile',
    tabs: tabLinks(request, [formTab, ...tabs], record, { open: tab, address: url(request.server, '/profile') }),
  }
}

const profileAction = formAction({
  form: profileForm,
  mode: 'edit',
  prepare: verifyBefore,
  state: stateOfSaving,
  save: (request, values) => saveSelf(request, findSelf(request), values),
  showAgain: (request, reply, _, entry, conflict) => showProfile(request, reply, entry, conflict),
})

/** Whether the current password is right is said together with what is wrong with the new one. */
function stateOfSaving(request: FastifyRequest): FormState {
  const self = findSelf(request)
  return { ...profileFormState(request, self), findProblems: () => findPasswordProblems(request, self) }
}

function findPasswordProblems(request: FastifyRequest, self: User): Record<string, Problem> {
  if (request.actor.impersonator) return {}
  if (bodyOf(request).get('password')) return findWrongPassword(request, self)
  return isOnSecurityTab(request) ? { password: { message: 'Enter a password.' } } : {}
}

const isOnSecurityTab = (request: FastifyRequest) => queryOf(request).get('tab') === securityTab.name

function findWrongPassword(request: FastifyRequest, { password }: User): Record<string, Problem> {
  if (password === verifiedHashes.get(request)) return {}
  const message = bodyOf(request).get('current_password') ? 'Wrong current password.' : 'Enter your current password.'
  return { current_password: { message } }
}

function saveSelf(request: FastifyRequest, user: User, input: EditValues<typeof profileForm>): Done {
  const { current_password: _, password, ...preferences } = input
  const values = { ...preferences, ...(password && { password }) }
  const problems = findPasswordProblems(request, user)
  if (Object.keys(problems).length > 0) throw new ValidationFailed(problems)
  updateAccount(request.server, user, values, request.author)
  if (values.password) openSession(request, user.id)
  if (isOnSecurityTab(request)) return { location: url(request.server, '/profile?tab=security'), message: ['Password changed'] }
  return { location: url(request.server, '/profile'), message: ['{name} saved', { name: userLabel(findSelf(request)) }] }
}

/** Of current passwords that were verified before the transaction, because hashing is slow. */
const verifiedHashes = new WeakMap<FastifyRequest, string | undefined>()

async function verifyBefore(request: FastifyRequest): Promise<void> {
  verifiedHashes.set(request, await findVerifiedHash(request))
}

async function findVerifiedHash(request: FastifyRequest): Promise<string | undefined> {
  const body = bodyOf(request)
  if (!body.get('password') || request.actor.impersonator) return undefined
  const self = findSelf(request)
  if (self.password === noPassword) {
    requireRecentPassword(request)
    return noPassword
  }
  const typed = body.get('current_password')
  return typed && (await verifyCurrentPassword(request, self, typed)) ? self.password : undefined
}
