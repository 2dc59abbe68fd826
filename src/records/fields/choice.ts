import { integer } from './json-schema.ts'
import {
  type BaseField,
  type Choice,
  type Declared,
  FieldError,
  type FieldKind,
  type FieldOptions,
  formatPlain,
  type InputContext,
  readNumber,
} from './kind.ts'

/** A record of those that the form offers. */
export interface ChoiceField extends BaseField {
  kind: 'choice'
  /** The address that searches them. */
  source?: string
  /** What they are searched by, said where one types. */
  searchHint?: string
}

export const choiceLimit = 20

export function choice<const O extends FieldOptions & { source?: string; searchHint?: string }>(label: string, options?: O) {
  return { ...options, kind: 'choice', label } as Declared<ChoiceField, number | null, O>
}

const problem = 'Choose a value from the list.'

export const choiceKind: FieldKind<ChoiceField, number> = {
  parse,
  show: formatPlain,
  describe(value, _field, { name, choices }) {
    const chosen = choices[name]?.find(({ id }) => id === value)
    return chosen ? [chosen.name, chosen.about].filter(Boolean).join(' · ') : `#${value}`
  },
  accept(value, stored, offered) {
    if (value !== null && value !== stored && !offered.some(({ id }) => id === value)) throw new FieldError(problem)
    return value
  },
  refers: true,
  missing: problem,
  column: 'choice',
  json: { schema: () => integer, show: (value) => value, read: readNumber(parse) },
  cell: { asShown: true, typed: (cell, { unknown }, { find }) => String(find(cell, unknown).id) },
  input: { macro: 'choice', view },
}

function parse(typed: string): number | null {
  const id = typed.trim()
  if (id !== '' && !/^\d{1,15}$/.test(id)) throw new FieldError(problem)
  return id === '' ? null : Number(id)
}

function view(field: ChoiceField, text: string, context: InputContext) {
  const { t, search, mode } = context
  const offered = offeredChoices(field, text, context)
  const chosen = text || onlyChoice(field, context)
  const options = offered.map((one) => ({ ...one, selected: String(one.id) === chosen }))
  return {
    blank: t('Not selected'),
    searchHint: t(field.searchHint ?? 'Search'),
    options,
    source: field.source && `${field.source}?mode=${mode}`,
    isLong: options.length >= choiceLimit || Boolean(search),
    search,
  }
}

/** Of a new record that needs one where there is only one. */
function onlyChoice({ required }: ChoiceField, { mode, search, ofRow, offered }: InputContext): string {
  return required && mode === 'create' && !search && !ofRow && offered.length === 1 ? String(offered[0]?.id) : ''
}

/** In rows that search for their choices each offers a few, or what it has found, and what it has chosen. */
function offeredChoices({ source }: ChoiceField, text: string, { offered, ofRow }: InputContext): Choice[] {
  if (!source || !ofRow) return offered
  const few = ofRow.found ?? offered.slice(0, choiceLimit)
  return [...few, ...offered.filter((one) => String(one.id) === text && !few.includes(one))]
}
