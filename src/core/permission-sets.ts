import sets from './default-permission-sets.json' with { type: 'json' }
import type { PolicyKey } from './policies.ts'

/** The name of a permission set as this reader sees it: default names are in the language of each reader until somebody renames the set. */
export function permissionSetNameFor(language: 'en' | 'ru', name: string): string {
  return defaultPermissionSets.find((set) => Object.values(set.name).includes(name))?.name[language] ?? name
}

export const defaultPermissionSets = sets as { name: { en: string; ru: string }; keys: readonly PolicyKey[] }[]
