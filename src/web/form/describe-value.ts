import type { Translate } from '../../i18n/translate.ts'
import { formatCalendarDate, formatDateTime, formatDecimal } from '../view/format.ts'
import { type Field, type FormState, holdsFile, type Row } from './form.ts'

type FileName = (key: string, field: string) => string | undefined

/** What of a field is needed to describe its values. */
export interface FieldWords extends Pick<Field, 'kind' | 'label' | 'none' | 'values'> {
  rows?: Record<string, FieldWords>
}

export function describeValue(
  name: string,
  field: FieldWords,
  value: unknown,
  choices: FormState['choices'],
  t: Translate,
  fileName?: FileName,
): string {
  if (field.kind === 'password' || field.kind === 'proof') return '••••••••'
  if (value === null || value === undefined || value === '') return field.none ? t(field.none) : '—'
  if (field.rows) return describeRows(name, field.rows, value as Row[], choices, t, fileName)
  if (field.kind === 'several') return (value as string[]).map((key) => t(field.values?.[key] ?? key)).join(', ')
  if (field.values) return t(field.values[String(value)] ?? String(value))
  if (field.kind === 'switch') return t(value ? 'Yes' : 'No')
  if (field.kind === 'money') return t.money(value as number)
  if (field.kind === 'decimal') return formatDecimal(value as number)
  if (field.kind === 'date') return formatCalendarDate(String(value))
  if (field.kind === 'dateTime') return formatDateTime(value as number)
  if (field.kind === 'images') return describeImages(name, value as string[], t, fileName)
  if (holdsFile(field)) return fileName?.(String(value), name) ?? t(field.kind === 'image' ? 'Photo' : 'File')
  if (field.kind === 'choice') return choices[name]?.find((option) => option.id === value)?.name ?? `#${value}`
  return String(value)
}

function describeImages(name: string, keys: string[], t: Translate, fileName?: FileName): string {
  return fileName ? keys.map((key) => fileName(key, name) ?? t('Photo')).join(', ') : t('{count} images', { count: keys.length })
}

function describeRows(
  name: string,
  fields: Record<string, FieldWords>,
  rows: Row[],
  choices: FormState['choices'],
  t: Translate,
  fileName?: FileName,
): string {
  const describeRow = (row: Row) => {
    const parts = Object.entries(fields).flatMap(([part, field], at, all) => {
      const value = row[part]
      if (field.kind === 'upload') return fileName?.(String(value), name) ?? []
      if (isEmpty(value)) return []
      if (field.kind === 'switch') return t(field.label)
      const words = describeValue(`${name}.${part}`, field, value, choices, t)
      return at === 0 || all.length === 2 ? words : `${t(field.label)} ${words}`
    })
    return [parts[0], parts.slice(1).join(', ')].filter(Boolean).join(': ')
  }
  return rows.map(describeRow).join('; ') || '—'
}

export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)
}
