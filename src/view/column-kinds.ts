/**
 * What the cells of a column hold decides how wide it is, which function of `cells.ts` draws them, and whether rows without a value come last.
 * A column is as wide as its longest value; flexible ones share what the others leave, each as it needs, and are cut only where that is not
 * enough for all of them.
 */
const columnKinds = {
  name: { flexible: true },
  text: { flexible: true },
  person: { flexible: true, cell: 'person' },
  category: { flexible: true },
  choice: { flexible: true },
  contact: { flexible: true },
  short: { flexible: true },
  identifier: {},
  number: { cell: 'number' },
  duration: {},
  money: { cell: 'money' },
  date: { cell: 'day', emptyLast: true },
  moment: { cell: 'moment' },
  recent: { cell: 'recent' },
  status: {},
  switch: { cell: 'onOff' },
  phone: {},
  image: { cell: 'photo' },
  icon: {},
} as const satisfies Record<string, { flexible?: true; cell?: string; emptyLast?: true }>

export type ColumnKind = keyof typeof columnKinds

/** How its cells are drawn. */
export const cellOf = (kind: ColumnKind): string => (columnKinds[kind] as { cell?: string }).cell ?? 'text'

export const isFlexible = (kind: ColumnKind): boolean => 'flexible' in columnKinds[kind]

/** Whether rows without a value come last, whichever way the others are sorted. */
export const isEmptyLast = (kind: ColumnKind): boolean => 'emptyLast' in columnKinds[kind]
