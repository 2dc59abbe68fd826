import type { Status, Transition, Workflow } from '../../core/transition.ts'
import { type Role, roleMay } from '../../core/workflow-roles.ts'
import type { Translate } from '../../web/i18n/translate.ts'
import { inkOn, isColour } from './colours.ts'
import type { Point } from './layout.ts'
import { boxHeight, boxWidth, letterRoom, textWidth, wordHeight, wrapName } from './lettering.ts'
import { type Plan, planOf } from './plan.ts'
import { arrowhead, curve, downwards, type Pen, round } from './strokes.ts'
import { walkersInLetters, walkersInWords } from './words.ts'

/** An arrow to be drawn: a transition, or a step that an order took without one. */
export interface Way extends Pick<Transition, 'parent_status_id' | 'child_status_id'> {
  id: string
  kind: 'open' | 'hidden' | 'walked' | 'possible' | 'other'
  /** Who may walk it: written on the arrow, and told when a pointer rests on it. */
  words: string
  title: string
}

/** How an order stands to a status; plain where there is no order. */
export type Standing = 'plain' | 'visited' | 'current' | 'next' | 'other'

/** A status to be drawn. */
interface Box extends Pick<Status, 'id' | 'status_key' | 'name' | 'color'> {
  /** Its name, as it fits. */
  lines: readonly string[]
  standing: Standing
}

export type Drawing = ReturnType<typeof drawing>

/** The whole workflow, or of its ways those that a role may walk; every status keeps its place. */
export function drawWorkflow({ statuses, transitions }: Workflow, t: Translate, role?: Role): Drawing {
  const crowded = isCrowded(transitions)
  const ways = transitions.map((transition): Way => {
    const kind = !role || roleMay(role, transition) ? 'open' : 'hidden'
    const words = crowded ? walkersInLetters(transition, t) : walkersInWords(transition, t)
    return { ...transition, id: String(transition.id), kind, words, title: walkersInWords(transition, t) }
  })
  const plan = planOf({ ...(crowded ? dense(statuses, ways) : roomy(statuses, ways)), boxHeight })
  return drawing(
    plan,
    downwards,
    ways,
    statuses.map((status) => ({ ...status, lines: wrapName(status.name), standing: 'plain' })),
  )
}

/** With so many ways there is no room for words in the middle of each: letters at its beginning must do. */
export function isCrowded({ length }: readonly Transition[]): boolean {
  return length > 40
}

function roomy(statuses: readonly Status[], ways: readonly Way[]) {
  const boxes = statuses.map(({ id, name }) => ({ id, width: boxWidth(wrapName(name)) }))
  const lines = linesOf(statuses, ways).map((line, index) => ({ ...line, width: textWidth((ways[index] as Way).words) }))
  return { boxes, lines, wordHeight, gaps: { row: 52, neighbour: 26, start: 0 }, ends: { from: 16, to: 16 } }
}

function dense(statuses: readonly Status[], ways: readonly Way[]) {
  const ends = { from: letterRoom, to: 9 }
  const boxes = statuses.map(({ id, name }) => {
    const beginning = ways.filter((way) => way.parent_status_id === id).length
    const arriving = ways.filter((way) => way.child_status_id === id).length
    return { id, width: Math.max(boxWidth(wrapName(name)), beginning * ends.from + arriving * ends.to) }
  })
  const lines = linesOf(statuses, ways)
  return { boxes, lines, wordHeight: 0, gaps: { row: 84, neighbour: 22, start: 14 }, ends }
}

/** Ways to the next status of the list are the backbone: they stay short. */
export function linesOf(statuses: readonly Status[], ways: readonly Way[]) {
  const place = new Map(statuses.map(({ id }, index) => [id, index]))
  return ways.map(({ id, parent_status_id: from, child_status_id: to }) => {
    const next = (place.get(to) as number) - (place.get(from) as number) === 1
    return { id, from, to, width: 0, weight: next ? 6 : 1 }
  })
}

/** What `workflow/drawing.njk` draws. */
export function drawing(plan: Plan, pen: Pen, ways: readonly Way[], boxes: readonly Box[]) {
  const flip = pen !== downwards
  return {
    width: Math.ceil(flip ? plan.height : plan.width),
    height: Math.ceil(flip ? plan.width : plan.height),
    boxes: boxes.map((box) => drawBox(plan, flip, box)),
    ways: ways.filter(({ kind }) => kind !== 'hidden').map((way) => drawWay(plan, pen, boxes, way)),
  }
}

function drawBox({ graph, boxes }: Plan, flip: boolean, { id, status_key, name, color, lines, standing }: Box) {
  const middle = boxes.get(id) as Point
  const [x, y] = flip ? [middle.y, middle.x] : [middle.x, middle.y]
  const width = flip ? graph.boxHeight : (graph.boxes.find((box) => box.id === id)?.width as number)
  return {
    id,
    status_key,
    name,
    standing,
    x: round(x - width / 2),
    y: round(y - boxHeight / 2),
    width: round(width),
    height: boxHeight,
    fill: isColour(color) ? color : undefined,
    ink: isColour(color) ? inkOn(color) : undefined,
    middle: round(x),
    lines: lines.map((text, index) => ({ text, y: round(y + 4.5 + (index - (lines.length - 1) / 2) * 15) })),
  }
}

function drawWay(plan: Plan, pen: Pen, boxes: readonly Box[], { id, kind, words, title, parent_status_id, child_status_id }: Way) {
  const corners = plan.corners.get(id) as Point[]
  const name = (of: number) => boxes.find((box) => box.id === of)?.name
  const at = wordsAt(plan, id, corners)
  return {
    id,
    kind,
    line: curve(corners, pen),
    head: arrowhead(corners, pen),
    title: `${name(parent_status_id)} → ${name(child_status_id)}${title && `: ${title}`}`,
    words,
    x: round(at.x),
    y: round(at.y + 4),
  }
}

/** In the middle of a line, or at its beginning where room is kept there. */
function wordsAt({ graph, routes }: Plan, id: string, [from, start]: readonly Point[]): Point {
  if (graph.gaps.start === 0) return routes.find((route) => route.id === id)?.middle as Point
  return { x: (from as Point).x, y: ((from as Point).y + (start as Point).y) / 2 }
}
