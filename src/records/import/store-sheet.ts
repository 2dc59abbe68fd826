import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { AnyRule } from '../../core/access.ts'
import { importRows, imports, type SheetRow, write } from '../../database/index.ts'
import { withoutWaiting } from '../../database/open.ts'
import { authorize } from '../../http/access/authorize.ts'
import { renew } from '../../http/access/policy-hook.ts'
import { dailyLimit } from '../../http/uploads/folder.ts'
import { UploadQuota } from '../../http/uploads/quota.ts'
import { uploadedLastDay } from '../../http/uploads/store.ts'
import type { Sheet } from '../spreadsheet/read.ts'
import { columnMatcher, saysWithoutVat } from './columns.ts'
import type { ImportKind } from './import.ts'
import { findLayout, type Layout, type MatchColumns } from './layout.ts'
import type { SentFile, StoreSheet } from './receive-file.ts'
import { skippedRows } from './skipped-rows.ts'

/** Stores a sheet of records of a list. */
export function storeSheet(kind: ImportKind): StoreSheet {
  return async (request, file, sheet) => {
    const { db } = request.server
    const layout = await layoutOfSheet(sheet, columnMatcher(db, kind))
    const chooser = keyChooser(kind, layout.fields, (id) => kind.card.find(db, id) !== undefined)
    const isSkipped = skippedRows(kind, layout)
    const keys = { ...chooser, look: (rows: SheetRow[]) => chooser.look(rows.filter((row) => !isSkipped(row))) }
    return storeRows(request, { ...kind, layout: { ...layout, without_vat: saysWithoutVat(layout) }, keys }, file, sheet)
  }
}

/** Where the headings of a file are that is being received. */
export function layoutOfSheet({ read }: Sheet, match: MatchColumns): Promise<Layout> {
  return findLayout(piecesOf(read()), match)
}

/** Others are served between them. */
async function* piecesOf(pieces: AsyncIterable<string>): AsyncGenerator<SheetRow[]> {
  for await (const piece of pieces) {
    yield JSON.parse(piece)
    await yieldToLoop()
  }
}

interface Stored {
  list: string
  rule: AnyRule
  layout: Layout & { without_vat?: boolean }
  /** Chooses, after a look at all rows below the headings, by what they find their records. */
  keys: { look: (rows: SheetRow[]) => void; choose: () => string }
}

/**
 * Stores a sheet as an import, some rows at a time, so that others are served in between; nobody finds it before it is complete.
 * Returns its id. A 429 when its user has uploaded too much within a day.
 */
export async function storeRows(
  request: FastifyRequest,
  { list, rule, layout, keys }: Stored,
  file: SentFile,
  sheet: Sheet,
): Promise<number> {
  const { server, actor } = request
  const { db } = server
  const { size, sheets, sheet: name } = sheet
  if (uploadedLastDay(db, actor.id) + size > dailyLimit) throw new UploadQuota(db, actor.id).problem()
  const { row_count, ...found } = layout
  const source = { file_name: file.name, upload: file.key, sheets, sheet: name }
  const values = { user_id: actor.id, list, ...source, ...found, size, key_field: '', created_at: Date.now() }
  const id = withoutWaiting(db, () => write(db, () => Number(db.insert(imports).values(values).run().lastInsertRowid)))
  try {
    for await (const piece of sheet.read()) {
      keys.look((JSON.parse(piece) as SheetRow[]).filter(({ row }) => row > layout.heading_last))
      const values = { import_id: id, rows: sql`${piece}` }
      withoutWaiting(db, () => write(db, () => db.insert(importRows).values(values).run()))
      await yieldToLoop()
    }
    write(db, () => {
      authorize(rule, renew(request).actor)
      db.update(imports).set({ key_field: keys.choose(), row_count }).where(eq(imports.id, id)).run()
    })
  } catch (error) {
    write(db, () => db.delete(imports).where(eq(imports.id, id)).run())
    throw error
  }
  return id
}

/** Looks at some rows at a time, then chooses the first key that every row has; ids only when all of them are known here. */
function keyChooser({ keys, card, splits = {} }: ImportKind, fields: (string | null)[], isKnown: (id: number) => boolean) {
  const columnOf = (key: string) => fields.findIndex((name) => name === key || (name && splits[name]?.fields.includes(key)))
  const present = keys.filter((key) => columnOf(key) >= 0)
  let complete = fields.includes('id') ? ['id', ...present] : present
  const hasKey = ({ cells }: SheetRow, key: string) => {
    const cell = cells[columnOf(key)]
    return cell && (key !== 'id' || isKnown(Number(cell)))
  }
  return {
    look(rows: SheetRow[]): void {
      complete = complete.filter((key) => rows.every((row) => hasKey(row, key)))
    },
    choose: (): string => complete[0] ?? present.at(-1) ?? keys.at(-1) ?? card.list,
  }
}
