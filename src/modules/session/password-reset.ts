import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { and, count, eq, getTableColumns, gt, inArray, lt, max } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashToken, newToken } from '../../core/tokens.ts'
import { type Author, type Database, logSecurityEvent, passwordResets as resets, users, write } from '../../database/index.ts'
import { countHit, networkOf, tooManyMessage } from '../../http/access/rate-limit.ts'
import { carryOut } from '../../http/action.ts'
import { publicUrl, url } from '../../http/request/addresses.ts'
import { clientOf, queryOf } from '../../http/request/input.ts'
import { organizationName } from '../../http/request/organization.ts'
import { template } from '../../http/request/template.ts'
import { deliverMail, type Mail, mailFailure } from '../../http/send-mail.ts'
import { type Language, translator } from '../../i18n/translate.ts'
import { email, password } from '../../records/fields/index.ts'
import { blankState, type Entry, formWithoutTable } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { updateAccount } from '../users/accounts.ts'
import { type User, userLabel } from '../users/user.ts'
import { oneTimeLinkRoutes } from './one-time-links.ts'
import { clearAttempts } from './sign-in-attempts.ts'

const resetRequestForm = formWithoutTable([
  { title: 'Account', fields: { email: email('Email', { required: true, autocomplete: 'username' }) } },
])

const forgotPage = template<{ title: string; possible: boolean; sent: boolean; form: FormView }>('session/forgot.njk')

const newPassword = password('New password', { required: true, autocomplete: 'new-password', hint: '8 to 256 characters' })

const requestLimit = { limit: 20, window: 3600_000 }

export function passwordResetRoutes(app: FastifyInstance): void {
  const sendResetLinks = createResetMailer(app)
  const here = url(app, '/password/forgot')
  /** The answer and its timing do not reveal whether the address has an account. */
  const requestReset = formAction({
    form: resetRequestForm,
    mode: 'create',
    state: () => blankState,
    save(request, values) {
      countHit(app.db, `reset from ${networkOf(request.ip)}`, requestLimit, tooManyMessage)
      const address = publicUrl(app, '/password/reset/')
      sendResetLinks({ email: values.email, address, language: request.language, client: clientOf(request) })
      return { location: `${here}?sent=1` }
    },
    showAgain: (request, reply, _, entry) => showResetRequest(request, reply, entry),
  })
  app.get('/password/forgot', { access: 'public' }, (request, reply) => showResetRequest(request, reply))
  app.post('/password/forgot', { access: 'public' }, (request, reply) =>
    app.sendMail ? carryOut(request, reply, requestReset) : reply.redirect(here, 303),
  )
  oneTimeLinkRoutes(app, {
    path: '/password/reset',
    page: template('session/reset.njk'),
    title: ({ t }) => t('New password'),
    lead: ({ t }) => [t('Changing your password signs you out in every browser.')],
    field: newPassword,
    find: findUserByResetToken,
    save: (request, user, password, author) => {
      updateAccount(app, user, { password }, author)
      clearAttempts(app.db, user.email, networkOf(request.ip))
      return url(app, '/login?reset=1')
    },
  })
}

function showResetRequest(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
  return reply.page(forgotPage, {
    title: request.t('Forgot your password?'),
    possible: request.server.sendMail !== undefined,
    sent: queryOf(request).has('sent'),
    form: viewOfForm(resetRequestForm, { ...blankState, focus: 'email' }, request.t, entry),
  })
}

interface ResetRequest {
  email: string
  address: string
  language: Language
  client: ReturnType<typeof clientOf>
}

/** Looked up after the response at a random time, so that timing does not reveal accounts. */
const lookupDelay = () => randomInt(500, 1500)

function createResetMailer(app: FastifyInstance): (resetRequest: ResetRequest) => void {
  const shutdown = new AbortController()
  const running = new Set<Promise<void>>()
  app.addHook('onClose', async () => {
    shutdown.abort()
    await Promise.all(running)
  })
  return (resetRequest) => {
    const job = pause(lookupDelay(), undefined, { signal: shutdown.signal, ref: false })
      .then(() => sendResetLinks(app, resetRequest, shutdown.signal))
      .catch((error) => app.log.error(mailFailure(error), 'a reset email was not sent'))
      .finally(() => running.delete(job))
    running.add(job)
  }
}

async function sendResetLinks(app: FastifyInstance, { email, address, language, client }: ResetRequest, shutdown: AbortSignal) {
  const links = createResetLinks(app.db, email, { id: null, name: '', ...client })
  const [first] = links
  if (!first) return
  const addressed = links.map(({ user, token }) => ({ user, link: address + token }))
  const mail = composeMail(app, addressed, first.user.language ?? language)
  await deliverMail(app, { ...mail, to: first.user.email }, shutdown)
}

function composeMail(app: FastifyInstance, links: { user: User; link: string }[], language: Language): Pick<Mail, 'subject' | 'text'> {
  const t = translator(language)
  const organization = organizationName(app, t)
  const [one, ...others] = links
  const linkLines = others.length
    ? [
        t('Several accounts use this email. Open the link for the one you need within an hour:'),
        ...links.map(({ user, link }) => `${userLabel(user)}\n${link}`),
      ]
    : [t('Open this link within an hour to set a new password:'), one?.link]
  const text = [
    t('Someone, most likely you, asked to reset your {organization} password.', { organization }),
    ...linkLines,
    t('If this was not you, ignore this email. Your password stays the same.'),
  ].join('\n\n')
  return { subject: t('Reset your {organization} password', { organization }), text }
}

const minute = 60_000
const hour = 60 * minute
/** Limits what strangers can send to a mailbox. */
const mailsPerHour = 5

export function createResetLinks(db: Database, email: string, author: Author): { user: User; token: string }[] {
  const at = Date.now()
  return write(db, () => {
    const expired = lt(resets.at, at - hour)
    db.delete(resets).where(expired).run()
    const active = and(eq(users.email, email), eq(users.active, true))
    const accounts = db.select().from(users).where(active).orderBy(users.id).all()
    if (accounts.length === 0 || isRateLimited(db, accounts, at)) return []
    return accounts.map((user) => {
      const token = newToken()
      const reset = { token_hash: hashToken(token), user_id: user.id, email, at }
      db.insert(resets).values(reset).run()
      logSecurityEvent(db, { event: 'password-requested', author, user })
      return { user, token }
    })
  })
}

function isRateLimited(db: Database, accounts: User[], now: number): boolean {
  const ids = accounts.map(({ id }) => id)
  const figures = { count: count(), last: max(resets.at) }
  const mailed = db.select(figures).from(resets).where(inArray(resets.user_id, ids)).groupBy(resets.user_id).all()
  return mailed.some(({ count, last }) => count >= mailsPerHour || (last ?? 0) > now - minute)
}

function findUserByResetToken(db: Database, token: string): User | undefined {
  const account = and(eq(users.id, resets.user_id), eq(users.email, resets.email), eq(users.active, true))
  const named = and(eq(resets.token_hash, hashToken(token)), gt(resets.at, Date.now() - hour))
  return db.select(getTableColumns(users)).from(resets).innerJoin(users, account).where(named).get()
}
