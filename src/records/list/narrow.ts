import { givesWay, isFlexible, leastRoomOf, roomOf } from '../../view/column-kinds.ts'
import type { Column, ListState } from './list.ts'

type ShownColumn = Pick<Column, 'key' | 'kind' | 'spare' | 'opens'>

/** What stands beside the columns: boxes to tick with the buttons of rows, or little. */
const edges = { picks: 6, none: 1.5 }

/** The least width of a table beside no phone, and the widths below which columns are left out: those of `static/css/columns.scss`. */
const smallest = 45
const widths = [48, 52, 56, 60, 66, 72, 84, 96]

/**
 * Below which width of its table, in rem, a column is left out, by its key. Where the others would not have the room of usual values, those give
 * way that say nothing: the `empty` ones, of which no row has a value, and those in which all say the same; then spare ones, the last first.
 * Where those that are left could not be read, one after the other does, as its kind says. What somebody chose or the list is sorted by stays.
 */
export function narrowest(
  columns: readonly ShownColumn[],
  picks: boolean,
  state: ListState,
  empty: ReadonlySet<string> = new Set(),
): Map<string, number> {
  const narrow = new Map<string, number>()
  const left = new Set(columns)
  const leaveOut = (column: ShownColumn, room: typeof roomOf) => {
    const needed = [...left].reduce((sum, { kind }) => sum + room(kind), picks ? edges.picks : edges.none)
    if (needed <= smallest) return
    narrow.set(column.key, widths.find((width) => width >= needed) ?? (widths.at(-1) as number))
    left.delete(column)
  }
  const saysNothing = ({ key, kind }: ShownColumn) => empty.has(key) || (isFlexible(kind) && state.filters[key] !== undefined)
  const optional = columns.filter(({ key, opens }) => !opens && key !== state.sort && !state.cols.includes(key))
  const silent = optional.filter(saysNothing)
  const spare = optional.filter((column) => column.spare && !saysNothing(column)).toReversed()
  for (const column of [...silent, ...spare]) leaveOut(column, roomOf)
  const others = optional.filter((column) => !column.spare && !saysNothing(column) && givesWay(column.kind))
  for (const column of others.sort((a, b) => soon(a) - soon(b))) leaveOut(column, leastRoomOf)
  return narrow
}

const soon = ({ kind }: ShownColumn) => givesWay(kind) ?? 0

/** The same for the table: by the place of each column, after the boxes. */
export function viewOfNarrow(columns: readonly ShownColumn[], picks: boolean, narrow: ReadonlyMap<string, number>): string {
  const places = columns.map(({ key }, index) => [index + (picks ? 2 : 1), narrow.get(key)])
  return places.flatMap(([place, width]) => (width ? [`${place}-${width}`] : [])).join(' ')
}
