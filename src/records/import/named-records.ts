import { allows } from '../../core/access.ts'
import { fold } from '../../core/text.ts'
import type { RowResult } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { type Choice, FieldError } from '../fields/index.ts'
import { type ImportKind, importKinds } from './import.ts'
import type { FindNamed } from './read-cells.ts'
import type { Run } from './run.ts'
import { isToBeAdded, isToBeLeftOut, meantName } from './unknown-names.ts'

/** What is said of a name that nobody knows, unless its field says it. */
export const noOption = 'No option "{name}".'

/** Finds what a cell names, or adds it to its list where whoever imports says so. */
export function findNamed(run: Run, add: (list: ImportKind, text: string) => Choice): FindNamed {
  return (name, text, offered = [], unknown = noOption) => {
    const found = chooseNamed(searchNamed(run, name, text) ?? offered, text)
    if (found) return found
    const list = addableList(run.context, run.kind, name)
    if (!list || !(run.sheet.adds_missing || isToBeAdded(run.sheet, name, text))) throw new FieldError(unknown, { name: text })
    return add(list, text)
  }
}

/** Takes names that nobody knows for what whoever imports has said; returns whether the row is left out. */
export function settleNames(run: Run, texts: Map<string, string>, result: RowResult): boolean {
  for (const field of askedFields(run.kind)) {
    const text = texts.get(field)
    if (!text || isKnown(run, field, text)) continue
    result.asked = [...(result.asked ?? []), { field, text }]
    if (isToBeLeftOut(run.sheet, field, text)) return true
    texts.set(field, meantName(run.sheet, field, text) ?? text)
  }
  return false
}

function isKnown(run: Run, field: string, text: string): boolean {
  const folded = fold(text)
  return (searchNamed(run, field, text) ?? []).some(({ name }) => fold(name.trim()) === folded)
}

function searchNamed({ kind, context, choices }: Run, name: string, text: string): Choice[] | undefined {
  const finder = kind.finders?.[name]
  if (!finder) return undefined
  const key = `${name} ${text}`
  const found = choices.get(key) ?? finder(context, { query: text.slice(0, 200) })
  // What is not there yet may be added for another row.
  if (found.length > 0) choices.set(key, found)
  return found
}

/** The list into which what a field names can be added by whoever imports. */
export function addableList(
  { server, actor }: Pick<Context, 'server' | 'actor'>,
  { adds }: ImportKind,
  name: string,
): ImportKind | undefined {
  const list = importKinds(server).find((one) => one.list === adds?.[name])
  return list && allows(list.card.may.add, actor) ? list : undefined
}

/** @throws FieldError when several are called so */
function chooseNamed(among: readonly Choice[], text: string): Choice | undefined {
  const found = among.filter((choice) => fold(choice.name.trim()) === fold(text))
  if (found.length > 1) throw new FieldError('More than one record is named "{name}".', { name: text })
  return found[0]
}

/** Fields whose cells can name a record that nobody knows, about which whoever imports is asked name by name. */
const askedFields = ({ adds = {}, finders = {} }: ImportKind): string[] => Object.keys(adds).filter((name) => name in finders)
