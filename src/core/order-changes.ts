import { dateFields, type OrderDate } from './order-editable-fields.ts'
import { lineCost } from './pricing.ts'
import { requirableFields as names } from './transition-rules.ts'

/** Something about an order that became otherwise, as its dealer is told of it. */
export interface OrderChange {
  what: string
  /** The name of the line that it is about. */
  line?: string
  was: string | number | null
  is: string | number | null
  kind: 'day' | 'text' | 'amount'
  /** Only for those who see prices. */
  ofPrices?: true
}

type Line = Parameters<typeof lineCost>[0] & {
  id?: number
  name: string
  width?: number | null
  height?: number | null
  remark?: string | null
}

type Fields = Readonly<Record<string, unknown>>

/** @param fields what differed of an order, each with the value before and after */
export function changesToTell(fields: Fields): OrderChange[] {
  const [before = [], after = []] = (fields.items ?? []) as [Line[]?, Line[]?]
  return [...dateFields.flatMap((name) => dateChange(name, fields[name])), ...lineChanges(before, after)]
}

function dateChange(name: OrderDate, change: unknown): OrderChange[] {
  if (!change) return []
  const [was, is] = change as [string | null, string | null]
  return [{ what: names[name], was, is, kind: 'day', ...(name === 'date_payment' && { ofPrices: true }) }]
}

function lineChanges(before: readonly Line[], after: readonly Line[]): OrderChange[] {
  const earlier = new Map(before.map((line) => [line.id, line]))
  const kept = new Set(after.map(({ id }) => id))
  return [
    ...after.flatMap((line) => changesOfLine(earlier.get(line.id), line)),
    ...before.filter(({ id }) => !kept.has(id)).map(({ name, quantity }) => wholeLine('Line removed', name, quantity)),
  ]
}

const wholeLine = (what: string, line: string, quantity: number): OrderChange => ({ what, line, was: null, is: quantity, kind: 'text' })

function changesOfLine(was: Line | undefined, is: Line): OrderChange[] {
  if (!was) return [wholeLine('Line added', is.name, is.quantity)]
  const parts: Omit<OrderChange, 'line'>[] = [
    { what: 'Product', was: was.name, is: is.name, kind: 'text' },
    { what: 'Width, mm', was: was.width ?? null, is: is.width ?? null, kind: 'text' },
    { what: 'Height, mm', was: was.height ?? null, is: is.height ?? null, kind: 'text' },
    { what: 'Quantity', was: was.quantity, is: is.quantity, kind: 'text' },
    { what: 'Remark', was: was.remark ?? null, is: is.remark ?? null, kind: 'text' },
    { what: 'Amount', was: lineCost(was), is: lineCost(is), kind: 'amount', ofPrices: true },
  ]
  return parts.filter((part) => part.was !== part.is).map((part) => ({ line: is.name, ...part }))
}
