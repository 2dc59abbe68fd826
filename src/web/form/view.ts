import type { Translate } from '../i18n/translate.ts'
import { parseKopecks, showDay, showMoment, showMoney } from '../view/format.ts'
import { offered } from './choices.ts'
import { type Field, holdsFile } from './fields.ts'
import { type Entry, type Form, type FormPage, fieldsOf, isRequired, type Row, type SentRow } from './form.ts'
import { nextIndex } from './rows.ts'
import { doubtTwins } from './twins.ts'

interface Drawing {
  page: FormPage
  t: Translate
  entry?: Entry
  readOnly: boolean
  /** The warning of each field that can have one, empty when all is well. */
  doubts?: Record<string, string>
  doubtsAddress?: string
  /** The first field that needs attention: work goes on there. */
  focus?: string
}

/** What `components/form.njk` draws: the groups with each field's value, error and choices. */
export function viewForm(form: Form, page: FormPage, t: Translate, entry?: Entry, readOnly = false) {
  const shown = fieldsOf(form, page)
  const drawing = {
    page,
    t,
    entry,
    readOnly,
    doubts: doubtsOf(form, page, entry),
    doubtsAddress: form.doubts?.address,
    focus: firstProblem([...shown.keys()], entry),
  }
  const onTab = form.groups.filter((group) => group.tab === page.tab)
  const groups = onTab.map(({ title, fields }) => ({
    title: t(title),
    fields: Object.entries(fields)
      .filter(([name, field]) => shown.has(name) && !(readOnly && inputTypes[field.kind] === 'password'))
      .map(([name, field]) => drawField(name, field, drawing)),
  }))
  return {
    groups: groups.filter((group) => group.fields.length > 0),
    readOnly,
    errors: entry ? Object.keys(entry.errors).length : 0,
    version: entry?.version ?? page.present.version,
    once: crypto.randomUUID(),
    multipart: [...shown.values()].some((field) => field.kind === 'images' || Object.values(field.rows ?? { field }).some(holdsFile)),
  }
}

export type FormView = ReturnType<typeof viewForm>

/** Problems are kept as they were found, which need not be the order of the fields. */
function firstProblem(names: string[], entry?: Entry): string | undefined {
  const place = (id: string) => names.indexOf(id.split('.')[0] as string)
  return Object.keys(entry?.errors ?? {}).sort((one, other) => place(one) - place(other))[0]
}

function drawField(name: string, field: Field, drawing: Drawing) {
  if (field.rows) return viewRepeater(name, field, drawing)
  if (field.kind === 'images') return viewImages(name, field, drawing)
  return viewField(name, name, field, drawing.page.present[name], drawing)
}

function viewImages(name: string, field: Field, drawing: Drawing) {
  const { entry, page } = drawing
  const present = ((page.present[name] ?? []) as string[]).map((key, index) => ({ index: String(index), key }))
  return { ...viewField(name, name, field, undefined, drawing), rows: entry?.rows[name] ?? present }
}

/** An empty row of a repeater, as the page draws it and htmx fetches it. */
export function viewEmptyRow(name: string, field: Field, index: string, page: FormPage, t: Translate) {
  return viewRow(name, field, { index }, {}, { page, t, readOnly: false })
}

function doubtsOf(form: Form, page: FormPage, entry?: Entry): Record<string, string> {
  const fields = form.doubts?.fields ?? []
  const typed = Object.fromEntries(fields.map((name) => [name, entry?.typed[name] ?? String(page.present[name] ?? '')]))
  return { ...Object.fromEntries(fields.map((name) => [name, ''])), ...form.doubts?.of(typed) }
}

const inputTypes: Partial<Record<Field['kind'], string>> = {
  text: 'text',
  money: 'text',
  number: 'text',
  email: 'email',
  phone: 'tel',
  password: 'password',
  proof: 'password',
  date: 'date',
  dateTime: 'datetime-local',
}

/**
 * @param id its name with dots, as errors and labels use it
 * @param name its name in the body
 */
