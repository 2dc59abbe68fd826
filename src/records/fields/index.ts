import type { Problem } from '../../http/request/errors.ts'
import { type ChoiceField, choiceKind } from './choice.ts'
import { type DateField, type DateTimeField, dateKind, dateTimeKind } from './date.ts'
import { type FileField, type FilesField, fileKinds, filesKind, type ImagesField, imagesKind } from './file.ts'
import type { BaseField, FieldKind, FieldOptions } from './kind.ts'
import { type MoneyField, moneyKinds } from './money.ts'
import { type NumberField, numberKinds } from './number.ts'
import { type OptionField, optionKind, type SeveralField, severalKind } from './option.ts'
import { type PasswordField, passwordKinds } from './password.ts'
import { type ReadOnlyField, readOnlyKinds } from './read-only.ts'
import { type RepeaterField, repeaterKind } from './repeater.ts'
import { type RichTextField, richTextKind } from './rich-text.ts'
import { type SwitchField, switchKind } from './switch.ts'
import { type TextField, textKinds } from './text.ts'

export { choice, choiceLimit } from './choice.ts'
export { date, dateTime } from './date.ts'
export { externalId } from './external-id.ts'
export { type ImagesField, image, images, picture, upload, uploads } from './file.ts'
export { type Choice, FieldError } from './kind.ts'
export { money, shownMoney } from './money.ts'
export { decimal, number } from './number.ts'
export { option, several } from './option.ts'
export { currentPassword, password } from './password.ts'
export { readOnlyDateTime, readOnlyText } from './read-only.ts'
export { isDated, type RepeaterField, repeater } from './repeater.ts'
export { richText } from './rich-text.ts'
export { optionalToggle, parseSwitch, toggle } from './switch.ts'
export { color, digits, email, kpp, paragraph, phone, requireAddresses, text } from './text.ts'
export type { KeysOnly, RequiredKeys, StoredKeys, ValueOf } from './values.ts'

/** A field of a form. */
export type Field =
  | TextField
  | RichTextField
  | PasswordField
  | NumberField
  | MoneyField
  | DateField
  | DateTimeField
  | SwitchField
  | OptionField
  | SeveralField
  | ChoiceField
  | FileField
  | FilesField
  | ImagesField
  | RepeaterField<Fields>
  | ReadOnlyField

export type Fields = { [name: string]: Field }

export type FieldSet = Partial<Fields>

/** A field of any kind that holds this. */
export type FieldOf<T, Required = FieldOptions['required']> = Field & { required?: Required; readonly holds?: T }

type KindName = Field['kind']

// biome-ignore lint/suspicious/noExplicitAny: a kind takes fields of itself, and their values
type AnyKind = FieldKind<any, any>

/** Every kind of field that there is. */
const kinds: Readonly<Record<KindName, AnyKind>> = {
  ...textKinds,
  richText: richTextKind,
  ...passwordKinds,
  ...numberKinds,
  ...moneyKinds,
  date: dateKind,
  dateTime: dateTimeKind,
  switch: switchKind,
  option: optionKind,
  several: severalKind,
  choice: choiceKind,
  ...fileKinds,
  uploads: filesKind,
  images: imagesKind,
  repeater: repeaterKind,
  ...readOnlyKinds,
}

/** What there is to know about a field of any kind. */
export function kindOf({ kind }: { kind: KindName }): AnyKind {
  return kinds[kind]
}

/** What is said of a field that is required and empty. */
export function missingProblem(field: Field): Problem {
  return { message: field.missing ?? kindOf(field).missing ?? 'Required' }
}

export function isRepeater<F extends BaseField>(field: F): field is F & RepeaterField<Fields> {
  return 'rows' in field
}

/** Whether it is chosen from what a search finds. */
export function isSearched(field: Field): boolean {
  return 'source' in field && field.source !== undefined
}

/** The fields of its rows; none where it has no rows. */
export function rowsOf(field: Field): Fields {
  return isRepeater(field) ? field.rows : {}
}

/** Whether its value is the key of one file, or keys that one input sends. */
export function holdsFile(field: Pick<Field, 'kind'>): boolean {
  const { file } = kindOf(field)
  return file !== undefined && !file.several
}

/** Whether its value is a list of keys of files. */
export function holdsFiles(field: Field): field is ImagesField {
  return kindOf(field).file?.several === true
}
