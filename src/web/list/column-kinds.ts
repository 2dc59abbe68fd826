/**
 * What the cells of a column hold decides how wide it is, in rem, and how it is exported. Columns of kinds that grow share what the others
 * leave of a table's width; below the sum of all widths a table scrolls. The style sheet takes its widths from here.
 */
export const columnKinds = {
  name: { width: 7.5, grows: true },
  text: { width: 9.5, grows: true },
  person: { width: 7, grows: true },
  contact: { width: 15 },
  short: { width: 7 },
  identifier: { width: 5.75 },
  number: { width: 5.75 },
  duration: { width: 5.75 },
  money: { width: 8.5 },
  date: { width: 8.25 },
  moment: { width: 6.5 },
  recent: { width: 10 },
  status: { width: 12 },
  switch: { width: 7 },
  phone: { width: 9.25 },
  image: { width: 3.25 },
  icon: { width: 4.25 },
} as const satisfies Record<string, { width: number; grows?: true }>

export type ColumnKind = keyof typeof columnKinds

/** The widths of what stands beside a list's columns: the tick, and an icon of a row. */
export const tickWidth = 2.75
export const iconWidth = 1.875

/** The least width of a table in rem, a multiple of four, with so many icons in a row. */
export function leastWidth(columns: readonly { kind: ColumnKind }[], ticks: boolean, icons: number): number {
  const widths = columns.map(({ kind }) => columnKinds[kind].width)
  const sum = widths.reduce((total, width) => total + width, (ticks ? tickWidth : 0) + actionsWidth(icons))
  return Math.ceil(sum / 4) * 4
}

export function actionsWidth(icons: number): number {
  return icons * iconWidth + 1.25
}
