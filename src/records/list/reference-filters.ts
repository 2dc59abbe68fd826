import { eq, getTableName, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { categories, Database, manufactures, stocks } from '../../database/index.ts'
import { parseId } from '../../http/request/input.ts'
import type { Choice } from '../fields/index.ts'
import { mayBeNamed } from './conditions.ts'
import { unlimited } from './ids.ts'
import type { Filter } from './list.ts'
import { type NamedIds, namedBy, toOptions } from './record-filters.ts'

/** A short list of names that others refer to. */
type ReferenceTable = typeof stocks | typeof manufactures | typeof categories

export function nameChoices(db: Database, table: ReferenceTable, where?: SQL, limit = unlimited): Choice[] {
  return db.select({ id: table.id, name: table.name }).from(table).where(where).orderBy(table.search, table.id).limit(limit).all()
}

/** A filter by one record of a reference list. */
export function referenceFilter(name: string, label: string, table: ReferenceTable, where: (id: number) => SQL, named: NamedIds): Filter {
  return {
    name,
    label,
    further: true,
    options: (context, limit, seen) =>
      toOptions(nameChoices(context.server.db, table, mayBeNamed(context, getTableName(table), table.id, named(seen)), limit)),
    where: (value) => {
      const id = parseId(value)
      return id === undefined ? undefined : where(id)
    },
  }
}

/** A filter by the record of a reference list that a column names. */
export function columnFilter(name: string, label: string, table: ReferenceTable, column: SQLiteColumn): Filter {
  return referenceFilter(name, label, table, (id) => eq(column, id), namedBy(column))
}
