import { isColor, textColorOn } from '../../core/accent.ts'
import { performers, requirementsOf, type Status, type Transition, type Workflow } from '../../core/transition-rules.ts'
import { type Role, roleMayPerform } from '../../core/workflow-roles.ts'
import type { Translate } from '../../i18n/translate.ts'
import { formatIssues, formatMakers, formatPerformers, formatRequirements } from './format.ts'
import labels from './labels.json' with { type: 'json' }
import { type Layout, layoutDiagram, type Point, type PointFormatter, round } from './layout.ts'
import { boxHeight, boxWidth, textWidth, wrapName } from './text-metrics.ts'

export interface DiagramArrow extends Pick<Transition, 'parent_status_id' | 'child_status_id'> {
  id: string
  kind: 'open' | 'hidden' | 'walked' | 'possible' | 'other'
  label: string
  title: string
  shared?: { width: number; sources: string }
}

export type BoxState = 'plain' | 'visited' | 'current' | 'next' | 'other'

interface Box extends Pick<Status, 'id' | 'status_key' | 'name' | 'color'> {
  lines: readonly string[]
  state: BoxState
}

export type Diagram = ReturnType<typeof buildDiagram>

export function buildWorkflowDiagram(workflow: Workflow, t: Translate, role?: Role): Diagram {
  const { statuses } = workflow
  const groups = gatherTransitions(workflow)
  const crowded = isCrowded(workflow)
  const arrows = groups.map((group) => viewOfArrow(group, workflow, t, crowded, role))
  const layout = layoutDiagram({ ...(crowded ? denseGraph(statuses, arrows) : spaciousGraph(statuses, arrows)), boxHeight })
  const boxes = statuses.map((status): Box => ({ ...status, lines: wrapName(status.name), state: 'plain' }))
  return buildDiagram(layout, vertical, arrows, boxes)
}

/** With this many arrows, labels in the middle would overlap: letters at the start of the arrows replace them. */
export function isCrowded(workflow: Workflow): boolean {
  return gatherTransitions(workflow).length > 40
}

/** A transition of its own, or all those into a status that nearly every other one leads to, which share an arrow. */
type TransitionGroup = readonly [Transition, ...Transition[]]

function gatherTransitions({ statuses, transitions }: Workflow): TransitionGroup[] {
  const place = new Map(statuses.map(({ id }, index) => [id, index]))
  const distance = ({ parent_status_id, child_status_id }: Transition) =>
    Math.abs((place.get(parent_status_id) ?? 0) - (place.get(child_status_id) ?? 0))
  return statuses.flatMap(({ id }) => {
    const incoming = transitions.filter(({ child_status_id }) => child_status_id === id)
    const sources = new Set(incoming.map(({ parent_status_id }) => parent_status_id)).size
    const shared = sources >= 5 && sources >= 0.75 * (statuses.length - 1)
    return shared
      ? [incoming.toSorted((one, other) => distance(one) - distance(other)) as unknown as TransitionGroup]
      : incoming.map((transition): TransitionGroup => [transition])
  })
}

function viewOfArrow(group: TransitionGroup, { statuses }: Workflow, t: Translate, crowded: boolean, role?: Role): DiagramArrow {
  const [transition] = group
  const open = group.filter((one) => !role || roleMayPerform(role, one))
  const arrow = { ...transition, id: String(transition.id), kind: open.length > 0 ? ('open' as const) : ('hidden' as const) }
  if (group.length === 1) {
    const performers = formatPerformers(transition, t)
    const conditions = formatRequirements(requirementsOf({ ...transition, required_fields: [] }), t)
    const title = [formatMakers(transition, t), formatIssues(transition, t), conditions].filter(Boolean).join('; ')
    return { ...arrow, label: crowded ? abbreviatePerformers(transition, t) : performers, title }
  }
  const all = t('from any of {number}', { number: group.length })
  const some = open.length === group.length ? all : t('from {number} of {all}', { number: open.length, all: group.length })
  const title = open.length === 1 ? formatPerformers(open[0] as Transition, t) : ''
  const sources = statuses.filter(({ id }) => open.some(({ parent_status_id }) => parent_status_id === id))
  return { ...arrow, label: some, title, shared: { width: textWidth(all), sources: sources.map(({ name }) => name).join(', ') } }
}

