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

export const defaultTransitions = workflow.transitions.map(({ performers, ...transition }) => ({
  ...transition,
  dealer_can: performers.includes('dealer'),
  manager_can: performers.includes('manager'),
  production_can: performers.includes('production'),
}))

const bySeededName = (all: Names[]) => new Map(all.flatMap((names) => Object.values(names).map((name) => [name, names])))
const statusNames = bySeededName(workflow.statuses.map(({ name }) => name))
const actionNames = bySeededName(workflow.transitions.map(({ action }) => action))

/** The name of a status as this reader sees it: seeded names are in the language of each reader until somebody renames the status. */
export function statusNameFor(language: keyof Names, name: string): string {
  return statusNames.get(name)?.[language] ?? name
}

/** What seeded names of statuses, in whichever language, are for this reader. */
export function statusNamesFor(language: keyof Names): [name: string, shown: string][] {
  return [...statusNames].map(([name, names]) => [name, names[language]])
}

/** What a record is called, as this reader sees it: default statuses by name, orders as #12 or № 12. */
export function recordLabelFor(language: keyof Names, table: string, label: string): string {
  if (table === 'orders' || table === 'payments') return language === 'ru' ? label.replace(/^#/, '№\u00a0') : label
  return table === 'statuses' ? statusNameFor(language, label) : label
}

export function actionNameFor(language: keyof Names, name: string): string {
  return actionNames.get(name)?.[language] ?? name
}

const deeds = new Map(workflow.transitions.flatMap(({ action, done }) => Object.values(action).map((name) => [name, done])))

/** What somebody did who performed a seeded transition: "requested payment"; nothing for transitions with another name. */
export function deedFor(language: keyof Names, actionName: string | null | undefined): string | undefined {
  return deeds.get(actionName ?? '')?.[language]
}
