import { formatDateTime } from '../../i18n/format.ts'
import { string } from './json-schema.ts'
import { type BaseField, type Declared, type FieldKind, type FieldOptions, formatPlain } from './kind.ts'

export interface ReadOnlyField extends BaseField {
  kind: 'readOnly' | 'readOnlyDateTime'
}

export function readOnlyText<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'readOnly', label } as Declared<ReadOnlyField, never, O>
}

export function readOnlyDateTime<const O extends FieldOptions>(label: string, options?: O) {
  return { ...options, kind: 'readOnlyDateTime', label } as Declared<ReadOnlyField, never, O>
}

const readOnly: FieldKind<ReadOnlyField, unknown> = {
  parse: () => undefined,
  show: formatPlain,
  describe: String,
  readOnly: true,
  json: { schema: () => string },
  input: { macro: 'readOnly', labelled: 'own', whenDisabled: true },
}

export const readOnlyKinds: Record<ReadOnlyField['kind'], FieldKind<ReadOnlyField, unknown>> = {
  readOnly,
  readOnlyDateTime: { ...readOnly, show: (value) => formatDateTime(value as number | null) },
}
