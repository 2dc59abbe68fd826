import { and, asc, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, checkAccess, group } from '../../core/access.ts'
import { fullName, searchTerm, searchWords } from '../../core/text.ts'
import { among } from '../../database/among.ts'
import type { Database } from '../../database/open.ts'
import { companies, users } from '../../database/schema/index.ts'
import { type FindChoices, offered, offeredChoices, showChoices } from '../../web/form/choices.ts'
import type { Choice } from '../../web/form/fields.ts'
import { notFound } from '../../web/http.ts'
import { queryOf } from '../../web/list/state.ts'
import { parseId } from '../../web/policy.ts'
import { companiesCalled, companyTerms } from '../companies/called.ts'
import { dealerIds } from '../people/dealer-ids.ts'
import { discountsInForce } from './items.ts'
import type { Order } from './order.ts'

/** Whether a person may choose among all dealers, for a new order or for one that exists. */
export function choosesAnyDealer(actor: Actor, mode: 'create' | 'edit'): boolean {
  return checkAccess(actor, mode === 'create' ? 'order_can_add' : 'order_can_edit')
}

/** The dealers that the form of an order offers: its own, the one that was chosen, and what the search finds. */
export function dealerChoices(request: FastifyRequest, order: Order | undefined): Choice[] {
  const present = dealersWhere(request.server.db, eq(users.id, (order ? order.dealer_id : request.actor.id) ?? 0))
  return offeredChoices(request, 'dealer_id', present, dealersFor(order ? 'edit' : 'create'))
}

/** The dealer of an order alone, for whoever may not choose another. */
export function presentDealer(db: Database, order: Order): Choice[] {
  return dealersWhere(db, eq(users.id, order.dealer_id ?? 0))
}

/** GET of the dealers that a search finds, as options for the browser. */
export function showDealers(request: FastifyRequest, reply: FastifyReply) {
  return showChoices(dealersFor(queryOf(request).get('mode') === 'edit' ? 'edit' : 'create'))(request, reply)
}

/** GET of the discounts in force for a dealer's company, which the browser counts with. */
export function showDiscounts(request: FastifyRequest, reply: FastifyReply) {
  const { server, actor } = request
  const id = queryOf(request).get('dealer_id')
  const any = choosesAnyDealer(actor, 'create') || choosesAnyDealer(actor, 'edit')
  const [dealer] = dealersWhere(server.db, and(eq(users.id, parseId(id) ?? 0), scopeOf(actor, any)))
  if (id && !dealer) throw notFound()
  return reply.page('orders/discounts.njk', { discounts: discountsInForce(server.db, companyOfDealer(server.db, dealer?.id ?? null)) })
}

/** The company that a dealer belongs to now. */
export function companyOfDealer(db: Database, id: number | null): number | null {
  const own = and(eq(users.id, id ?? 0), eq(users.group_id, group.dealer))
  return db.select({ company_id: users.company_id }).from(users).where(own).get()?.company_id ?? null
}

/** What a person may choose for a new order, or for one that exists. */
function dealersFor(mode: 'create' | 'edit'): FindChoices {
  return ({ server: { db }, actor }, by) => {
    const any = choosesAnyDealer(actor, mode)
    if ('query' in by) return findDealers(db, actor, any, by.query)
    return dealersWhere(db, and(eq(users.id, by.id), scopeOf(actor, any)))
  }
}

/** Dealers who can order, for this person to choose from. */
function findDealers(db: Database, actor: Actor, any: boolean, query: string): Choice[] {
  const canOrder = and(isNotNull(users.company_id), scopeOf(actor, any))
  const terms = searchWords(query).map((word) => [searchTerm(word), ...companyTerms(db, companiesCalled(word))])
  if (terms.length === 0) return dealersWhere(db, canOrder)
  const own = sql`select ${companies.id} from ${companies} where ${eq(companies.manager_id, actor.id)}`
  const found = dealerIds(any ? terms : [...terms, ['none', ...companyTerms(db, own)]])
  const first = sql`select ${users.id} from (${found} order by rowid) as found cross join ${users} on ${users.id} = found.id
    where ${isNotNull(users.company_id)} limit ${offered}`
  const ids = db.values<[number]>(first).map(([id]) => id)
  return dealersWhere(db, and(among(users.id, ids), canOrder))
}

function scopeOf(actor: Actor, any: boolean): SQL | undefined {
  return any ? undefined : eq(companies.manager_id, actor.id)
}

function dealersWhere(db: Database, where: SQL | undefined): Choice[] {
  const { id, lastname, name, middlename } = users
  return db
    .select({ id, lastname, name, middlename, company: companies.org })
    .from(users)
    .leftJoin(companies, eq(companies.id, users.company_id))
    .where(and(eq(users.group_id, group.dealer), where))
    .orderBy(asc(id))
    .limit(offered)
    .all()
    .map((dealer) => ({ id: dealer.id, name: [fullName(dealer), dealer.company].filter(Boolean).join(' · ') }))
}
