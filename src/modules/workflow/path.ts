import type { Transition, Workflow } from '../../core/transition.ts'
import type { Translate } from '../../web/i18n/translate.ts'
import { type Drawing, drawing, linesOf, type Standing, type Way } from './drawing.ts'
import { boxHeight, boxWidth, wrapName } from './lettering.ts'
import { planOf } from './plan.ts'
import { sideways } from './strokes.ts'

/** Where an order stands. */
export interface Path {
  /** The statuses that it has been in, in their order. */
  visited: readonly number[]
  current: number | null
  /** The transitions that can be made now. */
  possible: readonly number[]
}

const narrow = 13

/** What `workflow/path.njk` draws, and what it says to those who do not see it. */
export function viewPath(workflow: Workflow, path: Path, t: Translate) {
  const drawing = drawPath(workflow, path)
  const name = (id: number | null) => workflow.statuses.find((status) => status.id === id)?.name
  const next = drawing.boxes.filter((box) => box.standing === 'next').map((box) => box.name)
  const words = [
    t('The way so far: {statuses}.', { statuses: path.visited.flatMap((id) => name(id) ?? []).join(' → ') }),
    t('Now: {status}.', { status: name(path.current) ?? t('No status') }),
    next.length > 0 && t('It can go on to: {statuses}.', { statuses: next.join(', ') }),
  ]
  return { drawing, words: words.filter(Boolean).join(' ') }
}

/** The workflow in small, from left to right, with the way of one order through it and where that can go on to. */
export function drawPath({ statuses, transitions }: Workflow, path: Path): Drawing {
  const known = new Set(statuses.map(({ id }) => id))
  const ways = waysOf(transitions, path).filter((way) => known.has(way.parent_status_id) && known.has(way.child_status_id))
  const next = new Set(ways.filter(({ kind }) => kind === 'possible').map((way) => way.child_status_id))
  // The plan is made downwards and turned, so the height of its boxes is their width.
  const boxes = statuses.map(({ id }) => ({ id, width: boxHeight }))
  const widest = Math.max(0, ...statuses.map((status) => boxWidth(wrapName(status.name, narrow))))
  const plan = planOf({
    boxes,
    lines: linesOf(statuses, ways),
    boxHeight: widest,
    wordHeight: 0,
    gaps: { row: 32, neighbour: 12, start: 0 },
    ends: { from: 10, to: 10 },
  })
  return drawing(
    plan,
    sideways,
    ways,
    statuses.map((status) => ({ ...status, lines: wrapName(status.name, narrow), standing: standingOf(status.id, path, next) })),
  )
}

function waysOf(transitions: readonly Transition[], { visited, current, possible }: Path): Way[] {
  const passed = current === null || visited.at(-1) === current ? visited : [...visited, current]
  const steps = passed.slice(1).map((to, index) => `${passed[index]}-${to}`)
  const made = new Set(transitions.map((way) => `${way.parent_status_id}-${way.child_status_id}`))
  const ways = transitions.map(({ id, parent_status_id, child_status_id }): Way => {
    const walked = steps.includes(`${parent_status_id}-${child_status_id}`)
    const kind = possible.includes(id) ? 'possible' : walked ? 'walked' : 'other'
    return { id: String(id), parent_status_id, child_status_id, kind, words: '', title: '' }
  })
  return [...ways, ...[...new Set(steps)].filter((step) => !made.has(step)).map(stepAside)]
}

/** A step that was taken although no transition leads this way now. */
function stepAside(step: string): Way {
  const [parent_status_id = 0, child_status_id = 0] = step.split('-').map(Number)
  return { id: step, parent_status_id, child_status_id, kind: 'walked', words: '', title: '' }
}

function standingOf(id: number, { visited, current }: Path, next: ReadonlySet<number>): Standing {
  if (id === current) return 'current'
  if (next.has(id)) return 'next'
  return visited.includes(id) ? 'visited' : 'other'
}
