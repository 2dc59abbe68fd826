import { sql } from 'drizzle-orm'
import { contains, countReferencing, type Database, type StoredRow, whereIn } from '../../database/index.ts'
import { authorOf } from '../../web/http.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { findReferenceRecord } from './card.ts'
import type { Reference, ReferenceRecord } from './reference.ts'

export function referenceList(
  db: Database,
  { name, table, title, addTitle, nameLabel, hasAddress, may }: Reference,
): List<ReferenceRecord> {
  const address = { key: 'address', label: 'Address' }
  return {
    name,
    title,
    add: { path: `/${name}/add`, label: addTitle },
    labelOf: (record) => record.name,
    columns: [{ key: 'name', label: nameLabel, show: 'link', sort: table.search }, ...(hasAddress ? [address] : [])],
    sizes: [25, 50, 'all'],
    sort: { key: 'name', dir: 'asc' },
    table,
    may,
    bulk: true,
    searched: 'name, address',
    find: (word) => contains('address' in table ? sql`concat_ws(char(10), ${table.name}, ${table.address})` : sql`${table.name}`, word),
    rows: (ids) => db.select().from(table).where(whereIn(table.id, ids)).all() as ReferenceRecord[],
  }
}

export function referenceDeletion(reference: Reference, list: List<ReferenceRecord>): Deletion<ReferenceRecord> {
  const { table, may, question, done, dependents, recordDependentChanges } = reference
  return {
    list,
    table,
    rule: may.delete,
    find: findReferenceRecord(reference),
    labelOf: (row: StoredRow) => String(row.name),
    question,
    done,
    consequences: (db, ids) => dependents.map(([text, column]) => [text, countReferencing(db, column, ids)]),
    whole: true,
    before: (request, ids) => void recordDependentChanges?.(request.server.db, ids, 'go', authorOf(request)),
    restored: (request, ids) => recordDependentChanges?.(request.server.db, ids, 'are back', authorOf(request)),
  }
}
