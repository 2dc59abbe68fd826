import type { Translate } from '../../i18n/translate.ts'
import type { Field } from '../form/fields.ts'
import type { FormPage } from '../form/form.ts'
import { describeValue } from '../form/view.ts'

type Row = Record<string, unknown>

export interface FormatContext {
  fields: ReadonlyMap<string, Field>
  choices: FormPage['choices']
  fileName: (key: string) => string | undefined
  t: Translate
  language: 'en' | 'ru'
}

export function changedRows(before: unknown, after: unknown): [Row[], Row[]] {
  const [old, now] = [before, after].map((rows) => (rows ?? []) as Row[]) as [Row[], Row[]]
  const less = (rows: Row[], others: Row[]) => {
    const known = new Set(others.map((row) => JSON.stringify(row)))
    return rows.filter((row) => !known.has(JSON.stringify(row)))
  }
  const changed: [Row[], Row[]] = [less(old, now), less(now, old)]
  return changed.some((rows) => rows.length > 0) ? changed : [old, now]
}

export function formatRows(
  name: string,
  fields: Record<string, Field>,
  rows: Row[],
  reader: Pick<FormatContext, 'choices' | 'fileName' | 't'>,
): string {
  return rows.map((row) => formatRow(name, fields, row, reader)).join('; ')
}

function formatRow(
  name: string,
  fields: Record<string, Field>,
  row: Row,
  { choices, fileName, t }: Pick<FormatContext, 'choices' | 'fileName' | 't'>,
): string {
  const parts = Object.entries(fields).flatMap(([part, field], at, all) => {
    const value = row[part]
    if (field.kind === 'upload') return fileName(String(value)) ?? []
    if (value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return []
    if (field.kind === 'switch') return t(field.label)
    const words = describeValue(`${name}.${part}`, field, value, choices, t)
    return at === 0 || all.length === 2 ? words : `${t(field.label)} ${words}`
  })
  return [parts[0], parts.slice(1).join(', ')].filter(Boolean).join(': ')
}
