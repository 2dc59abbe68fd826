import type { Point } from './layout.ts'

export type PointFormatter = (point: Point) => string

export const vertical: PointFormatter = ({ x, y }) => `${round(x)} ${round(y)}`
export const horizontal: PointFormatter = ({ x, y }) => `${round(y)} ${round(x)}`

export function curve(corners: readonly Point[], pen: PointFormatter): string {
  return corners.map((corner, index) => segment(corners[index - 1], corner, index % 2 === 0, pen)).join('')
}

function segment(from: Point | undefined, to: Point, bent: boolean, pen: PointFormatter): string {
  if (!from) return `M${pen(to)}`
  if (!bent || from.x === to.x) return `L${pen(to)}`
  const y = (from.y + to.y) / 2
  return `C${pen({ x: from.x, y })},${pen({ x: to.x, y })},${pen(to)}`
}

export function arrowhead(corners: readonly Point[], pen: PointFormatter): string {
  const { x, y } = corners.at(-1) as Point
  const back = y > (corners.at(-2) as Point).y ? y - 8 : y + 8
  return `M${pen({ x: x - 4.5, y: back })}L${pen({ x, y })}L${pen({ x: x + 4.5, y: back })}Z`
}

export function round(length: number): number {
  return Math.round(length * 10) / 10
}
