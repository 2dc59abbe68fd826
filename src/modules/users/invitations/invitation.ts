import { and, eq, getTableColumns, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { hashToken, newToken } from '../../../core/tokens.ts'
import { type Author, type Database, findSettings, invitations, users } from '../../../database/index.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { findCompany } from '../../companies/company.ts'

type User = typeof users.$inferSelect

const lifetime = 7 * 24 * 3600_000

type InvitationState = 'invited' | 'accepted' | 'expired'

export const stateLabels: Record<InvitationState, string> = {
  invited: 'Invited',
  accepted: 'Invitation accepted',
  expired: 'Invitation expired',
}

/** Creates or replaces the user's invitation and returns the token of its link, which is not stored. Call it inside `write`. */
export function createInvitation(db: Database, { id, email }: Pick<User, 'id' | 'email'>, inviter: Author): string {
  const token = newToken()
  const invitation = { token_hash: hashToken(token), email, at: Date.now(), accepted_at: null, inviter_name: inviter.name }
  db.insert(invitations)
    .values({ user_id: id, ...invitation })
    .onConflictDoUpdate({ target: invitations.user_id, set: invitation })
    .run()
  return token
}

export function invitationOf(db: Database, userId: number): { state: InvitationState; label: string; at: number } | undefined {
  const invitation = db.select().from(invitations).where(eq(invitations.user_id, userId)).get()
  if (!invitation) return undefined
  const state = stateOf(invitation)
  return { state, label: stateLabels[state], at: invitation.accepted_at ?? invitation.at }
}

/** Who invites somebody, where to, and for which company they will work. */
export function introduce(app: FastifyInstance, t: Translate, { id, company_id }: User): string[] {
  const ofUser = eq(invitations.user_id, id)
  const name = nameWithoutAddress(app.db.select().from(invitations).where(ofUser).get()?.inviter_name)
  const company = findCompany(app.db, company_id ?? 0)?.org
  return [inviteTo(t, findSettings(app.db).name, name), ...(company ? [t('Your company: {company}.', { company })] : [])]
}

function inviteTo(t: Translate, organization: string | null, name: string | undefined): string {
  if (!organization)
    return name ? t('{name} invites you to the dealer cabinet.', { name }) : t('You have been invited to the dealer cabinet.')
  return name
    ? t('{name} invites you to {organization}.', { name, organization })
    : t('You have been invited to {organization}.', { organization })
}

/** Mail programs make links of what looks like an address: whose name does is not named. */
function nameWithoutAddress(name: string | null | undefined): string | undefined {
  return !name || /[@/\\]|[\p{L}\p{N}-][.。．｡][\p{L}\p{N}]{2,}/u.test(name) ? undefined : name
}

function stateOf({ at, accepted_at }: { at: number; accepted_at: number | null }): InvitationState {
  if (accepted_at !== null) return 'accepted'
  return at > Date.now() - lifetime ? 'invited' : 'expired'
}

/** The state, for a list of users that joins their invitations. */
export const invitationState = sql<InvitationState | null>`case when ${invitations.accepted_at} is not null then 'accepted'
  when ${invitations.at} > unixepoch('subsec') * 1000 - ${lifetime} then 'invited' when ${invitations.at} is not null then 'expired' end`

/** The user whose link this is, as long as it works: once, for seven days, while their account is active and has the same email. */
export function findInvitedUser(db: Database, token: string): User | undefined {
  const open = and(gt(invitations.at, Date.now() - lifetime), isNull(invitations.accepted_at))
  const invited = and(eq(users.id, invitations.user_id), eq(users.email, invitations.email), eq(users.active, true))
  const named = and(eq(invitations.token_hash, hashToken(token)), open)
  return db.select(getTableColumns(users)).from(invitations).innerJoin(users, invited).where(named).get()
}

/** The id of the user who has set their password with this link. */
export function findWhoAccepted(db: Database, token: string): number | undefined {
  const accepted = and(eq(invitations.token_hash, hashToken(token)), isNotNull(invitations.accepted_at))
  return db.select({ id: invitations.user_id }).from(invitations).where(accepted).get()?.id
}

export function acceptInvitation(db: Database, userId: number): void {
  db.update(invitations).set({ accepted_at: Date.now() }).where(eq(invitations.user_id, userId)).run()
}

export function revokeInvitation(db: Database, userId: number): void {
  const open = and(eq(invitations.user_id, userId), isNull(invitations.accepted_at))
  db.delete(invitations).where(open).run()
}
