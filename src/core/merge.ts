type Values = Record<string, unknown>
type Row = Record<string, unknown>

export interface Merge {
  values: Values
  conflicts: string[]
  othersFields: string[]
}

/** Three-way merge of a form: edits of different fields combine, the same field edited twice is a conflict. */
export function mergeValues(base: Values, mine: Values, theirs: Values, keyOf: Record<string, string> = {}): Merge {
  const merge: Merge = { values: {}, conflicts: [], othersFields: [] }
  for (const name of Object.keys(theirs)) {
    const othersChanged = !isEqual(base[name], theirs[name])
    if (!(name in mine) || isEqual(mine[name], base[name])) {
      if (othersChanged) merge.othersFields.push(name)
    } else if (!othersChanged) merge.values[name] = mine[name]
    else if (keyOf[name]) mergeRepeater(merge, name, keyOf[name], base[name], mine[name], theirs[name])
    else if (!isEqual(mine[name], theirs[name])) addConflict(merge, name, mine[name])
  }
  for (const name of Object.keys(mine)) if (!(name in theirs)) merge.values[name] = mine[name]
  return merge
}

function mergeRepeater(merge: Merge, name: string, key: string, base: unknown, mine: unknown, theirs: unknown): void {
  const { rows, conflict } = mergeRows(base as Row[], mine as Row[], theirs as Row[], key)
  if (conflict) addConflict(merge, name, rows)
  else {
    merge.othersFields.push(name)
    if (!isEqual(rows, theirs)) merge.values[name] = rows
  }
}

function addConflict(merge: Merge, name: string, value: unknown): void {
  merge.conflicts.push(name)
  merge.values[name] = value
}

export function mergeRows(base: Row[], mine: Row[], theirs: Row[], key: string): { rows: Row[]; conflict: boolean } {
  const merged = mine.map((row) => mergeRow(find(base, row, key), row, find(theirs, row, key)))
  // A row that others added is kept; one that I deleted stays deleted unless others edited it meanwhile.
  const added = theirs.filter((row) => !find(mine, row, key))
  const lost = added.some((row) => !isEqual(row, find(base, row, key) ?? row))
  const rows = [...merged.flatMap(({ row }) => (row ? [row] : [])), ...added.filter((row) => !find(base, row, key))]
  return { rows, conflict: lost || merged.some(({ conflict }) => conflict) }
}

function mergeRow(before: Row | undefined, mine: Row, now: Row | undefined): { row?: Row; conflict: boolean } {
  if (!before) return { row: mine, conflict: now !== undefined && !isEqual(now, mine) }
  if (!now) return isEqual(mine, before) ? { conflict: false } : { row: mine, conflict: true }
  const { values, conflicts } = mergeValues(before, mine, now)
  return { row: { ...now, ...values }, conflict: conflicts.length > 0 }
}

function find(rows: Row[], row: Row, key: string): Row | undefined {
  return row[key] == null ? undefined : rows.find((other) => other[key] === row[key])
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
