import type { Field, FieldOptions } from './field.ts'

/** Rows of fields, added and removed at will; its value is an array of rows, each with its key. */
export function repeater(
  label: string,
  rows: Record<string, Field>,
  options: FieldOptions & Pick<Field, 'unique' | 'duplicateWarning' | 'addLabel'> & { key: 'id' | 'file' },
): Field {
  return { label, kind: 'repeater', ...options, rows, parse: () => null, show: () => '' }
}
