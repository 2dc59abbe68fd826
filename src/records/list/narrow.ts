import { givesWay, isFlexible, leastRoomOf, roomOf } from '../../view/column-kinds.ts'
import type { Column, ListState } from './list.ts'
import { isSorted } from './state.ts'

type ShownColumn = Pick<Column, 'key' | 'kind' | 'spare' | 'opens'>

/** What stands beside the columns: boxes to tick with the buttons of rows, or little. */
const edges = { picks: 6, none: 1.5 }

/** The least width of a table beside no phone, and the widths below which columns are left out: those of `static/css/columns.scss`. */
const smallest = 45
const widths = [48, 52, 56, 60, 66, 72, 84, 96]

/**
 * Below which width of its table, in rem, a column is left out, by its key. Spare ones, and those in which all rows say the same, give way where
 * the others would not have the room of usual values; then one after the other, as its kind says, where those that are left could not be read.
 * What somebody chose or sorts by stays.
 */
export function narrowest(columns: readonly ShownColumn[], picks: boolean, state: ListState): Map<string, number> {
  const narrow = new Map<string, number>()
  const left = new Set(columns)
  const leaveOut = (column: ShownColumn, room: typeof roomOf) => {
    const needed = [...left].reduce((sum, { kind }) => sum + room(kind), picks ? edges.picks : edges.none)
    if (needed <= smallest) return
    narrow.set(column.key, widths.find((width) => width >= needed) ?? (widths.at(-1) as number))
    left.delete(column)
  }
  const isAsked = ({ key }: ShownColumn) => state.cols.includes(key) || (key === state.sort && isSorted(state))
  const isSpare = ({ key, kind, spare }: ShownColumn) => spare || (isFlexible(kind) && state.filters[key] !== undefined)
  const optional = columns.filter((column) => !column.opens && !isAsked(column))
  for (const column of optional.filter(isSpare)) leaveOut(column, roomOf)
  const others = optional.filter((column) => !isSpare(column) && givesWay(column.kind))
  for (const column of others.sort((a, b) => soon(a) - soon(b))) leaveOut(column, leastRoomOf)
  return narrow
}

const soon = ({ kind }: ShownColumn) => givesWay(kind) ?? 0

/** The same for the table: by the place of each column, after the boxes. */
export function viewOfNarrow(columns: readonly ShownColumn[], picks: boolean, narrow: ReadonlyMap<string, number>): string {
  const places = columns.map(({ key }, index) => [index + (picks ? 2 : 1), narrow.get(key)])
  return places.flatMap(([place, width]) => (width ? [`${place}-${width}`] : [])).join(' ')
}
