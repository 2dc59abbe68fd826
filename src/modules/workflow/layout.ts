import dagre from '@dagrejs/dagre'

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

export interface Graph {
  boxes: readonly Box[]
  lines: readonly Edge[]
  boxHeight: number
  wordHeight: number
  gaps: { row: number; neighbour: number; start: number }
  ends: { from: number; to: number }
}

export interface Route extends Edge {
  points: readonly Point[]
  middle: Point
}

export interface Arrangement {
  width: number
  height: number
  boxes: ReadonlyMap<number, Point>
  routes: readonly Route[]
}

const margin = 8

export function arrange({ boxes, lines, boxHeight, wordHeight, gaps }: Graph): Arrangement {
  const graph = new dagre.graphlib.Graph({ multigraph: true })
  graph.setGraph({ ranksep: gaps.row, nodesep: gaps.neighbour, edgesep: gaps.neighbour / 2, marginx: margin, marginy: margin })
  for (const { id, width } of boxes) graph.setNode(String(id), { width, height: boxHeight })
  for (const { id, from, to, width, weight } of lines)
    graph.setEdge(String(from), String(to), { width, height: wordHeight, weight, labelpos: 'c' }, id)
  dagre.layout(graph)
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
