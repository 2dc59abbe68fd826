import { fittingTransitions } from '../../core/likely-step.ts'
import { isCanceled } from '../../core/payments.ts'
import { isFinal, statusById, type Transition, type Workflow } from '../../core/transition-rules.ts'
import type { Translate } from '../../i18n/translate.ts'
import { type BoxState, buildDiagram, type Diagram, type DiagramArrow, edgesOf } from './diagram.ts'
import { layoutDiagram, type PointFormatter, round } from './layout.ts'
import { boxHeight, boxWidth, wrapName } from './text-metrics.ts'

interface OrderPath {
  visited: readonly number[]
  current: number | null
  possible: readonly number[]
}

const maxNameLength = 13

export function viewOfPath(workflow: Workflow, path: OrderPath, t: Translate) {
  const diagram = buildPathDiagram(workflow, path)
  const name = (id: number | null) => statusById(workflow, id)?.name
  const next = diagram.boxes.filter((box) => box.state === 'next').map((box) => box.name)
  const visited = path.visited.flatMap((id) => name(id) ?? [])
  const words = [
    visited.length > 0 && t('Path so far: {statuses}.', { statuses: visited.join(' → ') }),
    t('Now: {status}.', { status: name(path.current) ?? t('No status') }),
    next.length > 0 && t('Next: {statuses}.', { statuses: next.join(', ') }),
  ]
  return { diagram, description: words.filter(Boolean).join(' ') }
}

export function buildPathDiagram({ statuses, transitions }: Workflow, path: OrderPath): Diagram {
  const known = new Set(statuses.map(({ id }) => id))
  const arrows = pathArrows(transitions, path).filter((arrow) => known.has(arrow.parent_status_id) && known.has(arrow.child_status_id))
  const next = new Set(arrows.filter(({ kind }) => kind === 'possible').map((arrow) => arrow.child_status_id))
  // The layout is vertical and rotated afterwards, so the height of a box is its width here.
  const boxes = statuses.map(({ id }) => ({ id, width: boxHeight }))
  const widest = Math.max(0, ...statuses.map((status) => boxWidth(wrapName(status.name, maxNameLength))))
  const layout = layoutDiagram({
    boxes,
    lines: edgesOf(statuses, arrows),
    boxHeight: widest,
    wordHeight: 0,
    gaps: { row: 32, neighbour: 12, start: 0 },
    ends: { from: 10, to: 10 },
  })
  return buildDiagram(
    layout,
    horizontal,
    arrows,
    statuses.map((status) => ({ ...status, lines: wrapName(status.name, maxNameLength), state: boxState(status.id, path, next) })),
  )
}

function pathArrows(transitions: readonly Transition[], { visited, current, possible }: OrderPath): DiagramArrow[] {
  const passed = current === null || visited.at(-1) === current ? visited : [...visited, current]
  const steps = passed.slice(1).map((to, index) => `${passed[index]}-${to}`)
  const made = new Set(transitions.map((arrow) => `${arrow.parent_status_id}-${arrow.child_status_id}`))
  const arrows = transitions.map(({ id, parent_status_id, child_status_id }): DiagramArrow => {
    const walked = steps.includes(`${parent_status_id}-${child_status_id}`)
    const kind = possible.includes(id) ? 'possible' : walked ? 'walked' : 'other'
    return { id: String(id), parent_status_id, child_status_id, kind, label: '', title: '' }
  })
  return [...arrows, ...[...new Set(steps)].filter((step) => !made.has(step)).map(arrowWithoutTransition)]
}

/** An order may have taken a step for which there is no transition any more. */
function arrowWithoutTransition(step: string): DiagramArrow {
  const [parent_status_id = 0, child_status_id = 0] = step.split('-').map(Number)
  return { id: step, parent_status_id, child_status_id, kind: 'walked', label: '', title: '' }
}

function boxState(id: number, { visited, current }: OrderPath, next: ReadonlySet<number>): BoxState {
  if (id === current) return 'current'
  if (next.has(id)) return 'next'
  return visited.includes(id) ? 'visited' : 'other'
}

/** The statuses that an order has passed, is in and will probably pass, without those that it came back from. */
export function viewOfProgress(
  workflow: Workflow,
  visited: readonly (number | null)[],
  { status_id: current, delivery }: { status_id: number | null; delivery: string | null },
) {
  const done: number[] = []
  for (const id of [...visited, current]) {
    if (id === null || !statusById(workflow, id)) continue
    if (done.includes(id)) done.splice(done.indexOf(id))
    done.push(id)
  }
  const ahead = likelyWay(workflow, current, done, delivery)
  const now = stateOfCurrent(workflow, current)
  const states = [...done.map((id) => [id, id === current ? now : 'done'] as const), ...ahead.map((id) => [id, 'next'] as const)]
  return states.flatMap(([id, state]) => {
    const status = statusById(workflow, id)
    return status ? [{ id, name: status.name, color: status.color, state }] : []
  })
}

function stateOfCurrent(workflow: Workflow, current: number | null): 'canceled' | 'finished' | 'current' {
  const status = statusById(workflow, current)
  if (isCanceled(status)) return 'canceled'
  return status && isFinal(workflow, status.id) ? 'finished' : 'current'
}

function likelyWay(workflow: Workflow, from: number | null, passed: readonly number[], delivery: string | null): number[] {
  const way: number[] = []
  for (let at = from; at !== null; ) {
    const options = fittingTransitions(workflow, { status_id: at, delivery }).map(({ child_status_id }) => child_status_id)
    const onward: number | undefined = options.find((id) => !passed.includes(id) && !way.includes(id))
    if (onward === undefined) break
    way.push(onward)
    at = onward
  }
  return way
}

const horizontal: PointFormatter = ({ x, y }) => `${round(y)} ${round(x)}`
