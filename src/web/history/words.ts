import { aroundDifference } from '../../core/difference.ts'
import { type PolicyKey, policyCatalogue } from '../../core/policies.ts'
import { type StatusPolicyKey, statusPolicyNames } from '../../core/workflow.ts'
import type { ChangedFields } from '../../database/schema/journal.ts'
import { type Field, toggle } from '../form/fields.ts'
import type { FormPage } from '../form/form.ts'
import { valueInWords } from '../form/view.ts'
import type { Translate } from '../i18n/translate.ts'
import { changedRows, rowsInWords } from './rows.ts'

/** What changed in one field; a secret only says that it did. */
export interface Told {
  label: string
  secret: boolean
  before: string
  after: string
}

/** What a reader is told by: the fields they may know of, the names of what fields point at, and of files. */
export interface Reader {
  fields: ReadonlyMap<string, Field>
  choices: FormPage['choices']
  fileName: (key: string) => string | undefined
  t: Translate
  language: 'en' | 'ru'
}

/** The changes of one entry in words, in the order of the form; fields that nobody is shown are left out. */
export function tellFields(changed: ChangedFields, reader: Reader): Told[] {
  const names = [...reader.fields.keys(), ...Object.keys(changed).filter((name) => name.includes('.'))]
  return names.filter((name) => name in changed).flatMap((name) => tellField(name, changed[name] as [unknown, unknown], reader) ?? [])
}

function tellField(name: string, [before, after]: [unknown, unknown], reader: Reader): Told | undefined {
  const field = reader.fields.get(name) ?? switchField(name, reader)
  if (!field) return undefined
  const secret = field.kind === 'password'
  // A new record holds much that says nothing.
  if (!secret && isNothing(before) && isNothing(after) && (before === null || after === null)) return undefined
  const [old, now] = field.rows ? changedRows(before, after) : [before, after]
  const words = [old, now].map((value) => inWords(name, field, value, reader)) as [string, string]
  const [shownOld, shownNow] = aroundDifference(...words)
  return { label: reader.fields.has(name) ? reader.t(field.label) : field.label, secret, before: shownOld, after: shownNow }
}

const isNothing = (value: unknown) =>
  value === null || value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)

function inWords(name: string, field: Field, value: unknown, { choices, fileName, t }: Reader): string {
  if (isNothing(value)) return field.kind === 'switch' ? t('No') : '—'
  if (field.kind === 'upload' || field.kind === 'image') return fileName(String(value)) ?? t(field.kind === 'image' ? 'A photo' : 'A file')
  if (field.kind === 'images') return (value as string[]).map((key) => fileName(key) ?? t('A photo')).join(', ')
  if (field.rows) return rowsInWords(name, field.rows, value as Record<string, unknown>[], { choices, fileName, t })
  return valueInWords(name, field, value, choices, t)
}

/** What is switched for a record beside its fields: the rights of a person, the policies of a status. */
const switches: Record<string, (key: string, reader: Reader) => string | undefined> = {
  rights: (key, { t }) => (Object.hasOwn(policyCatalogue, key) ? t(policyCatalogue[key as PolicyKey].name) : undefined),
  policies: (key, { language }) =>
    Object.hasOwn(statusPolicyNames, key) ? statusPolicyNames[key as StatusPolicyKey][language] : undefined,
}

function switchField(name: string, reader: Reader): Field | undefined {
  const [prefix = '', key = ''] = name.split('.')
  const label = switches[prefix]?.(key, reader)
  return label === undefined ? undefined : toggle(label)
}
