import { isForeignAccount } from '../../../core/payments.ts'
import { fold } from '../../../core/text.ts'
import type { SheetRow } from '../../../database/index.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { parseDateTimeInput, parseKopecks, today } from '../../../i18n/format.ts'

/** What a bank says of a payment. */
export interface StatementRow {
  row: number
  number: string
  /** Empty where the bank's cannot be read. */
  date: string
  kopecks: number
  payer: string
  inn: string
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

type Column = 'number' | 'date' | 'amount' | 'payer' | 'inn' | 'purpose' | 'outgoing' | 'currency' | 'account'

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
  account: ['account', 'accountnumber', 'счет', 'номерсчета', 'расчетныйсчет', 'счетполучателя', 'расчетныйсчетполучателя', 'рс'],
}

const required: Column[] = ['date', 'amount', 'purpose']

/**
 * The column that each header names, or nothing.
 * @throws HttpError (422) when a column is missing without which nothing can be booked
 */
export function statementColumns(titles: (string | null)[]): (Column | null)[] {
  const names = titles.map((title) => fold(title ?? '').replace(/[^\p{L}]/gu, ''))
  const columns = names.map((name) => (Object.keys(headers) as Column[]).find((column) => headers[column].includes(name)) ?? null)
  if (required.some((column) => !columns.includes(column)))
    throw new HttpError(
      422,
      'This is no bank statement that can be read: use 1CClientBankExchange, or a table with date, amount, payer and purpose.',
    )
  return columns.map((column, at) => (columns.indexOf(column) === at ? column : null))
}

const rubles = /^(?:|rub|rur|(?:russian)?r(?:o)?ubles?|руб|(?:росс\p{L}*)?рубл\p{L}*(?:рф|россии)?|643|810)$/u

/** Whether money that came in is of another currency than the ruble, by its name or code, or by the account. */
export function isForeign(row: SheetRow, columns: (string | null)[]): boolean {
  const cell = (column: Column) => fold(row.cells[columns.indexOf(column)] ?? '').replace(/[^\p{L}\d]/gu, '')
  return !readStatementRow(row, columns).outgoing && !(rubles.test(cell('currency')) && !isForeignAccount(cell('account')))
}

/** Banks transmit up to 210 characters. */
const longestPurpose = 500

export function readStatementRow({ row, cells, shown, faulty }: SheetRow, columns: (string | null)[]): StatementRow {
  const cell = (column: Column) => cells[columns.indexOf(column)]?.trim() ?? ''
  const shownIn = (column: Column) => shown?.[columns.indexOf(column)] ?? cell(column)
  const written = cell('amount').replace(/[\s\u00a0₽]|руб\.?/gi, '')
  const outgoing =
    written.startsWith('-') || written.startsWith('−') || (cell('outgoing') !== '' && !(parseKopecks(cell('outgoing')) === 0))
  const kopecks = parseKopecks(written.replace(/^[+−-]/, '')) ?? (outgoing ? parseKopecks(cell('outgoing')) : undefined) ?? 0
  const date = calendarDay(cell('date'))
  const purpose = shownIn('purpose').replace(/\s+/g, ' ').slice(0, longestPurpose)
  const texts = { number: shownIn('number'), payer: shownIn('payer'), inn: shownIn('inn').replace(/\D/g, ''), purpose }
  if (faulty?.some((at) => columns[at])) return { row, ...texts, date, kopecks, outgoing: false, problem: faultyRow }
  return { row, ...texts, date, kopecks, outgoing, problem: outgoing ? undefined : problemOf(date, kopecks) }
}

const faultyRow = 'A cell of this row holds an error, or a formula without a computed value.'

function problemOf(date: string, kopecks: number): string | undefined {
  if (date === '') return 'The date cannot be read.'
  if (date > today()) return 'A payment cannot be dated in the future.'
  if (kopecks === 0 || !Number.isSafeInteger(kopecks)) return 'The amount cannot be read.'
}

function calendarDay(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[./](\d{1,2})[./](\d{4}|\d\d)(?:[ T].*)?$/.exec(text) ?? []
  const written = year
    ? `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    : text.replace(/^(\d{4}-\d\d-\d\d)(?:[ T].*)?$/, '$1')
  return parseDateTimeInput(`${written}T00:00`) === undefined ? '' : written
}
