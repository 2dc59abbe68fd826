/**
 * What the cells of a column hold decides how wide it is, in rem, which macro of `components/cells.njk` renders them, and whether rows without
 * a value come last. Columns of kinds that grow share what the others leave of a table's width; those of kinds with a most take of it up to
 * that. Below the sum of all widths a table scrolls. The style sheet takes its widths from here.
 */
export const columnKinds = {
  name: { width: 7.5, grows: true },
  text: { width: 9.5, grows: true },
  person: { width: 7, most: 20, cell: 'person' },
  category: { width: 7, most: 12.5 },
  choice: { width: 7, most: 10 },
  contact: { width: 15 },
  short: { width: 7 },
  identifier: { width: 5.75 },
  number: { width: 5.75, cell: 'number' },
  duration: { width: 5.75 },
  money: { width: 8.5, cell: 'money' },
  date: { width: 8.25, cell: 'day', emptyLast: true },
  moment: { width: 6.5, cell: 'moment' },
  recent: { width: 10 },
  status: { width: 12 },
  switch: { width: 7, cell: 'onOff' },
  phone: { width: 9.25 },
  image: { width: 3.25, cell: 'photo' },
  icon: { width: 4.25 },
} as const satisfies Record<string, { width: number; grows?: true; most?: number; cell?: string; emptyLast?: true }>

export type ColumnKind = keyof typeof columnKinds

/** The macro of its cells, where they hold more than text. */
export const cellOf = (kind: ColumnKind): string | undefined => (columnKinds[kind] as { cell?: string }).cell

/** Whether rows without a value come last, whichever way the others are sorted. */
export const isEmptyLast = (kind: ColumnKind): boolean => 'emptyLast' in columnKinds[kind]

/** The widths of what stands beside a list's columns: the ticks, and where the buttons of a row begin. */
export const tickWidth = 2.75
export const actionsWidth = 1

/** The least width of a table in rem, a multiple of four. */
export function leastWidth(columns: readonly { kind: ColumnKind }[], ticks: boolean): number {
  const widths = columns.map(({ kind }) => columnKinds[kind].width)
  const sum = widths.reduce((total, width) => total + width, actionsWidth + (ticks ? tickWidth : 0))
  return Math.ceil(sum / 4) * 4
}
