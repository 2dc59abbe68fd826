import { formatDateTimeInput } from '../i18n/format.ts'

/** A value of a chart with the list that it is the sum of. */
interface ChartValue {
  /** In full, such as `November 2026`, and as short as an axis allows. */
  name: string
  short: string
  value: number
  text: string
  /** The value in so few characters that it fits above its bar. */
  brief?: string
  address: string
}

/** A value with its place in the drawing, in percent of width and height, so that a chart fits wherever it is shown. */
interface PlacedValue extends ChartValue {
  left: number
  center: number
  slot: number
  y: number
  height: number
}

const [top, bottom] = [14, 84]

export interface Chart {
  title: string
  /** What the rows of the chart are, read as a table, and what their values are. */
  heads: [name: string, value: string]
  values: PlacedValue[]
  /** The corners of the area under its line. */
  corners: string
  /** The axis of the values: none where each says its own. */
  ticks: { y: number; text: string }[]
}

/** @param format what a value is called on the axis */
export function makeChart(title: string, heads: Chart['heads'], values: ChartValue[], format?: (value: number) => string): Chart {
  const most = Math.max(0, ...values.map(({ value }) => value))
  const steps = format ? stepsUpTo(most) : []
  const highest = steps.at(-1) ?? Math.max(1, most)
  const placed = placeValues(values, highest)
  const line = placed.map(({ center, y }) => `${center},${y}`)
  const corners = [`${placed[0]?.center},${bottom}`, ...line, `${placed.at(-1)?.center},${bottom}`].join(' ')
  const ticks = steps.map((value) => ({ y: round(bottom - heightOf(value, highest)), text: format?.(value) ?? '' }))
  return { title, heads, values: placed, corners, ticks }
}

/** A chart in which at least two values can be compared. */
export const unlessAlone = (chart: Chart): Chart | undefined =>
  chart.values.filter(({ value }) => value > 0).length > 1 ? chart : undefined

/** Two to five round values of which the last is as high as the highest value or a little higher; none for nothing. */
export function stepsUpTo(most: number): number[] {
  if (most === 0) return []
  const power = 10 ** Math.floor(Math.log10(most / 2))
  const step = Math.max(1, ([1, 2, 5, 10].find((one) => one * power * 5 >= most) ?? 10) * power)
  return Array.from({ length: Math.ceil(most / step) }, (_, index) => (index + 1) * step)
}

const heightOf = (value: number, highest: number) => (value / highest) * (bottom - top)

function placeValues(values: ChartValue[], highest: number): PlacedValue[] {
  const slot = 100 / values.length
  return values.map((one, index) => {
    const height = round(heightOf(one.value, highest))
    return { ...one, left: round(index * slot), center: round((index + 0.5) * slot), slot: round(slot), height, y: round(bottom - height) }
  })
}

const round = (percent: number) => Math.round(percent * 100) / 100

interface Period {
  start: Date
  /** First and last day, as filters of lists take them. */
  from: string
  until: string
}

/** The last `count` months, the present one included. */
export function lastMonths(count: number): Period[] {
  const now = new Date(Date.now())
  return lastPeriods(count, (ago) => new Date(now.getFullYear(), now.getMonth() - ago, 1))
}

/** The last `count` weeks from Monday to Sunday, the present one included. */
export function lastWeeks(count: number): Period[] {
  const now = new Date(Date.now())
  const monday = now.getDate() - ((now.getDay() + 6) % 7)
  return lastPeriods(count, (ago) => new Date(now.getFullYear(), now.getMonth(), monday - 7 * ago))
}

function lastPeriods(count: number, startOf: (ago: number) => Date): Period[] {
  return Array.from({ length: count }, (_, index) => {
    const [start, next] = [startOf(count - 1 - index), startOf(count - 2 - index)]
    const last = new Date(next.getFullYear(), next.getMonth(), next.getDate() - 1)
    return { start, from: dayOf(start), until: dayOf(last) }
  })
}

const dayOf = (date: Date) => formatDateTimeInput(date.getTime()).slice(0, 10)
