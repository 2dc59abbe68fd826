import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { PolicyKey } from '../../core/policies.ts'
import {
  belongsTo,
  caseInsensitive,
  credentialRows,
  ephemeralRows,
  flag,
  id,
  recordRules,
  refersTo,
  timestamp,
  trashedRows,
  versionedColumns,
} from './columns.ts'
import { companies } from './companies.ts'
import { manufactures, stocks } from './references.ts'

export const users = sqliteTable(
  'users',
  {
    id: id(),
    group_id: integer().notNull(),
    email: caseInsensitive().notNull(),
    password: text().notNull(),
    name: text().notNull(),
    lastname: text().notNull(),
    middlename: text(),
    position: text(),
    phone: text(),
    tg_id: text(),
    image: text(),
    active: flag(true),
    superadmin: flag(false),
    company_id: refersTo((): AnySQLiteColumn => companies.id),
    manager_id: refersTo((): AnySQLiteColumn => users.id),
    stock_id: refersTo(() => stocks.id),
    manufacture_id: refersTo(() => manufactures.id),
    last_auth: timestamp(),
    language: text({ enum: ['en', 'ru'] }),
    theme: text({ enum: ['light', 'dark'] }),
    mail_statuses: flag(true),
    mail_messages: flag(true),
    mail_mentions: flag(true),
    telegram_statuses: flag(true),
    telegram_messages: flag(true),
    telegram_mentions: flag(true),
    search: text().notNull().default(''),
    ...versionedColumns,
  },
  (table) => [
    index('users_email').on(table.email),
    index('users_group').on(table.group_id, table.id),
    index('users_created').on(table.group_id, table.created_at, table.id),
    index('users_company').on(table.company_id, table.group_id, table.id),
    index('users_manager').on(table.manager_id, table.group_id, table.id),
    index('users_stock').on(table.stock_id),
    index('users_manufacture').on(table.manufacture_id),
  ],
)

export const usersRules = recordRules(users, {
  label: sql`concat_ws(' ', ${users.lastname}, ${users.name}, ${users.middlename})`,
  derived: ['last_auth', 'search'],
  secret: ['password'],
})

export const userTallies = sqliteTable('user_tallies', { group_id: integer().primaryKey(), count: integer().notNull() })

export const policies = sqliteTable('policies', {
  id: id(),
  key: text().$type<PolicyKey>().notNull().unique(),
  name: text().notNull(),
  category: text().notNull(),
  description: text().notNull().default(''),
})

export const userPolicies = sqliteTable(
  'user_policies',
  {
    user_id: belongsTo(() => users.id),
    policy_id: belongsTo(() => policies.id),
    value: flag(false),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.policy_id] }), index('user_policies_policy').on(table.policy_id)],
)

export const userPoliciesRules = trashedRows(userPolicies)

export const accessRequests = sqliteTable(
  'right_requests',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    policy_id: belongsTo(() => policies.id),
    note: text().notNull().default(''),
    created_at: timestamp().notNull(),
    state: text({ enum: ['open', 'granted', 'declined'] })
      .notNull()
      .default('open'),
    decided_by: refersTo(() => users.id),
    decided_at: timestamp(),
  },
  (table) => [
    uniqueIndex('right_requests_open').on(table.user_id, table.policy_id).where(sql`state = 'open'`),
    index('right_requests_user').on(table.user_id, table.id),
    index('right_requests_policy').on(table.policy_id),
    index('right_requests_decider').on(table.decided_by),
    index('right_requests_state').on(table.state, table.id),
  ],
)

export const accessRequestsRules = trashedRows(accessRequests)

export const sessions = sqliteTable(
  'sessions',
  {
    id: id(),
    /** SHA-256 of the cookie's random value, so that a copy of the database opens no session. */
    token_hash: text().notNull().unique(),
    user_id: belongsTo(() => users.id),
    acting_as_id: refersTo(() => users.id),
    /** The page where the impersonation began; set as long as it lasts, even when its target is deleted. */
    return_to: text(),
    flash: text(),
    address: text().notNull(),
    user_agent: text().notNull().default(''),
    created_at: timestamp().notNull(),
    seen_at: timestamp().notNull(),
    proved_at: timestamp().notNull().default(0),
    factor_secret: text(),
  },
  (table) => [index('sessions_user').on(table.user_id), index('sessions_acting').on(table.acting_as_id)],
)

export const sessionsRules = ephemeralRows(sessions, ['token_hash', 'factor_secret'])

export const signInFailures = sqliteTable(
  'sign_in_failures',
  { id: id(), email: caseInsensitive().notNull(), address: text().notNull(), at: timestamp().notNull() },
  (table) => [
    index('sign_in_failures_email').on(table.email, table.at),
    index('sign_in_failures_address').on(table.address, table.at),
    index('sign_in_failures_at').on(table.at),
  ],
)

export const rateHits = sqliteTable('rate_hits', { id: id(), key: text().notNull(), at: timestamp().notNull() }, (table) => [
  index('rate_hits_key').on(table.key, table.at),
  index('rate_hits_at').on(table.at),
])

export const passwordResets = sqliteTable(
  'password_resets',
  {
    id: id(),
    token_hash: text().notNull().unique(),
    user_id: belongsTo(() => users.id),
    email: caseInsensitive().notNull(),
    at: timestamp().notNull(),
  },
  (table) => [index('password_resets_user').on(table.user_id, table.at), index('password_resets_at').on(table.at)],
)

export const passwordResetsRules = ephemeralRows(passwordResets, ['token_hash'])

/** Links by which new users set their first password; accepted ones stay, so that their state can be shown. */
export const invitations = sqliteTable('invitations', {
  user_id: belongsTo(() => users.id).primaryKey(),
  token_hash: text().notNull().unique(),
  email: caseInsensitive().notNull(),
  at: timestamp().notNull(),
  accepted_at: integer(),
})

export const invitationsRules = ephemeralRows(invitations, ['token_hash'])

/** Forms submitted after their session expired, kept until the same person signs in again. */
export const pendingSubmissions = sqliteTable(
  'kept_forms',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    /** SHA-256 of the random value in the browser's cookie, which is also the key to `sealed`. */
    browser_hash: text().notNull(),
    sealed: blob({ mode: 'buffer' }).notNull(),
    at: timestamp().notNull(),
  },
  (table) => [index('kept_forms_user').on(table.user_id, table.at), index('kept_forms_at').on(table.at)],
)

export const pendingSubmissionsRules = ephemeralRows(pendingSubmissions, ['browser_hash', 'sealed'])

export const secondFactors = sqliteTable('second_factors', {
  user_id: belongsTo(() => users.id).primaryKey(),
  secret: text().notNull(),
  /** The period of the last code that was taken: no code works twice. */
  last_step: integer().notNull(),
  created_at: timestamp().notNull(),
})

export const secondFactorsRules = credentialRows(secondFactors, ['secret'])

export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    code_hash: text().notNull(),
  },
  (table) => [index('recovery_codes_user').on(table.user_id, table.code_hash)],
)

export const recoveryCodesRules = credentialRows(recoveryCodes, ['code_hash'])
