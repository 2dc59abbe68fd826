import { and, asc, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, checkAccess, group } from '../../core/access.ts'
import { fullName, searchWords } from '../../core/text.ts'
import { companies, containsWords, type Database, users, whereIn } from '../../database/index.ts'
import { matchingIds } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { type FormInput, parseId, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { type Choice, choiceLimit } from '../../records/fields/index.ts'
import { type FindChoices, loadChoices, showChoices } from '../../records/form/choices.ts'
import type { Order } from './order.ts'
import { discountsInForce } from './pricing/catalog.ts'
import { findRepeated } from './repeat-order.ts'

function canChooseAnyDealer(actor: Actor, mode: 'create' | 'edit'): boolean {
  return checkAccess(actor, mode === 'create' ? 'order_can_add' : 'order_can_edit')
}

export function dealerChoices(context: Context, order: Order | undefined, input: FormInput): Choice[] {
  const { db } = context.server
  const suggested = () => selectDealers(db, eq(users.id, suggestedDealer(context, input.query) ?? context.actor.id))
  const present = order ? currentDealerChoice(db, order) : suggested()
  return loadChoices(context, input, 'dealer_id', present, dealerFinder(order ? 'edit' : 'create'))
}

/** The dealer of the order that is repeated, or the one whom the address names, for those who may order for them. */
export function suggestedDealer(context: Context, query: URLSearchParams): number | undefined {
  const repeated = findRepeated(context, query)?.order
  const id = (repeated?.company_stays ? undefined : repeated?.dealer_id) ?? parseId(query.get('dealer'))
  return id ? dealerFinder('create')(context, { id })[0]?.id : undefined
}

/** The company of a dealer who moved without the order is none of its people's business. */
export function currentDealerChoice(db: Database, order: Order): Choice[] {
  return selectDealers(db, eq(users.id, order.dealer_id ?? 0), !order.company_stays)
}

export function showDealers(request: FastifyRequest, reply: FastifyReply) {
  return showChoices(dealerFinder(queryOf(request).get('mode') === 'edit' ? 'edit' : 'create'))(request, reply)
}

const discountsFragment = template<{ discounts: ReturnType<typeof discountsInForce> }>('orders/discounts.njk')

export function showDiscounts(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const dealer = chosenDealer(request, queryOf(request))
  return reply.page(discountsFragment, { discounts: discountsInForce(db, companyOfDealer(db, dealer?.id ?? null)) })
}

/** The dealer whom an address names, of those whom somebody may choose for an order. */
export function chosenDealer({ server, actor }: Context, query: URLSearchParams): Choice | undefined {
  const id = query.get('dealer_id')
  const any = canChooseAnyDealer(actor, 'create') || canChooseAnyDealer(actor, 'edit')
  const [dealer] = selectDealers(server.db, and(eq(users.id, parseId(id) ?? 0), scopeOf(actor, any)))
  if (id && !dealer) throw notFound()
  return dealer
}

export function companyOfDealer(db: Database, id: number | null): number | null {
  const own = and(eq(users.id, id ?? 0), eq(users.group_id, group.dealer))
  return db.select({ company_id: users.company_id }).from(users).where(own).get()?.company_id ?? null
}

function dealerFinder(mode: 'create' | 'edit'): FindChoices {
  return ({ server: { db }, actor }, by) => {
    const any = canChooseAnyDealer(actor, mode)
    if ('query' in by) return findDealers(db, actor, any, by.query)
    return selectDealers(db, and(eq(users.id, by.id), scopeOf(actor, any)))
  }
}

function findDealers(db: Database, actor: Actor, any: boolean, query: string): Choice[] {
  const canOrder = and(isNotNull(users.company_id), scopeOf(actor, any))
  const words = searchWords(query)
  if (words.length === 0) return selectDealers(db, canOrder)
  const text = sql`concat_ws(char(10), ${users.lastname}, ${users.name}, ${companies.org})`
  const found = containsWords(text, words)
  const first = sql`select ${users.id} from (${matchingIds('dealers', words)}) as near cross join ${users} on ${users.id} = near.id
    join ${companies} on ${companies.id} = ${users.company_id} where ${and(canOrder, found)} limit ${choiceLimit}`
  const ids = db.values<[number]>(first).map(([id]) => id)
  return selectDealers(db, whereIn(users.id, ids))
}

/** Those whose manager somebody is. */
function scopeOf(actor: Actor, any: boolean): SQL | undefined {
  return any ? undefined : inArray(sql`coalesce(${companies.manager_id}, ${users.manager_id})`, actor.managers)
}

function selectDealers(db: Database, where: SQL | undefined, withCompany = true): Choice[] {
  const { id, lastname, name, middlename } = users
  const people = db.select({ id, lastname, name, middlename, company: companies.org }).from(users)
  const dealers = people.leftJoin(companies, eq(companies.id, users.company_id)).where(and(eq(users.group_id, group.dealer), where))
  const found = dealers.orderBy(asc(id)).limit(choiceLimit).all()
  return found.map((dealer) => ({
    id: dealer.id,
    name: fullName(dealer),
    about: (withCompany && dealer.company) || undefined,
  }))
}
