import { isForeignAccount } from '../../../core/payments.ts'
import { fold } from '../../../core/text.ts'
import type { Settings, SheetRow } from '../../../database/index.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { parseDateTimeInput, parseKopecks } from '../../../i18n/format.ts'
import { problemOfDay } from '../../ledger/payment-form.ts'

/** What a bank says of a payment. */
export interface StatementRow {
  row: number
  number: string
  /** Empty where the bank's cannot be read. */
  date: string
  kopecks: number
  /** Whoever the money came from, or went to. */
  payer: string
  inn: string
  account: string
  purpose: string
  outgoing: boolean
  /** Why it cannot be booked. */
  problem?: string
}

/** A row with the bank's words, and with the line by which what was booked of it is recognized: its amount and these words. */
export interface LinedRow extends StatementRow {
  words: string
  line: string
}

/** The account and INN that are one's own, as the settings say. */
export type Own = Pick<Settings, 'rs' | 'inn'>

type Column =
  | ('number' | 'date' | 'amount' | 'purpose' | 'outgoing' | 'taken' | 'currency' | 'account')
  | ('payer' | 'inn' | 'payerAccount' | 'recipient' | 'recipientInn' | 'recipientAccount')

/** The headers under which banks write each column, folded and without what is no letter. */
const headers: Record<Column, string[]> = {
  number: ['number', 'номер', 'номердокумента', 'документ', 'документа', 'номерпп'],
  date: ['date', 'дата', 'датаоперации', 'датапроводки', 'датаплатежа', 'датадокумента', 'датапоступления'],
  amount: ['amount', 'credit', 'сумма', 'суммаоперации', 'суммаплатежа', 'кредит', 'суммапокредиту', 'поступление', 'приход'],
  payer: ['payer', 'counterparty', 'плательщик', 'наименованиеплательщика', 'контрагент', 'наименованиеконтрагента'],
  inn: ['inn', 'payerinn', 'инн', 'иннплательщика', 'иннконтрагента'],
  purpose: ['purpose', 'description', 'назначение', 'назначениеплатежа', 'основание'],
  outgoing: ['outgoing', 'debit', 'дебет', 'суммаподебету', 'списание', 'расход'],
  currency: ['currency', 'currencycode', 'валюта', 'кодвалюты', 'валютасчета', 'валютаоперации', 'валютаплатежа', 'валютадокумента'],
  taken: ['taken'],
  account: ['account', 'accountnumber', 'счет', 'номерсчета', 'расчетныйсчет', 'рс'],
  payerAccount: ['payeraccount', 'счетплательщика', 'расчетныйсчетплательщика'],
  recipient: ['recipient', 'получатель', 'наименованиеполучателя'],
  recipientInn: ['recipientinn', 'иннполучателя'],
  recipientAccount: ['recipientaccount', 'счетполучателя', 'расчетныйсчетполучателя'],
}

const required: Column[] = ['date', 'amount', 'purpose']

/** The column that each header names, or nothing. */
export function statementColumns(titles: (string | null)[]): (Column | null)[] {
  const names = titles.map((title) => fold(title ?? '').replace(/[^\p{L}]/gu, ''))
  const columns = names.map((name) => (Object.keys(headers) as Column[]).find((column) => headers[column].includes(name)) ?? null)
  return columns.map((column, at) => (columns.indexOf(column) === at ? column : null))
}

/** @throws HttpError (422) when a column is missing without which nothing can be booked */
export function checkColumns(columns: (string | null)[]): void {
  if (required.some((column) => !columns.includes(column)))
    throw new HttpError(
      422,
      'This is no bank statement that can be read: use 1CClientBankExchange, or a table with date, amount, payer and purpose.',
    )
}

const rubles = /^(?:|rub|rur|(?:russian)?r(?:o)?ubles?|руб|(?:росс\p{L}*)?рубл\p{L}*(?:рф|россии)?|643|810)$/u

/** Whether money that came in is of another currency than the ruble, by its name or code, or by the account. */
export function isForeign(row: SheetRow, columns: (string | null)[], own: Own): boolean {
  if (readStatementRow(row, columns, own).outgoing) return false
  const cell = (column: Column) => fold(row.cells[columns.indexOf(column)] ?? '').replace(/[^\p{L}\d]/gu, '')
  return !rubles.test(cell('currency')) || isForeignAccount(cell('account')) || isForeignAccount(cell('recipientAccount'))
}

/** Banks transmit up to 210 characters. */
const longestPurpose = 500

export function readStatementRow({ row, cells, shown, faulty }: SheetRow, columns: (string | null)[], own: Own = unknown): StatementRow {
  const cell = (column: Column) => cells[columns.indexOf(column)]?.trim() ?? ''
  const shownIn = (column: Column) => shown?.[columns.indexOf(column)] ?? cell(column)
  const written = cell('amount').replace(/[\s\u00a0₽]|руб\.?/gi, '')
  const outgoing = isOutgoing(written, cell, own)
  const kopecks = parseKopecks(written.replace(/^[+−-]/, '')) ?? (outgoing ? parseKopecks(cell('outgoing')) : undefined) ?? 0
  const date = calendarDay(cell('date'))
  const purpose = shownIn('purpose').replace(/\s+/g, ' ').slice(0, longestPurpose)
  const party = (outgoing && columns.includes('recipient') ? recipientColumns : payerColumns).map(shownIn) as [string, string, string]
  const texts = { number: shownIn('number'), payer: party[0], inn: digitsOf(party[1]), account: digitsOf(party[2]), purpose }
  if (faulty?.some((at) => columns[at])) return { row, ...texts, date, kopecks, outgoing: false, problem: faultyRow }
  return { row, ...texts, date, kopecks, outgoing, problem: problemOf(date, kopecks) }
}

const unknown: Own = { rs: null, inn: null }

const payerColumns: Column[] = ['payer', 'inn', 'payerAccount']
const recipientColumns: Column[] = ['recipient', 'recipientInn', 'recipientAccount']

const digitsOf = (text: string) => text.replace(/\D/g, '')

/** By the sign or a debit; else by whose account and INN are one's own; else by what the bank says of its account. */
function isOutgoing(amount: string, cell: (column: Column) => string, own: Own): boolean {
  if (/^[−-]/.test(amount) || (cell('outgoing') !== '' && parseKopecks(cell('outgoing')) !== 0)) return true
  const isOwn = (inn: Column, account: Column) =>
    Boolean(own.inn && digitsOf(cell(inn)) === own.inn) || Boolean(own.rs && digitsOf(cell(account)) === own.rs)
  const [fromUs, toUs] = [isOwn('inn', 'payerAccount'), isOwn('recipientInn', 'recipientAccount')]
  return fromUs === toUs ? cell('outgoing') === '' && cell('taken') === '1' : fromUs
}

const faultyRow = 'A cell of this row holds an error, or a formula without a computed value.'

function problemOf(date: string, kopecks: number): string | undefined {
  if (date === '') return 'The date cannot be read.'
  const wrongDay = problemOfDay(date)
  if (wrongDay) return wrongDay
  if (kopecks === 0 || !Number.isSafeInteger(kopecks)) return 'The amount cannot be read.'
}

function calendarDay(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[./](\d{1,2})[./](\d{4}|\d\d)(?:[ T].*)?$/.exec(text) ?? []
  const written = year
    ? `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    : text.replace(/^(\d{4}-\d\d-\d\d)(?:[ T].*)?$/, '$1')
  return parseDateTimeInput(`${written}T00:00`) === undefined ? '' : written
}
