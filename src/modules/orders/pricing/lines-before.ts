import { isDealer } from '../../../core/access.ts'
import type { Catalog } from './catalog.ts'
import type { Item, SentItem } from './lines.ts'

/**
 * What each line was before: the one with its id. Of somebody with a discount limit, a new line without product in place of one of its
 * category that they drop in the same saving is that line, which has lost its product.
 */
export function linesBefore({ actor, inUse, limit }: Catalog, sent: readonly SentItem[], written: readonly Item[]): (Item | undefined)[] {
  const byId = new Map(written.map((item) => [item.id, item]))
  const named = sent.map(({ id }) => (id === undefined ? undefined : byId.get(id)))
  if (!inUse || isDealer(actor) || limit === 100) return named
  const dropped = written.filter((item) => (item.piece_price ?? item.replaced_price) != null && !named.includes(item))
  const added = sent.filter((_, at) => named[at] === undefined)
  // A product that is sent anew is not dropped.
  for (const { product_id } of added) if (product_id) take(dropped, (item) => item.product_id === product_id)
  const replaced = new Map(
    added.map((line) => [line, line.product_id ? undefined : take(dropped, (item) => item.category_id === line.category_id)]),
  )
  return sent.map((line, at) => named[at] ?? replaced.get(line))
}

function take(items: Item[], fits: (item: Item) => boolean): Item | undefined {
  const at = items.findIndex(fits)
  return at < 0 ? undefined : items.splice(at, 1)[0]
}
