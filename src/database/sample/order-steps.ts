import { day, minute, now } from './calendar.ts'
import type { Random } from './random.ts'

export interface Step {
  status_key: string
  at: number
  by: 'dealer' | 'manager' | 'production'
}

const stages: { status_key: string; by: Step['by']; stay: [min: number, max: number] }[] = [
  { status_key: 'new', by: 'dealer', stay: [0, 2] },
  { status_key: 'apply', by: 'dealer', stay: [1, 5] },
  { status_key: 'payment', by: 'manager', stay: [1, 12] },
  { status_key: 'paid', by: 'dealer', stay: [0, 3] },
  { status_key: 'production', by: 'manager', stay: [7, 30] },
  { status_key: 'delivery', by: 'production', stay: [1, 6] },
  { status_key: 'install', by: 'production', stay: [1, 9] },
  { status_key: 'completed', by: 'production', stay: [0, 0] },
]

export function makeSteps(random: Random, placed: number): Step[] {
  const steps: Step[] = []
  const canceledAt = random.chance(0.08) ? random.integer(1, 5) : stages.length
  let at = placed
  for (const [index, { status_key, by, stay }] of stages.entries()) {
    if (at > now) break
    if (index === canceledAt) return [...steps, { status_key: 'canceled', by: 'manager', at }]
    steps.push({ status_key: status_key === 'delivery' && random.chance(0.35) ? 'pickup' : status_key, by, at })
    at += random.integer(stay[0] * 24 * 60 + 30, stay[1] * 24 * 60 + 600) * minute
    if (random.chance(0.03)) at += random.integer(20, 60) * day
  }
  return steps
}
