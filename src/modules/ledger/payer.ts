import { eq, sql } from 'drizzle-orm'
import { companies, type Database, prepareOnce } from '../../database/index.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import type { PaymentFacts } from './access.ts'

/** A company with what decides about access to its payments. */
export type Payer = PaymentFacts & { id: number; company_id: number; org: string; inn: string | null }

export const findPayer: FindRecord<Payer> = (db, id) => byId(db).get({ id })

export const selectPayers = (db: Database) => {
  const { id, org, inn, manager_id, manufacture_id, stock_id } = companies
  const facts = { company_id: sql<number>`${id}`, manager_id, company_manufacture_id: manufacture_id, company_stock_id: stock_id }
  return db.select({ id, org, inn, ...facts }).from(companies)
}

const byId = prepareOnce((db, params) => selectPayers(db).where(eq(companies.id, params.id)).prepare())
