import type { Translate } from '../../i18n/translate.ts'
import { type Field, type Fields, holdsFile, isRepeater, kindOf, type RepeaterField, rowsOf } from '../fields/index.ts'
import { isEmpty } from '../fields/kind.ts'
import { type Entry, type Form, type FormState, fieldsOf, isLocked } from './form.ts'
import { type InputsContext, viewOfInput } from './input-view.ts'
import { newRow, nextIndex, repeaterRows, type ShownRow, shownText, warnAboutDuplicates } from './rows.ts'

export function viewOfForm(form: Form, state: FormState, t: Translate, entry?: Entry, readOnly = false) {
  const visible = fieldsOf(form, state)
  const summarized = state.summarizes === true && Object.keys(entry?.errors ?? {}).length > 1
  const context = {
    state,
    t,
    entry,
    readOnly,
    ...(!readOnly && { warnings: collectWarnings(form, state, entry), warningsAddress: form.warnings?.address }),
    focus: summarized ? undefined : (firstErrorField([...visible.keys()], entry) ?? state.focus),
  }
  const onTab = form.sections.filter((section) => section.tab === state.tab)
  const shown = (name: string) => {
    const field = visible.get(name)
    return !field || field.unplaced || (readOnly && kindOf(field).secret) ? [] : [[name, field] as const]
  }
  // Who only reads is not shown what is missing.
  const isBlank = ([name, field]: readonly [string, Field]) => readOnly && isVoid(field, state.stored[name])
  const sections = onTab.map(({ title, fields, folds }) => ({
    title: t(title),
    folded:
      !readOnly &&
      (folds === true || folds === state.mode) &&
      Object.keys(fields).every((name) => !entry?.errors[name] && isUnfilled(name, visible.get(name), state, entry)),
    fields: Object.keys(fields)
      .flatMap(shown)
      .filter((one) => !isBlank(one))
      .map(([name, field]) =>
        isRepeater(field) ? viewOfRepeater(name, field, context) : viewOfInput(name, name, field, state.stored[name], context),
      ),
  }))
  const blanks = onTab.flatMap(({ fields }) => Object.keys(fields).flatMap(shown).filter(isBlank))
  const blankRows = blanks.map(([, field]) => field).find(isRepeater)
  return {
    sections: sections
      .filter((section) => section.fields.length > 0)
      .map((section, _index, all) => ({
        ...section,
        open: section.fields.some(({ disabled }) => !disabled),
        // A heading that the title of the page or the label of the only field says already is for screen readers.
        quiet: all.length === 1 || section.fields.every((field) => !field.alone && (field.label === section.title || 'follows' in field)),
      })),
    readOnly,
    blanks: blanks.map(([name]) => name),
    addLabel: blankRows && t(blankRows.addLabel ?? 'Add line'),
    empty: blankRows && viewOfEmpty(blankRows, t),
    summarized,
    version: entry?.version ?? state.stored.version,
    once: crypto.randomUUID(),
    multipart: [...visible.values()].some((field) => [field, ...Object.values(rowsOf(field))].some((one) => kindOf(one).file)),
  }
}

/** Whether there is nothing to read in it; that a switch is off can be read. */
function isVoid(field: Field, stored: unknown): boolean {
  return field.kind !== 'switch' && isEmpty(stored)
}

/** Whether its input holds nothing but what it begins with. */
function isUnfilled(name: string, field: Field | undefined, { stored }: FormState, entry?: Entry): boolean {
  return !field || ['', '0'].includes(shownText(name, field, stored[name], entry))
}

export type FormView = ReturnType<typeof viewOfForm>

function firstErrorField(names: string[], entry?: Entry): string | undefined {
  const place = (id: string) => names.indexOf(id.split('.')[0] as string)
  return Object.keys(entry?.errors ?? {}).sort((one, other) => place(one) - place(other))[0]
}

export function viewOfEmptyRow(name: string, field: RepeaterField<Fields>, index: string, state: FormState, t: Translate) {
  return viewOfRow(name, field, { index, stored: newRow(name, state) }, { state, t, readOnly: false })
}

/** The rows of one field of a form, by themselves. */
export function viewOfRows(form: Form, name: string, state: FormState, t: Translate, entry?: Entry) {
  const field = fieldsOf(form, state).get(name)
  return field && isRepeater(field) ? viewOfRepeater(name, field, { state, t, entry, readOnly: false }).rows : []
}

function collectWarnings(form: Form, state: FormState, entry?: Entry): Record<string, string> {
  const fields = form.warnings?.fields ?? []
  const typed = Object.fromEntries(fields.map((name) => [name, entry?.typed[name] ?? String(state.stored[name] ?? '')]))
  return { ...Object.fromEntries(fields.map((name) => [name, ''])), ...form.warnings?.of(typed) }
}

function viewOfRepeater(name: string, field: RepeaterField<Fields>, context: InputsContext) {
  const { state, t, entry } = context
  const rows = repeaterRows(name, field, state, entry)
  const warnings = { ...context.warnings, ...warnAboutDuplicates(name, field, rows, entry) }
  const error = entry?.errors[name]
  const hint = state.hints?.[name]
  const readOnly = context.readOnly || isLocked(state, name)
  const first = state.rows?.[name]?.first ?? Object.keys(field.rows)[0]
  const focus = context.focus === name && rows[0] ? `${name}.${rows[0].index}.${first}` : context.focus
  return {
    id: name,
    name,
    macro: kindOf(field).input.macro,
    alone: true,
    label: t(field.label),
    rowLabel: t(field.rowLabel),
    addLabel: t(field.addLabel ?? 'Add line'),
    error: error && t(error),
    hint: !readOnly && hint && t(hint.text, hint.params),
    disabled: readOnly,
    sortable: field.key === 'file',
    pastes: field.pastes,
    empty: viewOfEmpty(field, t),
    isFull: isFull(field, rows.length),
    focus: focus === name,
    next: nextIndex(rows),
    rows: rows.map((row) => viewOfRow(name, field, row, { ...context, warnings, readOnly, focus })),
    ...state.computed?.[name],
  }
}

/** What stands where there will be rows. */
function viewOfEmpty({ empty, rows }: RepeaterField<Fields>, t: Translate) {
  return empty && { title: t(empty.title), text: t(empty.text), columns: Object.keys(rows) }
}

/** Whether there is a row for each of the options that no two rows share. */
function isFull({ rows, unique = '' }: RepeaterField<Fields>, count: number): boolean {
  const part = rows[unique]
  return part?.kind === 'option' && count >= Object.keys(part.values).length
}

function viewOfRow(name: string, field: RepeaterField<Fields>, { index, key, stored }: ShownRow, context: InputsContext) {
  const identity = field.key === 'file' ? 'stored' : 'id'
  const begin = context.state.rows?.[name]
  const parts = Object.entries(field.rows).map(([part, rowField]) => {
    const shown = viewOfInput(`${name}.${index}.${part}`, `${name}[${index}][${part}]`, rowField, stored[part], context)
    const asked = begin?.first === part && (!key || stored[part])
    const input = asked ? { ...shown, required: true } : shown
    // A row may say how its file is called.
    return [part, holdsFile(rowField) && stored.name ? { ...input, calledAs: String(stored.name) } : input] as const
  })
  return {
    index,
    repeater: name,
    identity: `${name}[${index}][${identity}]`,
    key,
    template: context.state.rows?.[name]?.template ?? field.rowTemplate,
    fields: parts.map(([, input]) => input),
    parts: Object.fromEntries(parts),
    /** What the template is given besides the parts. */
    more: { index, ...context.state.computed?.[`${name}.${index}`] },
  }
}
