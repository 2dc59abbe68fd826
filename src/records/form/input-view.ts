import { formatRubles } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { type Field, holdsFile, holdsFiles, kindOf } from '../fields/index.ts'
import { describeValue } from './describe-value.ts'
import { type Entry, type FormState, isLocked, mayNotBeEmpty } from './form.ts'
import { partName } from './read-value.ts'
import { shownText } from './rows.ts'

/** What decides how the inputs of a form look. */
export interface InputsContext {
  state: FormState
  t: Translate
  entry?: Entry
  readOnly: boolean
  warnings?: Record<string, string>
  warningsAddress?: string
  focus?: string
}

export type InputView = ReturnType<typeof viewOfInput>

export function viewOfInput(id: string, name: string, field: Field, stored: unknown, context: InputsContext) {
  const { state, t, entry, focus } = context
  const { input, secret } = kindOf(field)
  const part = partName(id)
  const value = shownText(id, field, stored, entry)
  const disabled = context.readOnly || isLocked(state, name)
  const offered = { offered: state.choices[part] ?? [], ...(part !== id && { ofRow: { found: state.choices[id] } }) }
  return {
    ...{ id, name, disabled },
    ...{ macro: input.macro, alone: input.alone, type: input.type },
    labelling: input.labelled ?? (disabled && holdsFile(field) ? 'text' : undefined),
    ...viewOfWidth(field, input.wide),
    autocomplete: field.autocomplete,
    value: secret ? '' : value,
    required: !disabled && isAsked(part, field, stored, state),
    text: disabled && !input.whenDisabled ? (secret ? '—' : describeValue(part, field, stored, state.choices, t)) : undefined,
    focus: id === focus,
    ...(field.follows && { follows: field.follows, followed: state.stored[field.follows] }),
    askedWith: field.askedWith,
    ...viewOfWords(id, field, value, context, disabled),
    ...(holdsFile(field) && viewOfFiles(id, name, value, state)),
    ...(holdsFiles(field) && { rows: entry?.rows[id] ?? rowsOfImages(stored) }),
    ...input.view?.(field, value, { t, mode: state.mode, search: entry?.typed[`${id}_search`], ...offered }),
    ...state.computed?.[id],
  }
}

/** Names take two columns, addresses a row. Browsers measure by an average letter, which is narrower than a digit. */
function viewOfWidth({ size = 0 }: Field, wide = size > 60) {
  return { wide, long: size > 40 && !wide, size: size > 0 && size <= 40 ? Math.ceil(size * 1.25) : undefined }
}

/** Whether a page demands something: a password that is stored already may stay empty. */
function isAsked(part: string, field: Field, stored: unknown, { mode, states }: FormState): boolean {
  const { input, hashed } = kindOf(field)
  return mayNotBeEmpty(field, mode, stored) && !input.neverRequired && states?.[part] !== 'optional' && !(hashed && mode === 'edit')
}

/** What is said of an input: its label, and what is wrong with it or should be known. */
function viewOfWords(
  id: string,
  field: Field,
  text: string,
  { state, t, entry, readOnly, warnings, warningsAddress }: InputsContext,
  disabled: boolean,
) {
  const error = entry?.errors[id]
  const warning = warnings?.[id]
  const own = state.hints?.[id]
  // What helps to fill in is for those who may and have not yet; why somebody may not stands there, too.
  const hint =
    (error && !own?.fill && (text !== '' || holdsFile(field))) || readOnly ? undefined : (own?.text ?? (disabled ? undefined : field.hint))
  return {
    label: t(field.label),
    hint: hint && t(hint, own?.params),
    hintAddress: own?.path,
    fill: own?.fill && { ...own.fill, text: formatRubles(own.fill.kopecks), above: t(own.fill.above) },
    error: error && t(error),
    errorLink: error?.link,
    warning: warning && t(warning),
    warningsAddress: warning === undefined ? undefined : warningsAddress,
    described: [error && `${id}-error`, warning !== undefined && `${id}-warning`, hint && `${id}-hint`].filter(Boolean).join(' '),
  }
}

const rowsOfImages = (stored: unknown) => ((stored ?? []) as string[]).map((key, index) => ({ index: String(index), key }))

function viewOfFiles(id: string, name: string, value: string, { fileName }: FormState) {
  return {
    storedInput: id === name ? `${name}[stored]` : undefined,
    fileName: value ? fileName?.(value, id) : undefined,
    files: value.split(' ').flatMap((key) => (key ? { key, name: fileName?.(key, id) } : [])),
  }
}
