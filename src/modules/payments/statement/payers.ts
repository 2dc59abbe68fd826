import { eq, sql } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { fold } from '../../../core/text.ts'
import { cachedUntilWrite, companies, type Database, payments, prepareOnce } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { findPayer, type Payer, selectPayers } from '../../ledger/payer.ts'
import type { StatementRow } from './columns.ts'

/** The companies that a row may be of: those with its INN, then those that somebody with this INN or account has paid for. */
export interface Payers {
  byInn: number[]
  before: number[]
}

export function payersOf(db: Database, row: StatementRow): Payers {
  const byInn = companiesByInn(db)
    .all({ inn: row.inn })
    .map(({ id }) => id)
  const payer = payerOf(row)
  const before = payer === null || row.outgoing ? [] : paidBefore(db).all({ payer })
  return { byInn, before: before.map(({ id }) => id as number).filter((id) => !byInn.includes(id)) }
}

/** By what somebody who pays is known again: the INN, or a settlement account. Many people pay by the other accounts of a bank. */
export function payerOf({ inn, account }: StatementRow): string | null {
  if (/^(\d{10}|\d{12})$/.test(inn)) return inn
  return /^40[5-8]\d{17}$/.test(account) ? account : null
}

/** The company that somebody may book payments of, if there is one with this id. */
export function payableCompany(context: Context, id: number): Payer | undefined {
  return payable(context, payersWithId(context.server.db, id))[0]
}

/** The companies that somebody may book payments of, by id, INN or name, or by both of these as they are offered. */
export function companiesNamed(context: Context, text: string): Payer[] {
  const { db } = context.server
  const [, inn] = /(?:^|\s)(\d{10}|\d{12})$/.exec(text) ?? []
  if (/^\d{1,9}$/.test(text)) return payable(context, payersWithId(db, Number(text)))
  const name = fold(text)
  if (inn) {
    const found = payable(context, companiesByInn(db).all({ inn }))
    const ofName = found.filter(({ org }) => name.startsWith(`${fold(org)},`))
    return ofName.length > 0 ? ofName : found
  }
  return payable(
    context,
    allCompanies(db).filter(({ org }) => fold(org) === name),
  )
}

/** So many companies a page offers; of more, one is named by its INN or name. */
const mostOffered = 300

export function offeredCompanies(context: Context): string[] {
  const found = payable(context, allCompanies(context.server.db))
  return found.length > mostOffered ? [] : found.map(({ org, inn }) => (inn ? `${org}, ${context.t('INN')} ${inn}` : org))
}

const payersWithId = (db: Database, id: number) => [findPayer(db, id)].filter((payer) => payer !== undefined)

function payable({ actor }: Context, found: Payer[]): Payer[] {
  return found.filter((payer) => allows(paymentAccess.decide, actor, payer))
}

const allCompanies = (db: Database): Payer[] =>
  cachedUntilWrite(db, 'companies that pay', () => selectPayers(db).orderBy(companies.search, companies.id).all())

const companiesByInn = prepareOnce((db) =>
  selectPayers(db)
    .where(sql`${eq(companies.inn, sql.placeholder('inn'))} and ${companies.inn} <> ''`)
    .orderBy(companies.id)
    .prepare(),
)

const paidBefore = prepareOnce((db) =>
  db
    .selectDistinct({ id: payments.company_id })
    .from(payments)
    .where(sql`${eq(payments.payer, sql.placeholder('payer'))} and ${payments.state} = 'confirmed' and ${payments.company_id} is not null`)
    .prepare(),
)
