import type { FastifyInstance } from 'fastify'
import type { AnyResource } from '../../records/kind/resource.ts'

/** In the description these come first; others follow as their modules declare them. */
const leading = ['orders', 'payments', 'ledger', 'companies', 'dealers', 'products', 'statuses', 'stocks', 'manufactures', 'categories']

const placeOf = ({ name }: AnyResource) => (leading.includes(name) ? leading.indexOf(name) : leading.length)

export function resourcesOf({ records }: Pick<FastifyInstance, 'records'>): AnyResource[] {
  return [...records.values()].flatMap(({ api }) => api ?? []).sort((one, other) => placeOf(one) - placeOf(other))
}
