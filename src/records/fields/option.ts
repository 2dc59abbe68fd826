import { firstCharacters, fold } from '../../core/text.ts'
import { translator } from '../../i18n/translate.ts'
import { listOf, string } from './json-schema.ts'
import {
  type BaseField,
  type Declared,
  FieldError,
  type FieldKind,
  type FieldOptions,
  formatPlain,
  type InputContext,
  readText,
  rowLimit,
} from './kind.ts'

export interface OptionField extends BaseField {
  kind: 'option'
  /** Labels by value. */
  values: Readonly<Record<string, string>>
  /** What no value is called. */
  none?: string
  /** What else cells of sheets call values. */
  others?: Readonly<Record<string, readonly string[]>>
}

export interface SeveralField extends BaseField {
  kind: 'several'
  values: Readonly<Record<string, string>>
}

export function option<K extends string, const O extends FieldOptions & Pick<OptionField, 'none' | 'others'>>(
  label: string,
  values: Readonly<Record<K, string>>,
  options?: O,
) {
  return { ...options, kind: 'option', label, values } as Declared<OptionField, K | null, O>
}

export function several<K extends string, const O extends FieldOptions>(label: string, values: Readonly<Record<K, string>>, options?: O) {
  return { ...options, kind: 'several', label, values } as Declared<SeveralField, K[], O>
}

export const optionKind: FieldKind<OptionField, string> = {
  parse: parseOption,
  show: formatPlain,
  describe: (value, { values }, { t }) => t(values[value] ?? value),
  preselected: true,
  missing: 'Choose a value from the list.',
  column: 'choice',
  json: { schema: ({ values }) => ({ ...string, enum: Object.keys(values) }), show: (value) => value, read: readText(parseOption) },
  cell: { asShown: true, typed: keyOfCell },
  input: {
    macro: 'choice',
    view: (field, text, { t }) => ({ blank: t(field.none ?? 'Not selected'), options: optionsOf(field, [text], t) }),
  },
}

export const severalKind: FieldKind<SeveralField, string[]> = {
  parse: (typed, field) => chosenOf(typed.split(','), field),
  show: showSeveral,
  describe: (value, { values }, { t }) => value.map((key) => t(values[key] ?? key)).join(', '),
  initial: [],
  typedIn(body, name) {
    const chosen = [...body.getAll(name), ...body.getAll(`${name}[]`)]
    return chosen.length > 0 ? [chosen.join(',')] : []
  },
  // The same ones in another order are no change.
  accept: (value, stored, _offered, field) => (showSeveral(value, field) === showSeveral(stored as string[], field) ? stored : value),
  json: {
    schema: ({ values }) => listOf({ ...string, enum: Object.keys(values) }),
    filled: true,
    show: (value) => value,
    read: readSeveral,
  },
  input: { macro: 'several', labelled: 'own', view: (field, text, { t }) => ({ options: optionsOf(field, text.split(','), t) }) },
}

function parseOption(typed: string, { values }: OptionField): string | null {
  if (typed === '') return null
  if (!Object.hasOwn(values, typed)) throw new FieldError('Choose a value from the list.')
  return typed
}

function readSeveral(json: unknown, field: SeveralField): string[] | undefined {
  if (json === null) return []
  const isList = Array.isArray(json) && json.length <= rowLimit && json.every((one) => typeof one === 'string' && !one.includes(','))
  return isList ? chosenOf(json, field) : undefined
}

function chosenOf(keys: string[], field: SeveralField): string[] {
  const chosen = keys.filter(Boolean)
  const unknown = chosen.find((key) => !Object.hasOwn(field.values, key))
  if (unknown !== undefined) throw new FieldError('No option "{name}".', { name: firstCharacters(unknown, 50) })
  return inOrder(field, chosen)
}

function inOrder({ values }: SeveralField, chosen: readonly string[]): string[] {
  return Object.keys(values).filter((key) => chosen.includes(key))
}

function showSeveral(value: string[] | null, field: SeveralField): string {
  return inOrder(field, value ?? []).join(',')
}

function optionsOf({ values }: OptionField | SeveralField, chosen: string[], t: InputContext['t']) {
  return Object.entries(values).map(([id, name]) => ({ id, name: t(name), selected: chosen.includes(id) }))
}

/** By its key, its label in either language, or another name of it; dots, spaces and what is small do not count. */
function keyOfCell(text: string, { values, others = {} }: OptionField): string {
  const labels = (label: string) => [label, translator('en')(label), translator('ru')(label)]
  const found = Object.entries(values).find(([key, label]) =>
    [key, ...labels(label), ...(others[key] ?? [])].some((name) => plain(name) === plain(text)),
  )
  if (!found) throw new FieldError('No option "{name}". Known: {texts}', { name: text, texts: { each: Object.values(values) } })
  return found[0]
}

const plain = (text: string) => fold(text).replaceAll('²', '2').replace(/[\s.]/g, '')
