import { type Actor, allows, group, isDealer } from '../../core/access.ts'
import type { Database } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { EmptyList } from '../../records/list/empty-list.ts'
import { lackOfCompanies } from '../companies/assigned.ts'
import { productAccess } from '../products/access.ts'
import { lacksProducts, neededFirst } from './needed-first.ts'

/** What somebody reads where their orders will stand; before there is what to order nobody can. */
export function emptyOrders(context: Context): EmptyList {
  const { server, actor } = context
  const add = neededFirst(server.db)
  const first = { add, way: add?.way }
  const [title, why] = ['No orders yet', add && allows(add.rule, actor) && add.why]
  if (isDealer(actor)) return emptyToDealers(server.db, add)
  if (actor.group_id === group.manager) return lackOfCompanies(context) ?? { title, text: why || whatWaits, ...first }
  if (actor.group_id === group.production) return lackOfWorkplace(actor) ?? { title, text: whatIsMade }
  return { title, text: why || 'Orders that dealers place for their customers appear here and move on from status to status.', ...first }
}

function emptyToDealers(db: Database, add: ReturnType<typeof neededFirst>): EmptyList {
  if (lacksProducts(db)) return { title: 'Your orders appear here', text: nothingToOrder, add }
  const text = 'Choose products, sizes and quantities. From then on you see here how far each order has come.'
  return {
    title: 'Place your first order',
    text,
    add,
    way: { path: '/products', label: 'Products and your prices', rule: productAccess.list },
  }
}

const whatWaits = 'Orders of your companies appear here: what waits for you, and how far each has come.'

const whatIsMade = 'Orders of your site and warehouse appear here: what is to be made, and by when.'

/** What dealers read before there is what to order. */
export const nothingToOrder = 'There is nothing to order yet: products are still being entered. Once one is for sale, you can order here.'

/** Of people in production, who see what is made or stored where they work. */
function lackOfWorkplace({ stock_id, manufacture_id }: Actor): EmptyList | undefined {
  if (stock_id !== null || manufacture_id !== null) return undefined
  return {
    title: 'Your workplace is not set yet',
    text: 'You are assigned to no production site and no warehouse. Ask an administrator: then its orders appear here.',
  }
}
