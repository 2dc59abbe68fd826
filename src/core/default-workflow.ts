import workflow from './default-workflow.json' with { type: 'json' }
import type { Due } from './payments.ts'

type Names = { en: string; ru: string }

export type Language = keyof Names
type Party = 'manager' | 'admin' | 'dealer' | 'make'

export const statusPolicyNames = workflow.policies

export type StatusPolicyKey = keyof typeof statusPolicyNames

export const defaultStatuses = workflow.statuses.map((status) => ({
  ...status,
  due: 'due' in status ? (status.due as Due) : null,
  notify: status.notify as Party[],
  policies: status.policies as StatusPolicyKey[],
}))

const actions = new Map(Object.entries(workflow.actions))

/** Their actions are known by the status that they lead to. */
export const defaultTransitions = workflow.transitions.map(({ performers, ...transition }) => ({
  ...transition,
  action: actions.get(transition.to)?.name as Names,
  dealer_can: performers.includes('dealer'),
  manager_can: performers.includes('manager'),
  production_can: performers.includes('production'),
}))

/** The status that the workflow check proposes, and what leads to it. */
export const madeStatus = { ...workflow.made, action: workflow.actions.made.name as Names }

const knownStatuses = [...workflow.statuses, workflow.made]

const statusNames = new Map(knownStatuses.map(({ status_key, name }) => [status_key, name]))

/** Whether it is a default one, and which: nobody has renamed it. */
export interface Seeded {
  seed_key?: string | null
}

/** The name of a status as this reader sees it: default ones are named in the language of each reader. */
export function statusNameFor(language: Language, { name, seed_key }: Seeded & { name: string }): string {
  return statusNames.get(seed_key ?? '')?.[language] ?? name
}

export function actionNameFor(language: Language, { action_name, seed_key }: Seeded & { action_name?: string | null }): string | null {
  return actions.get(seed_key ?? '')?.name[language] ?? action_name ?? null
}

/** What somebody did who performed a default transition: "requested payment"; nothing for others. */
export function deedFor(language: Language, transition: Seeded | undefined): string | undefined {
  return actions.get(transition?.seed_key ?? '')?.done[language]
}

const pastNames = new Map(knownStatuses.flatMap(({ name }) => Object.values(name).map((text) => [text, name])))

/** What a status was called: history, notifications and trash keep names as texts, whatever has become of the status. */
export function pastStatusNameFor(language: Language, name: string): string {
  return pastNames.get(name)?.[language] ?? name
}

/** All that are kept so, with what they are for this reader. */
export function pastStatusNamesFor(language: Language): [name: string, shown: string][] {
  return [...pastNames].map(([name, names]) => [name, names[language]])
}

/** Orders were once named with the number of their specification, too. */
function orderNumberFor(language: Language, label: string): string {
  const number = label.replace(/ \(\d+\)$/, '')
  return language === 'ru' ? number.replace(/^#/, '№\u00a0') : number
}

/** What a record is called in texts that are kept, as this reader sees it: default statuses by name, orders, and documents that their number names, as #12 or № 12. */
export function recordLabelFor(language: Language, table: string, label: string): string {
  if (table === 'orders' || table === 'payments') return orderNumberFor(language, label)
  if (table === 'documents' && /^\d/.test(label)) return orderNumberFor(language, `#${label}`)
  return table === 'statuses' ? pastStatusNameFor(language, label) : label
}