function viewField(
  id: string,
  name: string,
  field: Field,
  present: unknown,
  { page, t, entry, readOnly, doubts, doubtsAddress, focus }: Drawing,
) {
  const value = entry?.typed[id] ?? field.show(present)
  const error = entry?.errors[id]
  const doubt = doubts?.[id]
  const { kind, max, autocomplete } = field
  const fixed = Object.entries(field.values ?? {}).map(([key, name]) => ({ id: key, name: t(name) }))
  const possible = field.values ? fixed : (page.choices[id.replace(/\.\d+\./, '.')] ?? [])
  const chosen = kind === 'several' ? value.split(',') : [value]
  const search = entry?.typed[`${id}_search`]
  const options = possible.map((option) => ({ ...option, selected: chosen.includes(String(option.id)) }))
  return {
    id,
    name,
    kind,
    type: inputTypes[kind],
    max,
    autocomplete,
    value: inputTypes[kind] === 'password' ? '' : value,
    label: t(field.label),
    hint: field.hint && t(field.hint),
    blank: t(field.none ?? 'Not chosen'),
    required: isRequired(field, page.mode) && !(kind === 'password' && page.mode === 'edit'),
    disabled: readOnly || page.locked?.has(name) === true,
    error: error && t(error.message, error.params),
    focus: id === focus,
    doubt: doubt && t(doubt),
    doubtsAddress: doubt === undefined ? undefined : doubtsAddress,
    described: [error && `${id}-error`, doubt !== undefined && `${id}-doubt`, field.hint && `${id}-hint`].filter(Boolean).join(' '),
    options,
    source: searches(field, options, search) ? `${field.source}?mode=${page.mode}` : undefined,
    search,
    // In a row of a repeater the row itself says which file it keeps.
    ...(holdsFile(field) && { keptAs: id === name ? `${name}[stored]` : undefined, fileName: value ? page.fileName?.(value) : undefined }),
    kopecks: kind === 'money' ? parseKopecks(value) : undefined,
  }
}

/** Few options are simply all there. */
function searches({ source }: Field, options: unknown[], search: string | undefined): boolean {
  return source !== undefined && (options.length >= offered || Boolean(search))
}

function viewRepeater(name: string, field: Field, drawing: Drawing) {
  const { page, t, entry } = drawing
  const present = (page.present[name] ?? []) as Row[]
  const key = field.key as string
  const sent: SentRow[] = entry?.rows[name] ?? present.map((row, index) => ({ index: String(index), key: plainKey(row[key]) }))
  const before = entry?.rows[name] ? sent.map((row) => present.find((old) => plainKey(old[key]) === row.key) ?? {}) : present
  const doubts = { ...drawing.doubts, ...doubtTwins(name, field, sent, before, entry) }
  const error = entry?.errors[name]
  const readOnly = drawing.readOnly || page.locked?.has(name) === true
  return {
    id: name,
    name,
    kind: field.kind,
    label: t(field.label),
    error: error && t(error.message, error.params),
    disabled: readOnly,
    sortable: key === 'file',
    next: nextIndex(sent),
    rows: sent.map((row, at) => viewRow(name, field, row, before[at] as Row, { ...drawing, doubts, readOnly })),
  }
}

/** A row that was never saved has no key yet. */
function plainKey(key: unknown): string | undefined {
  return key === null || key === undefined ? undefined : String(key)
}

function viewRow(name: string, field: Field, sent: SentRow, present: Row, drawing: Drawing) {
  const identity = field.key === 'file' ? 'stored' : 'id'
  const fields = Object.entries(field.rows ?? {}).map(([part, rowField]) =>
    viewField(`${name}.${sent.index}.${part}`, `${name}[${sent.index}][${part}]`, rowField, present[part], drawing),
  )
  return { index: sent.index, repeater: name, identity: `${name}[${sent.index}][${identity}]`, key: sent.key, fields }
}

/** A stored value in words, for comparing versions and telling the history. */
export function valueInWords(name: string, field: Field, value: unknown, choices: FormPage['choices'], t: Translate): string {
  if (inputTypes[field.kind] === 'password') return '••••••••'
  if (field.rows) return rowsInWords(name, field.rows, (value ?? []) as Row[], choices, t)
  if (value === null || value === undefined || value === '') return field.none ? t(field.none) : '—'
  if (field.kind === 'several') return (value as string[]).map((key) => t(field.values?.[key] ?? key)).join(', ') || '—'
  if (field.values) return t(field.values[String(value)] ?? String(value))
  if (field.kind === 'switch') return t(value ? 'Yes' : 'No')
  if (field.kind === 'money') return showMoney(value as number)
  if (field.kind === 'date') return showDay(String(value))
  if (field.kind === 'dateTime') return showMoment(value as number)
  if (field.kind === 'images') return t('{count} pictures', { count: (value as string[]).length })
  if (field.kind === 'image') return t('A photo')
  if (field.kind === 'choice') return choices[name]?.find((option) => option.id === value)?.name ?? `#${value}`
  return String(value)
}

function rowsInWords(name: string, fields: Record<string, Field>, rows: Row[], choices: FormPage['choices'], t: Translate): string {
  const shown = Object.entries(fields).filter(([, field]) => field.kind !== 'upload')
  const stored = (row: Row) => shown.filter(([part, { kind }]) => kind !== 'shown' || part in row)
  const inWords = (row: Row) =>
    stored(row)
      .map(([part, field]) => valueInWords(`${name}.${part}`, field, row[part], choices, t))
      .join(': ')
  return rows.map(inWords).join('; ') || '—'
}
