import { type Arrangement, arrange, type Graph, type Point } from './layout.ts'
import { routeLines } from './routing.ts'

export interface Plan extends Arrangement {
  graph: Graph
  corners: ReadonlyMap<string, readonly Point[]>
}

const remembered = new Map<string, Plan>()
const most = 50

/** Where everything goes; the same workflow is laid out once, whoever looks at it. */
export function planOf(graph: Graph): Plan {
  const key = JSON.stringify(graph)
  const plan = remembered.get(key) ?? makePlan(graph)
  remembered.delete(key)
  remembered.set(key, plan)
  if (remembered.size > most) remembered.delete(remembered.keys().next().value as string)
  return plan
}

function makePlan(graph: Graph): Plan {
  const arrangement = arrange(graph)
  return { ...arrangement, graph, corners: routeLines(graph, arrangement) }
}
