import { type Arrangement, arrange, type Graph, type Point, type Route } from './layout.ts'

export interface Plan extends Arrangement {
  graph: Graph
  corners: ReadonlyMap<string, readonly Point[]>
}

const planCache = new Map<string, Plan>()
const maxCached = 50

export function planDiagram(graph: Graph): Plan {
  const key = JSON.stringify(graph)
  const plan = planCache.get(key) ?? makePlan(graph)
  planCache.delete(key)
  planCache.set(key, plan)
  if (planCache.size > maxCached) planCache.delete(planCache.keys().next().value as string)
  return plan
}

function makePlan(graph: Graph): Plan {
  const arrangement = arrange(graph)
  return { ...arrangement, graph, corners: routeEdges(graph, arrangement) }
}

interface EdgeEnd {
  id: string
  box: Point
  width: number
  space: number
  next: Point
  y: number
}

const arrowheadLength = 8

/**
 * The corners of every line. Up to every second corner it runs vertically, beside the boxes or labels of a row; it bends only between
 * rows, so that it crosses no box.
 */
function routeEdges(graph: Graph, { boxes, routes }: Arrangement): Map<string, Point[]> {
  const ends = spreadEnds(graph, boxes, routes)
  const rows = new Set([...boxes.values()].map((box) => box.y))
  return new Map(routes.map((route) => [route.id, cornersOf(graph, rows, route, ends)]))
}

function cornersOf(graph: Graph, rows: ReadonlySet<number>, route: Route, ends: Map<string, Point>): Point[] {
  const from = ends.get(`${route.id} from`) as Point
  const to = ends.get(`${route.id} to`) as Point
  const down = to.y > from.y ? 1 : -1
  const beside = route.points.flatMap(({ x, y }) => {
    const half = ((rows.has(y) ? graph.boxHeight : graph.wordHeight) / 2) * down
    return [
      { x, y: y - half },
      { x, y: y + half },
    ]
  })
  return [from, { x: from.x, y: from.y + graph.gaps.start * down }, ...beside, { x: to.x, y: to.y - arrowheadLength * down }, to]
}

function spreadEnds(graph: Graph, boxes: Arrangement['boxes'], routes: readonly Route[]): Map<string, Point> {
  const widths = new Map(graph.boxes.map((box) => [box.id, box.width]))
  const sides = new Map<string, EdgeEnd[]>()
  for (const route of routes) {
    add(`${route.id} from`, route.from, graph.ends.from, route.points[0] as Point)
    add(`${route.id} to`, route.to, graph.ends.to, route.points.at(-1) as Point)
  }
  return new Map([...sides.values()].flatMap(spreadSide))

  function add(id: string, boxId: number, room: number, next: Point): void {
    const box = boxes.get(boxId) as Point
    const below = next.y > box.y
    const side = `${boxId} ${below}`
    const y = box.y + (below ? graph.boxHeight : -graph.boxHeight) / 2
    sides.set(side, [...(sides.get(side) ?? []), { id, box, width: widths.get(boxId) as number, space: room, next, y }])
  }
}

function spreadSide(ends: EdgeEnd[]): [string, Point][] {
  const { box, width } = ends[0] as EdgeEnd
  const needed = ends.reduce((sum, { space }) => sum + space, 0)
  const scale = Math.min(1, (width - 8) / needed)
  let x = box.x - (needed * scale) / 2
  const sorted = ends.toSorted((one, other) => one.next.x - other.next.x)
  return sorted.map(({ id, space, y }) => {
    x += space * scale
    return [id, { x: x - (space * scale) / 2, y }]
  })
}
