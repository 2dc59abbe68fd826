import { type Arrangement, arrange, type Graph, type Point } from './layout.ts'
import { routeEdges } from './routing.ts'

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
