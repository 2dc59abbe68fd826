import { type StatusPolicyKey, statusPolicyNames } from '../../core/default-workflow.ts'
import { excerptDifference } from '../../core/difference-excerpt.ts'
import { type PolicyKey, policyCatalog } from '../../core/policies.ts'
import type { ChangedFields } from '../../database/schema/audit-log.ts'
import { type Field, holdsFile, toggle } from '../form/fields.ts'
import { describeValue } from '../form/view.ts'
import { changedRows, type FormatContext, formatRows } from './rows.ts'

export interface FieldChange {
  label: string
  secret: boolean
  before: string
  after: string
}

/** The changes of one entry in the order of the form, without fields that nobody may see. */
export function formatChanges(changed: ChangedFields, context: FormatContext): FieldChange[] {
  const names = [...context.fields.keys(), ...Object.keys(changed).filter((name) => name.includes('.'))]
  return names.filter((name) => name in changed).flatMap((name) => formatChange(name, changed[name] as [unknown, unknown], context) ?? [])
}

function formatChange(name: string, [before, after]: [unknown, unknown], context: FormatContext): FieldChange | undefined {
  const field = context.fields.get(name) ?? switchField(name, context)
  if (!field) return undefined
  const secret = field.kind === 'password'
  if (!secret && isEmpty(before) && isEmpty(after) && (before === null || after === null)) return undefined
  const [old, now] = field.rows ? changedRows(before, after) : [before, after]
  const words = [old, now].map((value) => formatValue(name, field, value, context)) as [string, string]
  const [shownOld, shownNow] = excerptDifference(...words)
  return { label: context.fields.has(name) ? context.t(field.label) : field.label, secret, before: shownOld, after: shownNow }
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)

function formatValue(name: string, field: Field, value: unknown, { choices, fileName, t }: FormatContext): string {
  if (isEmpty(value)) return field.kind === 'switch' ? t('No') : '—'
  if (holdsFile(field)) return fileName(String(value)) ?? t(field.kind === 'image' ? 'Photo' : 'File')
  if (field.kind === 'images') return (value as string[]).map((key) => fileName(key) ?? t('Photo')).join(', ')
  if (field.rows) return formatRows(name, field.rows, value as Record<string, unknown>[], { choices, fileName, t })
  return describeValue(name, field, value, choices, t)
}

const switches: Record<string, (key: string, context: FormatContext) => string | undefined> = {
  rights: (key, { t }) => (Object.hasOwn(policyCatalog, key) ? t(policyCatalog[key as PolicyKey].name) : undefined),
  policies: (key, { language }) =>
    Object.hasOwn(statusPolicyNames, key) ? statusPolicyNames[key as StatusPolicyKey][language] : undefined,
}

function switchField(name: string, context: FormatContext): Field | undefined {
  const [prefix = '', key = ''] = name.split('.')
  const label = switches[prefix]?.(key, context)
  return label === undefined ? undefined : toggle(label)
}
