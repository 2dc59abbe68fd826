import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { caseInsensitive, flag, id, recordRules, refersTo, searched, timestamp, versionedColumns } from './columns.ts'
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
    /** The highest discount in percent that a manager may agree on; null for none. */
    discount_limit: integer(),
    last_auth: timestamp(),
    language: text({ enum: ['en', 'ru'] }),
    theme: text({ enum: ['light', 'dark'] }),
    /** Whether single keys are shortcuts, which those who dictate or mistype must be able to switch off (WCAG 2.1.4). */
    key_shortcuts: flag(true),
    mail_statuses: flag(true),
    mail_messages: flag(true),
    mail_mentions: flag(true),
    mail_payments: flag(true),
    /** When mail comes that is not urgent; what `createAccount` sets is for those who come later. */
    mail_pace: text({ enum: ['at-once', 'hourly', 'daily'] })
      .notNull()
      .default('at-once'),
    /** The hour of the day at which mail comes that is gathered daily. */
    mail_time: text().notNull().default('09:00'),
    telegram_statuses: flag(true),
    telegram_messages: flag(true),
    telegram_mentions: flag(true),
    telegram_payments: flag(true),
    external_id: text(),
    search: text().notNull().default(''),
    ...versionedColumns,
  },
  (table) => [
    uniqueIndex('users_external').on(table.external_id).where(sql`external_id is not null`),
    index('users_email').on(table.email),
    index('users_group').on(table.group_id, table.id),
    index('users_created').on(table.group_id, table.created_at, table.id),
    index('users_named').on(table.group_id, table.search, table.id),
    index('users_updated').on(table.group_id, table.updated_at, table.id),
    index('users_company').on(table.company_id, table.group_id, table.id),
    index('users_manager').on(table.manager_id, table.group_id, table.id),
    index('users_stock').on(table.stock_id),
    index('users_manufacture').on(table.manufacture_id),
    index('users_image').on(table.image).where(sql`image is not null`),
  ],
)

recordRules(users, {
  label: sql`concat_ws(' ', ${users.lastname}, ${users.name}, ${users.middlename})`,
  derived: ['last_auth'],
  folded: { search: ['lastname', 'name', 'middlename'] },
  secret: ['password'],
  files: ['image'],
})

export const searchedUsers = searched(users, { columns: ['lastname', 'name', 'tg_id', 'email', 'external_id'], phones: ['phone'] })
