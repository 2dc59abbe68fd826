import { and, eq, gte, inArray, isNull, or } from 'drizzle-orm'
import { allows, isDealer } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import { companies, contractPrices } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { formatCalendarDate, today } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import { companyAccess } from '../companies/access.ts'
import type { Product } from '../products/product.ts'

const shown = 6

/** What companies that somebody sees in the list pay for a product by contract, today or later. */
export function viewOfContractPrices({ server: { db, records }, actor, t }: Context, { id }: Product) {
  const list = records.get('companies')?.list
  if (!list || isDealer(actor) || !seesPrices(actor) || !allows(companyAccess.list, actor)) return undefined
  const { company_id, product_id, from, until, price } = contractPrices
  const seen = db.select({ id: companies.id }).from(companies).where(conditionOf(list, actor))
  const where = and(eq(product_id, id), or(isNull(until), gte(until, today())), inArray(company_id, seen))
  const rows = db.select({ company_id, name: companies.org, from, until, price }).from(contractPrices)
  const named = rows.innerJoin(companies, eq(companies.id, company_id)).where(where).orderBy(companies.search, from).limit(shown).all()
  if (named.length === 0) return undefined
  return {
    rows: named.map((row) => ({ ...row, days: describeDays(t, row) })),
    more: countUpToLimit(db, contractPrices, where) - named.length,
  }
}

/** The days on which a price holds, as far as they are not today's. */
function describeDays(t: Translate, { from, until }: { from: string; until: string | null }): string {
  const begins = from > today() && t('From {date}', { date: formatCalendarDate(from) })
  const ends = until !== null && t('until {date}', { date: formatCalendarDate(until) })
  return [begins, ends].filter(Boolean).join(' ')
}
