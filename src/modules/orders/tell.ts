import { eq } from 'drizzle-orm'
import { seesPrices } from '../../core/prices.ts'
import { companies, orders, prepareOnce } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { HistoryEntry } from '../../records/history/entries.ts'
import { historyOf, sentenceOf } from './transitions/history.ts'

/** That an order was placed or took a step is told as on its page; besides, whose it is and what it costs. */
export const orderTeller = {
  entity: 'orders',
  tell: (context: Context, entry: HistoryEntry) => ({
    sentence: sentenceFor(context, entry),
    about: describeOrder(context, entry.record_id),
    href: url(context.server, `/orders/${entry.record_id}`),
  }),
}

function sentenceFor(context: Context, { action, record_id, record_version, actor_name }: HistoryEntry): string | undefined {
  const { server, t } = context
  if (action === 'create') return t('{name} {done}', { name: actor_name, done: t('placed the order') })
  const row = historyOf(server.db)
    .all({ order: record_id })
    .find(({ step }) => step.record_version === record_version)
  return row && sentenceOf(context, row.step, false)
}

function describeOrder({ server, actor, t }: Context, id: number): string[] {
  const order = companyAndCost(server.db).get({ id })
  return [...(order?.company ? [order.company] : []), ...(order && seesPrices(actor) ? [t.money(order.cost)] : [])]
}

/** What decides about access to an order and its steps takes ten times as long to read. */
const companyAndCost = prepareOnce((db, params) => {
  const ofOwner = eq(companies.id, orders.owner_company_id)
  const columns = { company: companies.org, cost: orders.cost }
  return db.select(columns).from(orders).leftJoin(companies, ofOwner).where(eq(orders.id, params.id)).prepare()
})
