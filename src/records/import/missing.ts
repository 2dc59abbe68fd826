import { allows, ignoringScope } from '../../core/access.ts'
import type { SheetRow } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { findKeys } from './find-record.ts'
import { type Import, importKindOf } from './import.ts'

/** The records of the list that no row names, for those who may change them; none where no row names any, as the sheet may be of something else. */
export function missingRecords({ server, actor }: Pick<Context, 'server' | 'actor'>, sheet: Import, rows: SheetRow[]): number[] {
  const kind = importKindOf(server, sheet)
  if (!kind.missing || !allows(ignoringScope(kind.card.may.edit), actor)) return []
  const named = new Set([...findKeys(server.db, kind, sheet, rows).values()].flat())
  return named.size > 0 ? kind.missing.ids(server.db).filter((id) => !named.has(id)) : []
}
