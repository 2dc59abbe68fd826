/** What somebody saw, what they made of it, and what others saved meanwhile; a repeater's value is an array of rows. */
type Values = Record<string, unknown>
type Row = Record<string, unknown>

export interface Merge {
  /** What to save: only fields that differ from what is stored now; where both changed the same, mine. */
  values: Values
  /** Names of the fields that both changed, differently. */
  conflicts: string[]
  /** Names of the fields that only others changed: they are kept. */
  kept: string[]
}

/**
 * Three-way merge of a form: disjoint edits combine, the same field edited twice is a clash.
 * @param base the values when the form was opened
 * @param mine the values that were sent; a field that was not sent stays as it is
 * @param theirs the values that are stored now
 * @param keyOf the name of the property that tells a repeater's rows apart, by repeater
 */
export function mergeValues(base: Values, mine: Values, theirs: Values, keyOf: Record<string, string> = {}): Merge {
  const merge: Merge = { values: {}, conflicts: [], kept: [] }
  for (const name of Object.keys(theirs)) {
    const othersChanged = !isEqual(base[name], theirs[name])
    if (!(name in mine) || isEqual(mine[name], base[name])) {
      if (othersChanged) merge.kept.push(name)
    } else if (!othersChanged) merge.values[name] = mine[name]
    else if (keyOf[name]) mergeRepeater(merge, name, keyOf[name], base[name], mine[name], theirs[name])
    else if (!isEqual(mine[name], theirs[name])) addConflict(merge, name, mine[name])
  }
  for (const name of Object.keys(mine)) if (!(name in theirs)) merge.values[name] = mine[name]
  return merge
}

function mergeRepeater(merge: Merge, name: string, key: string, base: unknown, mine: unknown, theirs: unknown): void {
  const { rows, clashes } = mergeRows(base as Row[], mine as Row[], theirs as Row[], key)
  if (clashes) addConflict(merge, name, rows)
  else {
    merge.kept.push(name)
    if (!isEqual(rows, theirs)) merge.values[name] = rows
  }
}

function addConflict(merge: Merge, name: string, value: unknown): void {
  merge.conflicts.push(name)
  merge.values[name] = value
}

/** Rows are told apart by their key; within a row each field merges by itself. Mine set the order. */
export function mergeRows(base: Row[], mine: Row[], theirs: Row[], key: string): { rows: Row[]; clashes: boolean } {
  const merged = mine.map((row) => mergeRow(find(base, row, key), row, find(theirs, row, key)))
  // A row of theirs that I never saw is kept; one that I deleted stays deleted, unless they went on with it.
  const unseen = theirs.filter((row) => !find(mine, row, key))
  const lost = unseen.some((row) => !isEqual(row, find(base, row, key) ?? row))
  const rows = [...merged.flatMap(({ row }) => (row ? [row] : [])), ...unseen.filter((row) => !find(base, row, key))]
  return { rows, clashes: lost || merged.some(({ clashes }) => clashes) }
}

/** One row of mine against what it was and what became of it; no row when both agree that it goes. */
function mergeRow(before: Row | undefined, mine: Row, now: Row | undefined): { row?: Row; clashes: boolean } {
  if (!before) return { row: mine, clashes: now !== undefined && !isEqual(now, mine) }
  if (!now) return isEqual(mine, before) ? { clashes: false } : { row: mine, clashes: true }
  const { values, conflicts } = mergeValues(before, mine, now)
  return { row: { ...now, ...values }, clashes: conflicts.length > 0 }
}

function find(rows: Row[], row: Row, key: string): Row | undefined {
  return row[key] == null ? undefined : rows.find((other) => other[key] === row[key])
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
