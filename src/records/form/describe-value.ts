import type { Translate } from '../../i18n/translate.ts'
import { type Field, kindOf } from '../fields/index.ts'
import { type BaseField, isEmpty } from '../fields/kind.ts'
import type { FormState } from './form.ts'

type FileName = (key: string, field: string) => string | undefined

/** What of a field is needed to describe its values. */
export interface FieldWords extends Pick<Field, 'kind' | 'label'> {
  none?: string
  values?: Readonly<Record<string, string>>
  rows?: Record<string, FieldWords>
}

export function describeValue(
  name: string,
  field: FieldWords,
  value: unknown,
  choices: FormState['choices'],
  t: Translate,
  fileName?: FileName,
): string {
  const kind = kindOf(field)
  const empty = field.none ?? kind.empty
  if (!kind.secret && isEmpty(value)) return empty ? t(empty) : '—'
  const describe = (part: string, of: BaseField, held: unknown) => describeValue(part, of as FieldWords, held, choices, t)
  return kind.describe(value, field, { name, choices, t, fileName, describe })
}
