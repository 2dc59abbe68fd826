import { sql } from 'drizzle-orm'
import { among, countPointing } from '../../database/among.ts'
import type { Database } from '../../database/open.ts'
import type { StoredRow } from '../../database/schema/journal.ts'
import { authorOf } from '../../web/http.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { finderOf } from './card.ts'
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
    template: 'references/rows.njk',
    columns: [{ key: 'name', label: nameLabel, sort: sql`${table.search}` }, ...(hasAddress ? [address] : [])],
    sizes: [25, 50, 'all'],
    sort: { key: 'name', dir: 'asc' },
    table,
    may,
    bulk: true,
    find: (word) => sql`instr(${table.search}, ${word}) > 0`,
    rows: (ids) => db.select().from(table).where(among(table.id, ids)).all() as ReferenceRecord[],
  }
}

export function referenceDeletion(reference: Reference, list: List<ReferenceRecord>): Deletion<ReferenceRecord> {
  const { table, may, question, done, pointing, tellOthers } = reference
  return {
    list,
    table,
    rule: may.delete,
    find: finderOf(reference),
    labelOf: (row: StoredRow) => String(row.name),
    question,
    done,
    consequences: (db, ids) => pointing.map(([text, column]) => [text, countPointing(db, column, ids)]),
    before: (request, ids) => void tellOthers?.(request.server.db, ids, 'go', authorOf(request)),
    restored: (request, ids) => tellOthers?.(request.server.db, ids, 'are back', authorOf(request)),
  }
}
