import type { Database } from '../open.ts'
import { categories, manufactures, stocks } from '../schema/index.ts'
import { daysAgo, readContent, timestamps } from './content.ts'

type Place = { name: string; address?: string }

export type References = Record<'categories' | 'stocks' | 'manufactures', Map<string, number>>

export function addReferences(db: Database): References {
  const content = readContent<Record<keyof References, Place[]>>('references')
  const add = (table: typeof categories | typeof stocks | typeof manufactures, places: Place[]) =>
    new Map(
      places.map(({ name, address }) => {
        const row = { name, address, ...timestamps(daysAgo(550)) }
        return [name, Number(db.insert(table).values(row).run().lastInsertRowid)]
      }),
    )
  return {
    categories: add(categories, content.categories),
    stocks: add(stocks, content.stocks),
    manufactures: add(manufactures, content.manufactures),
  }
}
