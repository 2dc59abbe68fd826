import { createRequire } from 'node:module'
import type dagre from '@dagrejs/dagre'

const require = createRequire(import.meta.url)

export interface Point {
  x: number
  y: number
}

interface Box {
  id: number
  width: number
}

interface Edge {
  id: string
  from: number
  to: number
  width: number
  weight: number
}

interface Graph {
  boxes: readonly Box[]
  lines: readonly Edge[]
  boxHeight: number
  wordHeight: number
  gaps: { row: number; neighbour: number; start: number }
  ends: { from: number; to: number }
}

interface Route extends Edge {
  points: readonly Point[]
  middle: Point
}

interface Arrangement {
  width: number
  height: number
  boxes: ReadonlyMap<number, Point>
  routes: readonly Route[]
}

export interface Layout extends Arrangement {
  graph: Graph
  corners: ReadonlyMap<string, readonly Point[]>
}

const layoutCache = new Map<string, Layout>()
const maxCached = 50

export function layoutDiagram(graph: Graph): Layout {
  const key = JSON.stringify(graph)
  const layout = layoutCache.get(key) ?? makeLayout(graph)
  layoutCache.delete(key)
  layoutCache.set(key, layout)
  if (layoutCache.size > maxCached) layoutCache.delete(layoutCache.keys().next().value as string)
  return layout
}

function makeLayout(graph: Graph): Layout {
  const arrangement = arrange(graph)
  return { ...arrangement, graph, corners: routeEdges(graph, arrangement) }
}

const margin = 8

function arrange({ boxes, lines, boxHeight, wordHeight, gaps }: Graph): Arrangement {
  // Not before somebody looks at a workflow.
  const { graphlib, layout } = require('@dagrejs/dagre') as typeof dagre
  const graph = new graphlib.Graph({ multigraph: true })
  graph.setGraph({ ranksep: gaps.row, nodesep: gaps.neighbour, edgesep: gaps.neighbour / 2, marginx: margin, marginy: margin })
  for (const { id, width } of boxes) graph.setNode(String(id), { width, height: boxHeight })
  for (const { id, from, to, width, weight } of lines)
    graph.setEdge(String(from), String(to), { width, height: wordHeight, weight, labelpos: 'c' }, id)
  layout(graph)
  const middles = boxes.map(({ id }): [number, Point] => [id, graph.node(String(id)) as Point])
  const routes = lines.map((line) => {
    const points: Point[] = graph.edge(String(line.from), String(line.to), line.id).points.slice(1, -1)
    return { ...line, points, middle: points[(points.length - 1) / 2] as Point }
  })
  return fitToBounds({ boxes: new Map(middles), routes, height: graph.graph().height ?? 0 }, boxes)
}

function fitToBounds({ boxes, routes, height }: Omit<Arrangement, 'width'>, widths: readonly Box[]): Arrangement {
  const sides = [
    ...widths.flatMap(({ id, width }) => extent((boxes.get(id) as Point).x, width)),
    ...routes.flatMap(({ middle, width, points }) => [...extent(middle.x, width), ...points.map(({ x }) => x)]),
  ]
  const [left, right] = [Math.min(...sides) - margin, Math.max(...sides) + margin]
  const [first] = boxes.values()
  const mirrored = first !== undefined && first.x > (left + right) / 2
  const move = ({ x, y }: Point) => ({ x: mirrored ? right - x : x - left, y })
  return {
    width: Math.max(0, right - left),
    height,
    boxes: new Map([...boxes].map(([id, middle]) => [id, move(middle)])),
    routes: routes.map((route) => ({ ...route, points: route.points.map(move), middle: move(route.middle) })),
  }
}

function extent(middle: number, width: number): number[] {
  return [middle - width / 2, middle + width / 2]
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

export type PointFormatter = (point: Point) => string

export function round(length: number): number {
  return Math.round(length * 10) / 10
}
