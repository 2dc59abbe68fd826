/**
 * What the cells of a column hold decides how wide it is, which function of `cells.ts` draws them, and whether rows without a value come last.
 * A column is as wide as its longest value; flexible ones share what the others leave, each as it needs, and are cut only where that is not
 * enough for all of them. `room` is what a usual value takes, in rem, `least` what a flexible one can be read with; the lower `gives`, the
 * sooner it gives way where the table has less room (`src/records/list/narrow.ts`).
 */
const columnKinds = {
  name: { flexible: true, room: 14.5, least: 11 },
  text: { flexible: true, room: 18, least: 7, gives: 7 },
  person: { flexible: true, cell: 'person', room: 14, least: 11, gives: 4 },
  category: { flexible: true, room: 12, least: 8, gives: 2 },
  choice: { flexible: true, room: 9, least: 7, gives: 2 },
  contact: { flexible: true, room: 20, least: 10, gives: 3 },
  short: { flexible: true, room: 6, least: 6 },
  identifier: { room: 4 },
  word: { room: 7 },
  number: { cell: 'number', room: 5 },
  duration: { room: 6 },
  money: { cell: 'money', room: 7.5 },
  date: { cell: 'day', emptyLast: true, room: 5, gives: 6 },
  moment: { cell: 'moment', room: 5, gives: 5 },
  recent: { cell: 'recent', room: 7.5 },
  status: { room: 11.5 },
  switch: { cell: 'onOff', room: 5 },
  phone: { room: 9, gives: 1 },
  image: { cell: 'photo', room: 2.75 },
  icon: { room: 3.25 },
} as const satisfies Record<string, KindOfColumn>

interface KindOfColumn {
  flexible?: true
  cell?: string
  emptyLast?: true
  room: number
  least?: number
  gives?: number
}

export type ColumnKind = keyof typeof columnKinds

const kindNamed = (kind: ColumnKind): KindOfColumn => columnKinds[kind]

/** How its cells are drawn. */
export const cellOf = (kind: ColumnKind): string => kindNamed(kind).cell ?? 'text'

export const isFlexible = (kind: ColumnKind): boolean => kindNamed(kind).flexible === true

/** Whether rows without a value come last, whichever way the others are sorted. */
export const isEmptyLast = (kind: ColumnKind): boolean => kindNamed(kind).emptyLast === true

/** What a usual value takes. */
export const roomOf = (kind: ColumnKind): number => kindNamed(kind).room

/** What it can be read with. */
export const leastRoomOf = (kind: ColumnKind): number => kindNamed(kind).least ?? roomOf(kind)

/** How soon it gives way; undefined for what a list is never without. */
export const givesWay = (kind: ColumnKind): number | undefined => kindNamed(kind).gives