function spaciousGraph(statuses: readonly Status[], arrows: readonly DiagramArrow[]) {
  const boxes = statuses.map(({ id, name }) => ({ id, width: boxWidth(wrapName(name)) }))
  const widthOf = ({ label, shared }: DiagramArrow) => shared?.width ?? textWidth(label)
  const lines = edgesOf(statuses, arrows).map((line, index) => ({ ...line, width: widthOf(arrows[index] as DiagramArrow) }))
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

export function buildDiagram(layout: Layout, pen: PointFormatter, arrows: readonly DiagramArrow[], boxes: readonly Box[]) {
  const flip = pen !== vertical
  return {
    width: Math.ceil(flip ? layout.height : layout.width),
    height: Math.ceil(flip ? layout.width : layout.height),
    boxes: boxes.map((box) => buildBox(layout, flip, box)),
    arrows: arrows.filter(({ kind }) => kind !== 'hidden').map((arrow) => buildArrow(layout, pen, boxes, arrow)),
  }
}

function buildBox({ graph, boxes }: Layout, flip: boolean, { id, status_key, name, color, lines, state }: Box) {
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
  layout: Layout,
  pen: PointFormatter,
  boxes: readonly Box[],
  { id, kind, label, title, shared, parent_status_id, child_status_id }: DiagramArrow,
) {
  const whole = layout.corners.get(id) as Point[]
  const corners = shared ? fromLabel(whole) : whole
  const name = (of: number) => boxes.find((box) => box.id === of)?.name
  const at = shared ? middleOf(layout, id) : labelPosition(layout, id, corners)
  return {
    id,
    kind,
    line: curve(corners, pen),
    head: arrowhead(corners, pen),
    title: `${shared?.sources ?? name(parent_status_id)} → ${name(child_status_id)}${title && `: ${title}`}`,
    label,
    x: round(at.x),
    y: round(at.y + 4),
  }
}

function fromLabel(corners: readonly Point[]): Point[] {
  const half = corners.slice(corners.length / 2)
  return [half[0] as Point, ...half]
}

function middleOf({ routes }: Layout, id: string): Point {
  return routes.find((route) => route.id === id)?.middle as Point
}

function labelPosition(layout: Layout, id: string, [from, start]: readonly Point[]): Point {
  if (layout.graph.gaps.start === 0) return middleOf(layout, id)
  return { x: (from as Point).x, y: ((from as Point).y + (start as Point).y) / 2 }
}

function abbreviatePerformers(transition: Transition, t: Translate): string {
  const allowed = performers(transition)
  const letters = allowed.length > 0 ? allowed : (['none'] as const)
  return letters.map((flag) => t(labels.performerLetters[flag])).join('')
}

const wordHeight = 16

const letterSpace = 30

const vertical: PointFormatter = ({ x, y }) => `${round(x)} ${round(y)}`

function curve(corners: readonly Point[], pen: PointFormatter): string {
  return corners.map((corner, index) => segment(corners[index - 1], corner, index % 2 === 0, pen)).join('')
}

function segment(from: Point | undefined, to: Point, bent: boolean, pen: PointFormatter): string {
  if (!from) return `M${pen(to)}`
  if (!bent || from.x === to.x) return `L${pen(to)}`
  const y = (from.y + to.y) / 2
  return `C${pen({ x: from.x, y })},${pen({ x: to.x, y })},${pen(to)}`
}

function arrowhead(corners: readonly Point[], pen: PointFormatter): string {
  const { x, y } = corners.at(-1) as Point
  const back = y > (corners.at(-2) as Point).y ? y - 8 : y + 8
  return `M${pen({ x: x - 4.5, y: back })}L${pen({ x, y })}L${pen({ x: x + 4.5, y: back })}Z`
}
