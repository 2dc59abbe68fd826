import { firstCharacters } from '../../../core/text.ts'
import { FieldError, type FieldOptions, type FieldWith, kindOfField, makeField, orNull } from './field.ts'

export const toggle = kindOfField<boolean>('switch', { initial: false, parse: parseSwitch, show: (value) => (value ? '1' : '0') })

/** The requested state of a switch, so that a repeated request changes nothing. */
export function parseSwitch(text: string | null): boolean {
  if (text !== '0' && text !== '1') throw new FieldError('Invalid value')
  return text === '1'
}

export function option<K extends string, const O extends FieldOptions & { none?: string }>(
  label: string,
  values: Readonly<Record<K, string>>,
  options?: O,
): FieldWith<K | null, O> {
  const parse = (typed: string) => {
    if (typed === '') return null
    if (!Object.hasOwn(values, typed)) throw new FieldError('Choose a value from the list.')
    return typed as K
  }
  return makeField('option', label, options, { values, parse })
}

export function several<K extends string, const O extends FieldOptions>(label: string, values: Readonly<Record<K, string>>, options?: O) {
  const ordered = (chosen: readonly string[]) => (Object.keys(values) as K[]).filter((key) => chosen.includes(key))
  const parse = (typed: string) => {
    const chosen = typed.split(',').filter(Boolean)
    const unknown = chosen.find((key) => !Object.hasOwn(values, key))
    if (unknown !== undefined) throw new FieldError('No option "{name}".', { name: firstCharacters(unknown, 50) })
    return ordered(chosen)
  }
  const show = (value: unknown) => ordered((value ?? []) as string[]).join(',')
  return makeField('several', label, options, { values, initial: [], parse, show })
}

export function choice<const O extends FieldOptions & { source?: string }>(label: string, options?: O): FieldWith<number | null, O> {
  const parse = orNull((typed) => {
    if (!/^\d{1,15}$/.test(typed)) throw new FieldError('Choose a value from the list.')
    return Number(typed)
  })
  return makeField('choice', label, options, { parse })
}
