import { sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { vatRates } from '../../core/pricing.ts'
import { flag, recordRules, versionedColumns } from './columns.ts'

/** One row: the settings that superadministrators change. The others come from the environment. */
export const settings = sqliteTable('settings', {
  id: integer().primaryKey(),
  name: text(),
  accent: text(),
  sign_in_note: text(),
  /** Whom dealers turn to whose company has no manager. */
  contact_phone: text(),
  contact_email: text(),
  language: text({ enum: ['en', 'ru'] }),
  logo: text(),
  logo_dark: text(),
  currency_symbol: text(),
  decimals: integer(),
  /** Whether orders are made of products. */
  catalog: flag(false),
  /** The rate written onto new lines; without one nothing is said of VAT. */
  vat: text({ enum: vatRates }),
  /** How many days the prices of an order hold in its first status. */
  price_days: integer().notNull().default(14),
  /** The last day on which nothing is booked any more (YYYY-MM-DD). */
  closed_until: text(),
  /** Whether it is kept who opens which company, dealer and order. */
  keeps_views: flag(false),
  legal_name: text(),
  inn: text(),
  kpp: text(),
  ogrn: text(),
  legal_address: text(),
  bank: text(),
  bik: text(),
  rs: text(),
  cs: text(),
  signatory: text(),
  ...versionedColumns,
})

recordRules(settings, { label: sql`coalesce(${settings.name}, '')`, files: ['logo', 'logo_dark'] })
