type Values = Record<string, unknown>

export interface Merge {
  values: Values
  conflicts: string[]
  othersFields: string[]
}

/** Three-way merge of a form: edits of different fields combine, the same field edited twice is a conflict, as are rows of one list. */
export function mergeValues(base: Values, mine: Values, theirs: Values): Merge {
  const merge: Merge = { values: {}, conflicts: [], othersFields: [] }
  for (const name of Object.keys(theirs)) {
    const othersChanged = !isEqual(base[name], theirs[name])
    if (!(name in mine) || isEqual(mine[name], base[name])) {
      if (othersChanged) merge.othersFields.push(name)
    } else if (!othersChanged) merge.values[name] = mine[name]
    else if (!isEqual(mine[name], theirs[name])) {
      merge.conflicts.push(name)
      merge.values[name] = mine[name]
    }
  }
  for (const name of Object.keys(mine)) if (!(name in theirs)) merge.values[name] = mine[name]
  return merge
}

export function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
