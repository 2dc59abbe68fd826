import { integer, listOf, objectOf } from './json-schema.ts'
import { type BaseField, type Declared, type Description, type FieldKind, type FieldOptions, isEmpty } from './kind.ts'
import type { StoredKeys, ValueOf } from './values.ts'

type Part = BaseField & { kind: string }
type Row = Record<string, unknown>

/** A list of rows, each of fields of its own. */
export interface RepeaterField<Parts = Record<string, Part>> extends BaseField {
  kind: 'repeater'
  rows: Parts
  /** By what a row is known: its id, or its file where rows have none. */
  key: 'id' | 'file'
  /** What one of its rows is called, with its number. */
  rowLabel: string
  addLabel?: string
  /** A template that shows a row by the names of its parts; without one they stand beside each other. */
  rowTemplate?: string
  /** New rows in which nothing was typed are none. */
  ignoresBlank?: true
  /** The part that no two rows share. */
  unique?: string
  duplicateWarning?: { part: string; warning: string }
  /** Cells of a sheet can be pasted into its rows. */
  pastes?: true
  /** What stands where there is no row yet. */
  empty?: { title: string; text: string }
}

type Options<S> = FieldOptions &
  Pick<RepeaterField, 'key' | 'rowLabel' | 'addLabel' | 'rowTemplate' | 'ignoresBlank' | 'pastes' | 'empty'> & {
    unique?: keyof S & string
    duplicateWarning?: { part: keyof S & string; warning: string }
  }

export function repeater<S extends Record<string, Part>, const O extends Options<S>>(label: string, rows: S, options: O) {
  return { ...options, kind: 'repeater', label, rows } as unknown as Declared<RepeaterField<S>, RowOf<S, O>[], O>
}

export const repeaterKind: FieldKind<RepeaterField, Row[]> = {
  parse: () => undefined,
  show: () => '',
  describe: (value, { rows }, description) => value.map((row) => describeRow(row, rows, description)).join('; ') || '—',
  json: {
    schema: ({ rows }, schemaOf) => listOf(objectOf({ id: integer, ...mapParts(rows, schemaOf) })),
    filled: true,
    show: (value, { rows }, show) => value.map((row) => showRow(row, rows, show)),
    // Its rows are read one by one.
    read: () => undefined,
  },
  cell: { typed: (cell) => cell },
  input: { macro: 'repeater', alone: true },
}

/** Whether its rows hold from a day, such as prices. */
export function isDated({ rows, unique = '' }: RepeaterField): boolean {
  return rows[unique]?.kind === 'date'
}

function describeRow(row: Row, parts: Record<string, Part>, description: Description): string {
  const { name, t, fileName, describe } = description
  const words = Object.entries(parts).flatMap(([part, field], at, all) => {
    const value = row[part]
    if (field.kind === 'upload') return fileName?.(String(value), name) ?? []
    if (isEmpty(value)) return []
    if (field.kind === 'switch') return t(field.label)
    const text = describe(`${name}.${part}`, field, value)
    return at === 0 || all.length === 2 ? text : `${t(field.label)} ${text}`
  })
  return [words[0], words.slice(1).join(', ')].filter(Boolean).join(': ')
}

function mapParts<T>(parts: Record<string, Part>, map: (field: Part) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(parts).map(([name, field]) => [name, map(field)]))
}

function showRow(row: Row, parts: Record<string, Part>, show: (field: Part, value: unknown) => unknown): Row {
  const held = Object.entries(parts).filter(([part]) => part in row)
  return { ...('id' in row && { id: row.id }), ...Object.fromEntries(held.map(([part, field]) => [part, show(field, row[part])])) }
}

/** The type of a row of these parts. */
type RowOf<S extends Record<string, BaseField>, O = unknown> = (O extends { readonly key: 'id' } ? { id?: number } : unknown) & {
  [K in StoredKeys<S>]: ValueOf<S[K]>
}
