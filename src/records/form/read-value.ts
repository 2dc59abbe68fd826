import { type Field, FieldError, holdsFile, isSearched, kindOf } from '../fields/index.ts'
import type { Entry, FormState } from './form.ts'
import type { Said, Sent } from './sent.ts'

/** The name of a part of a row, such as `items.price`. */
export const partName = (place: string) => place.replace(/\.\d+\./, '.')

/** The value that a form takes of what is said in a place; nothing where nothing is said, or where it is wrong. */
export function readValue(entry: Entry, place: string, field: Field, stored: unknown, state: FormState, sent: Sent): unknown {
  if (isSearched(field)) entry.typed[`${place}_search`] = sent.search?.(place) ?? ''
  const said = sent.said(place, field)
  if (!said) return undefined
  if (said.text !== undefined) entry.typed[place] = said.text
  // A rule that came later refuses nothing that is there already.
  if (said.problem && !holdsFile(field) && stored != null && said.text === kindOf(field).show(stored, field)) return stored
  if (said.problem) entry.errors[place] = said.problem
  if (holdsFile(field)) return acceptFile(entry, place, field, stored, state, said, sent)
  if (said.problem) return undefined
  try {
    const { accept } = kindOf(field)
    return accept ? accept(said.value, stored, state.choices[partName(place)] ?? [], field) : said.value
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    entry.errors[place] = { message: error.message, params: error.params }
    return undefined
  }
}

type Accepting = [entry: Entry, place: string, field: Field, stored: unknown, state: FormState, said: Said, sent: Sent]

function acceptFile(...[entry, place, field, stored, { files = [] }, { value, problem }, sent]: Accepting): unknown {
  const isKnown = (key: unknown) => !key || [stored, files].flat().includes(key) || sent.uploaded(String(key), field)
  if ([value].flat().every(isKnown)) return value
  if (!problem) entry.errors[place] = { message: 'File not found. Choose it again.' }
  entry.typed[place] = kindOf(field).show(stored, field)
  return value
}
