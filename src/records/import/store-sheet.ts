import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import type { AnyRule } from '../../core/access.ts'
import { importRows, imports, type SheetRow, write } from '../../database/index.ts'
import { withoutWaiting } from '../../database/open.ts'
import { authorize } from '../../http/access/policy-hook.ts'
import type { Context } from '../../http/request/context.ts'
import { dailyLimit } from '../../http/uploads/folder.ts'
import { UploadQuota } from '../../http/uploads/quota.ts'
import { uploadedLastDay } from '../../http/uploads/store.ts'
import type { Sheet } from '../spreadsheet/read.ts'
import { keyChooser, matchColumns } from './columns.ts'
import type { ImportKind } from './import.ts'

/** Stores a sheet of records of a list. */
export function storeSheet(kind: ImportKind) {
  return (context: Context, file_name: string, sheet: Sheet): Promise<number> => {
    const fields = matchColumns(kind, sheet.headers)
    const keys = keyChooser(kind, fields, (id) => kind.card.find(context.server.db, id) !== undefined)
    return storeRows(context, { ...kind, fields, keys }, file_name, sheet)
  }
}

interface Stored {
  list: string
  rule: AnyRule
  /** What each column holds. */
  fields: (string | null)[]
  /** Chooses, after a look at all rows, by what they find their records. */
  keys: { look: (rows: SheetRow[]) => void; choose: () => string }
}

/**
 * Stores a sheet as an import, some rows at a time, so that others are served in between; nobody finds it before it is complete.
 * Returns its id. A 429 when its user has uploaded too much within a day.
 */
export async function storeRows(context: Context, { list, rule, fields, keys }: Stored, file_name: string, sheet: Sheet): Promise<number> {
  const { server, actor } = context
  const { db } = server
  if (uploadedLastDay(db, actor.id) + sheet.size > dailyLimit) throw new UploadQuota(db, actor.id).problem()
  const { headers, size, count } = sheet
  const values = { user_id: actor.id, list, file_name, headers, fields, size, key_field: '', created_at: Date.now() }
  const id = withoutWaiting(db, () => write(db, () => Number(db.insert(imports).values(values).run().lastInsertRowid)))
  try {
    for await (const piece of sheet.read()) {
      keys.look(JSON.parse(piece))
      const values = { import_id: id, rows: sql`${piece}` }
      withoutWaiting(db, () => write(db, () => db.insert(importRows).values(values).run()))
      await yieldToLoop()
    }
    write(db, () => {
      authorize(rule, context.renew().actor)
      db.update(imports).set({ key_field: keys.choose(), row_count: count }).where(eq(imports.id, id)).run()
    })
  } catch (error) {
    write(db, () => db.delete(imports).where(eq(imports.id, id)).run())
    throw error
  }
  return id
}
