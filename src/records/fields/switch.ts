import { fold } from '../../core/text.ts'
import { translator } from '../../i18n/translate.ts'
import { boolean } from './json-schema.ts'
import { type BaseField, type Declared, FieldError, type FieldKind, type FieldOptions } from './kind.ts'

export interface SwitchField extends BaseField {
  kind: 'switch'
  /** It is off where its value is left empty. */
  optional?: true
  /** It is shown the other way round: ticked where its value is off. */
  inverted?: true
}

export function toggle<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'switch', label } as Declared<SwitchField, boolean, O>
}

/** A switch that is off where its value is left out. */
export function optionalToggle<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'switch', label, optional: true } as unknown as Declared<SwitchField, boolean, O>
}

/** The requested state of a switch, so that a repeated request changes nothing. */
export function parseSwitch(text: string | null): boolean {
  if (text !== '0' && text !== '1') throw new FieldError('Invalid value')
  return text === '1'
}

export const switchKind: FieldKind<SwitchField, boolean> = {
  parse: (typed, { optional }) => (optional && typed === '' ? false : parseSwitch(typed)),
  show: (value) => (value ? '1' : '0'),
  describe: (value, _field, { t }) => t(value ? 'Yes' : 'No'),
  empty: 'No',
  initial: false,
  // Its hidden 0 precedes its 1.
  typedIn: (body, name) => body.getAll(name).slice(-1),
  preselected: true,
  column: 'switch',
  json: { schema: () => boolean, filled: true, show: (value) => value, read: (json) => (typeof json === 'boolean' ? json : undefined) },
  cell: { typed: stateOfCell },
  // Of a required checkbox a browser wants that it is ticked.
  input: { macro: 'switch', labelled: 'own', neverRequired: true, view: ({ inverted }) => ({ inverted }) },
}

function stateOfCell(cell: string): string {
  const names = (text: string, others: string[]) => [text, translator('ru')(text), ...others].map(fold)
  if (names('Yes', ['+', 'true', 'y', 'v', '✓', '✔']).includes(fold(cell))) return '1'
  return names('No', ['-', '−', '–', '—', 'false', 'n']).includes(fold(cell)) ? '0' : cell
}
