import { type StatusPolicyKey, statusPolicyNames } from '../../core/default-workflow.ts'
import { excerptDifference } from '../../core/difference-excerpt.ts'
import { type PolicyKey, policyCatalog } from '../../core/policies.ts'
import type { ChangedFields } from '../../database/schema/audit-log.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
import { kindOf, toggle } from '../fields/index.ts'
import { isEmpty } from '../fields/kind.ts'
import { describeValue, type FieldWords } from '../form/describe-value.ts'
import type { FormState } from '../form/form.ts'

interface FormatContext {
  fields: ReadonlyMap<string, FieldWords>
  choices: FormState['choices']
  fileName: (key: string, field: string) => string | undefined
  t: Translate
  language: Language
}

interface FieldChange {
  label: string
  secret: boolean
  before: string
  after: string
}

export function formatChanges(changed: ChangedFields, context: FormatContext): FieldChange[] {
  const names = [...context.fields.keys(), ...Object.keys(changed).filter((name) => name.includes('.'))]
  return names.filter((name) => name in changed).flatMap((name) => formatChange(name, changed[name] as [unknown, unknown], context) ?? [])
}

function formatChange(name: string, [before, after]: [unknown, unknown], context: FormatContext): FieldChange | undefined {
  const field = context.fields.get(name) ?? switchField(name, context)
  if (!field) return undefined
  const secret = kindOf(field).secret === true
  if (!secret && isEmpty(before) && isEmpty(after)) return undefined
  const [old, now] = field.rows ? changedRows(before, after) : [before, after]
  const words = [old, now].map((value) => formatValue(name, field, value, context)) as [string, string]
  const [shownOld, shownNow] = excerptDifference(...words)
  return { label: context.fields.has(name) ? context.t(field.label) : field.label, secret, before: shownOld, after: shownNow }
}

function formatValue(name: string, field: FieldWords, value: unknown, { choices, fileName, t }: FormatContext): string {
  // What no value is called on a card is no change of it.
  return describeValue(name, { ...field, none: undefined }, value, choices, t, fileName)
}

type Row = Record<string, unknown>

function changedRows(before: unknown, after: unknown): [Row[], Row[]] {
  const [old, now] = [before, after].map((rows) => (rows ?? []) as Row[]) as [Row[], Row[]]
  const less = (rows: Row[], others: Row[]) => {
    const known = new Set(others.map((row) => JSON.stringify(row)))
    return rows.filter((row) => !known.has(JSON.stringify(row)))
  }
  const changed: [Row[], Row[]] = [less(old, now), less(now, old)]
  return changed.some((rows) => rows.length > 0) ? changed : [old, now]
}

const switches: Record<string, (key: string, context: FormatContext) => string | undefined> = {
  rights: (key, { t }) => (Object.hasOwn(policyCatalog, key) ? t(policyCatalog[key as PolicyKey].name) : undefined),
  policies: (key, { language }) =>
    Object.hasOwn(statusPolicyNames, key) ? statusPolicyNames[key as StatusPolicyKey][language] : undefined,
}

function switchField(name: string, context: FormatContext): FieldWords | undefined {
  const [prefix = '', key = ''] = name.split('.')
  const label = switches[prefix]?.(key, context)
  return label === undefined ? undefined : toggle(label)
}
