import type { Statement } from './statement.ts'

/** Serial numbers that count: the next one is the highest of them and one. */
export const countedSerial = `sn NOT GLOB '*[^0-9]*' AND length(sn) BETWEEN 1 AND 12`

export const orderSerials: Statement[] = [
  { name: 'orders_serial', sql: `CREATE INDEX orders_serial ON orders (cast(sn AS integer)) WHERE ${countedSerial}` },
]
