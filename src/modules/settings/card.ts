import type { FastifyInstance } from 'fastify'
import { type Actor, allows, anyOf, has, superadministrator } from '../../core/access.ts'
import { numberedKindLabels, vatNames } from '../../core/labels.ts'
import { findLegalDetailWarnings } from '../../core/legal-details.ts'
import {
  type ChangedFields,
  type Database,
  findSettings,
  recordViews,
  type Settings,
  settings,
  updateRecord,
} from '../../database/index.ts'
import { type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { today } from '../../i18n/format.ts'
import { languages } from '../../i18n/translate.ts'
import {
  color,
  date,
  digits,
  email,
  FieldError,
  kpp,
  number,
  option,
  paragraph,
  phone,
  picture,
  repeater,
  text,
  toggle,
} from '../../records/fields/index.ts'
import { form, inState, type Values } from '../../records/form/form.ts'
import { newWarnings } from '../../records/form/saved-warnings.ts'
import type { Card, Tab } from '../../records/kind/card.ts'
import type { Command } from '../../view/shell.ts'
import { webhooksTab } from '../notifications/webhooks/tab.ts'
import { allSeries, asWritten, changeSeries } from '../orders/documents/series.ts'
import { environmentPart } from './environment.ts'
import { lackingDetails } from './steps-to-first-order.ts'

export const mayChangeSettings = anyOf(superadministrator)

/** Sets the day up to which the books are closed. */
export const mayClosePeriods = anyOf(has('period_can_close'))

const environmentTab: Tab<Settings> = {
  name: 'environment',
  label: 'Environment',
  rule: mayChangeSettings,
  ...environmentPart,
}

/** Orders become due and are canceled today: that day stays open. */
const closedUntil = date('Books closed until', {
  hint: 'Nothing is booked, reversed, or corrected on a day up to it. If empty, every day is open.',
  check: (day) => {
    if (day >= today()) throw new FieldError('Choose a day before today.')
  },
})

/** Letters and currency signs only, since it is used in number formats of spreadsheets. */
const currencySymbol = text('Currency symbol', {
  max: 5,
  hint: 'Defaults to ₽',
  check: (symbol) => {
    if (!/^[\p{L}\p{Sc}][\p{L}\p{Sc}.]*$/u.test(symbol)) throw new FieldError('Use letters and currency signs only.')
  },
})

const settingsForm = form(
  settings,
  [
    {
      title: 'Appearance',
      fields: {
        name: text('Organization name', { max: 60, hint: 'Shown in the header, page titles, and emails' }),
        logo: picture('Logo', { hint: 'JPEG, PNG, WebP, GIF, or AVIF, on a light background; replaces the name in the header' }),
        logo_dark: picture('Logo on a dark background', { hint: 'If empty, both themes use the same logo' }),
        accent: color('Accent color', { hint: 'Darkened where needed to keep text readable' }),
        language: option('Default language', languages, { none: 'Environment default' }),
        sign_in_note: paragraph('Sign-in page message', { max: 300 }),
      },
    },
    {
      title: 'Contacts for dealers',
      fields: {
        contact_phone: phone('Phone'),
        contact_email: email('Email', { hint: 'Phone and email are shown to dealers who have no manager' }),
      },
    },
    {
      title: 'Currency',
      folds: true,
      fields: {
        currency_symbol: currencySymbol,
        decimals: number('Decimal places', { least: 0, most: 2, hint: 'For display only; amounts are stored with two decimal places' }),
      },
    },
    {
      title: 'Orders and prices',
      fields: {
        catalog: toggle('Orders use the product catalog', {
          hint: 'Order lines choose a product, and its price is calculated. Takes effect with the first product for sale.',
        }),
        vat: option('VAT', vatNames, { none: 'Not stated', hint: 'Included in prices; order lines keep the rate they were written with' }),
        price_days: number('Days that order prices hold', {
          required: true,
          missing: 'Enter a number of days.',
          least: 1,
          most: 365,
          hint: 'While an order is in its first status; after that, changed prices must be confirmed',
        }),
      },
    },
    {
      title: 'Numbers of documents',
      fields: {
        series: repeater(
          'Numbers of documents',
          {
            kind: option('Document', numberedKindLabels, { required: true }),
            pattern: text('Pattern', { required: true, missing: 'Enter a pattern.', max: 40 }),
            next: number('Next number', { required: true, missing: 'Enter the next number.', least: 1, most: 999_999_999 }),
          },
          { key: 'id', unique: 'kind', rowLabel: 'Number' },
        ),
      },
    },
    { title: 'Bookkeeping', folds: true, fields: { closed_until: closedUntil } },
    {
      title: 'Viewing records',
      folds: true,
      fields: {
        keeps_views: toggle('Record who opens companies, dealers, and orders', {
          hint: 'For 90 days, with time and IP address, for superadministrators only; they find it on the tab "Who looked" and from the security log. Switching it off deletes what was kept.',
        }),
      },
    },
    {
      title: 'Legal details',
      fields: {
        legal_name: text('Full legal name', { size: 80 }),
        inn: digits('INN', { size: 12 }),
        kpp: kpp('KPP', { size: 9 }),
        ogrn: digits('OGRN', { size: 15 }),
        legal_address: text('Legal address', { size: 80 }),
        bank: text('Bank', { size: 60 }),
        bik: digits('BIK', { size: 9 }),
        rs: digits('Bank account', { size: 20 }),
        cs: digits('Correspondent account', { size: 20 }),
        signatory: text('Signatory', { size: 60 }),
      },
    },
  ],
  {
    extras: ['series'],
    warnings: { address: '/company/warnings', fields: ['inn', 'ogrn', 'bik', 'rs', 'cs'], of: findLegalDetailWarnings },
  },
)

/** The sections of its form, and its tabs, each with where it is. */
export const settingsPlaces: Command[] = [
  ...settingsForm.sections.map(({ title, fields }, at) => ({
    ...{ path: `/settings#section-${at + 1}`, label: ['Settings', title] as const, rule: mayChangeSettings },
    says: Object.values(fields).map(({ label }) => label),
  })),
  { path: `/settings?tab=${webhooksTab.name}`, label: ['Settings', webhooksTab.label], rule: mayChangeSettings },
  {
    ...{ path: `/settings?tab=${environmentTab.name}`, label: ['Settings', environmentTab.label], rule: mayChangeSettings },
    says: ['mail, email, messages sent, Telegram', 'SMTP, time zone'],
  },
]

export const settingsCard: Card<Settings, typeof settingsForm> = {
  list: 'settings',
  path: '/settings',
  form: settingsForm,
  may: { list: anyOf(), view: mayChangeSettings, add: mayChangeSettings, edit: mayClosePeriods },
  find: findSettings,
  titleOf: (_, t) => t('Settings'),
  formState: ({ server, actor }, record) => ({
    mode: 'edit',
    stored: { ...record, series: seriesRows(server.db) },
    choices: {},
    hints: { series: seriesHint, ...neededHints(server) },
    states: statesFor(actor),
    findProblems: ({ values }) => findWrongDetails(record, values),
  }),
  save: (request, record, { series, ...values }) => {
    const { db } = request.server
    const wrong = findWrongDetails(record, values)
    if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong)
    const before = series && seriesRows(db)
    if (series) changeSeries(db, series, today())
    const rows: ChangedFields = before ? changedRows(before, seriesRows(db)) : {}
    if (values.keeps_views === false) db.delete(recordViews).run()
    updateRecord(db, settings, record, values, values.name ?? record.name ?? '', request.author, rows)
  },
  tabs: [webhooksTab, environmentTab],
}

/** What a company is only warned of is refused here: its own invoices would name an account that does not exist. */
function findWrongDetails(before: Settings | undefined, values: Values): Record<string, Problem> {
  const wrong = Object.entries(newWarnings(settingsForm, before ?? {}, values))
  return Object.fromEntries(wrong.map(([name, message]) => [name, { message }]))
}

/** By kind, so that each keeps its place in the form. */
const seriesRows = (db: Database) => allSeries(db, today()).map((row, at) => ({ id: at + 1, ...row }))

const seriesHint = {
  text: 'Filled in: {names}. The next number can only be raised.',
  params: { names: Object.values(asWritten).join(' ') },
}

const neededHints = (app: FastifyInstance) => Object.fromEntries(lackingDetails(app).map((name) => [name, { text: 'Needed for invoices' }]))

const changedRows = (before: object[], after: object[]): ChangedFields =>
  JSON.stringify(before) === JSON.stringify(after) ? {} : { series: [before, after] }

const others = Object.keys(settingsForm.fields).filter((name) => name !== 'closed_until')

const statesFor = (actor: Actor) => (allows(mayChangeSettings, actor) ? {} : inState('sealed', others))
