import type Sqlite from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as schema from '../../database/schema/index.ts'
import { findSettings } from '../../database/settings.ts'
import { type Language, translator } from '../../i18n/translate.ts'
import { moduleAt } from '../../root.ts'
import type { Cell } from './csv.ts'
import type { DescribedSheet, Reading } from './described-sheet.ts'
import type { DescribedRows } from './write.ts'

/** Loads and describes the rows of a sheet with the functions of the module that declares it. */
export async function rowDescriber(client: Sqlite.Database, { module, seen, data }: DescribedRows, language: Language) {
  const { sheet } = (await import(moduleAt(module).href)) as { sheet: AnySheet }
  const db = Object.assign(drizzle(client, { schema }), { $client: client })
  const reading: Reading = { db, t: translator(language, findSettings(db)), language }
  const load = sheet.rows(reading, data)
  return (ids: number[]): Cell[][] => {
    const rows = new Map(load(ids).map((row) => [row.id, row]))
    return ids.flatMap((id) => (rows.has(id) ? [seen.map((place) => sheet.columns[place]?.value(rows.get(id), reading) ?? null)] : []))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: sheets of every kind
type AnySheet = DescribedSheet<any, any>
