import type { Status, Transition, Workflow } from '../../core/transition-rules.ts'
import { type Role, roleMayPerform } from '../../core/workflow-roles.ts'
import type { Translate } from '../../i18n/translate.ts'
import { isColor, textColorOn } from './colors.ts'
import { abbreviatePerformers, formatPerformers } from './format.ts'
import type { Point } from './layout.ts'
import { type Plan, planDiagram } from './plan.ts'
import { arrowhead, curve, type PointFormatter, round, vertical } from './svg-path.ts'
import { boxHeight, boxWidth, letterSpace, textWidth, wordHeight, wrapName } from './text-metrics.ts'

export interface DiagramArrow extends Pick<Transition, 'parent_status_id' | 'child_status_id'> {
  id: string
  kind: 'open' | 'hidden' | 'walked' | 'possible' | 'other'
  label: string
  title: string
}

export type BoxState = 'plain' | 'visited' | 'current' | 'next' | 'other'

interface Box extends Pick<Status, 'id' | 'status_key' | 'name' | 'color'> {
  lines: readonly string[]
  state: BoxState
}

export type Diagram = ReturnType<typeof buildDiagram>

export function buildWorkflowDiagram({ statuses, transitions }: Workflow, t: Translate, role?: Role): Diagram {
  const crowded = isCrowded(transitions)
  const arrows = transitions.map((transition): DiagramArrow => {
    const kind = !role || roleMayPerform(role, transition) ? 'open' : 'hidden'
    const words = crowded ? abbreviatePerformers(transition, t) : formatPerformers(transition, t)
    return { ...transition, id: String(transition.id), kind, label: words, title: formatPerformers(transition, t) }
  })
  const plan = planDiagram({ ...(crowded ? denseGraph(statuses, arrows) : spaciousGraph(statuses, arrows)), boxHeight })
  return buildDiagram(
    plan,
    vertical,
    arrows,
    statuses.map((status) => ({ ...status, lines: wrapName(status.name), state: 'plain' })),
  )
}

/** With this many transitions, labels in the middle would overlap: letters at the start of the arrows replace them. */
export function isCrowded({ length }: readonly Transition[]): boolean {
  return length > 40
}

function spaciousGraph(statuses: readonly Status[], arrows: readonly DiagramArrow[]) {
  const boxes = statuses.map(({ id, name }) => ({ id, width: boxWidth(wrapName(name)) }))
  const lines = edgesOf(statuses, arrows).map((line, index) => ({ ...line, width: textWidth((arrows[index] as DiagramArrow).label) }))
  return { boxes, lines, wordHeight, gaps: { row: 52, neighbour: 26, start: 0 }, ends: { from: 16, to: 16 } }
}

function denseGraph(statuses: readonly Status[], arrows: readonly DiagramArrow[]) {
  const ends = { from: letterSpace, to: 9 }
  const boxes = statuses.map(({ id, name }) => {
    const outgoing = arrows.filter((arrow) => arrow.parent_status_id === id).length
    const incoming = arrows.filter((arrow) => arrow.child_status_id === id).length
    return { id, width: Math.max(boxWidth(wrapName(name)), outgoing * ends.from + incoming * ends.to) }
  })
  const lines = edgesOf(statuses, arrows)
  return { boxes, lines, wordHeight: 0, gaps: { row: 84, neighbour: 22, start: 14 }, ends }
}

export function edgesOf(statuses: readonly Status[], arrows: readonly DiagramArrow[]) {
  const place = new Map(statuses.map(({ id }, index) => [id, index]))
  return arrows.map(({ id, parent_status_id: from, child_status_id: to }) => {
    const next = (place.get(to) as number) - (place.get(from) as number) === 1
    return { id, from, to, width: 0, weight: next ? 6 : 1 }
  })
}

export function buildDiagram(plan: Plan, pen: PointFormatter, arrows: readonly DiagramArrow[], boxes: readonly Box[]) {
  const flip = pen !== vertical
  return {
    width: Math.ceil(flip ? plan.height : plan.width),
    height: Math.ceil(flip ? plan.width : plan.height),
    boxes: boxes.map((box) => buildBox(plan, flip, box)),
    arrows: arrows.filter(({ kind }) => kind !== 'hidden').map((arrow) => buildArrow(plan, pen, boxes, arrow)),
  }
}

function buildBox({ graph, boxes }: Plan, flip: boolean, { id, status_key, name, color, lines, state }: Box) {
  const middle = boxes.get(id) as Point
  const [x, y] = flip ? [middle.y, middle.x] : [middle.x, middle.y]
  const width = flip ? graph.boxHeight : (graph.boxes.find((box) => box.id === id)?.width as number)
  return {
    id,
    status_key,
    name,
    state,
    x: round(x - width / 2),
    y: round(y - boxHeight / 2),
    width: round(width),
    height: boxHeight,
    fill: isColor(color) ? color : undefined,
    textColor: isColor(color) ? textColorOn(color) : undefined,
    middle: round(x),
    lines: lines.map((text, index) => ({ text, y: round(y + 4.5 + (index - (lines.length - 1) / 2) * 15) })),
  }
}

function buildArrow(
  plan: Plan,
  pen: PointFormatter,
  boxes: readonly Box[],
  { id, kind, label, title, parent_status_id, child_status_id }: DiagramArrow,
) {
  const corners = plan.corners.get(id) as Point[]
  const name = (of: number) => boxes.find((box) => box.id === of)?.name
  const at = labelPosition(plan, id, corners)
  return {
    id,
    kind,
    line: curve(corners, pen),
    head: arrowhead(corners, pen),
    title: `${name(parent_status_id)} → ${name(child_status_id)}${title && `: ${title}`}`,
    label,
    x: round(at.x),
    y: round(at.y + 4),
  }
}

function labelPosition({ graph, routes }: Plan, id: string, [from, start]: readonly Point[]): Point {
  if (graph.gaps.start === 0) return routes.find((route) => route.id === id)?.middle as Point
  return { x: (from as Point).x, y: ((from as Point).y + (start as Point).y) / 2 }
}
