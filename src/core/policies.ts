import rights from './default-rights.json' with { type: 'json' }
import categories from './policies.json' with { type: 'json' }

type Categories = typeof categories
export type PolicyKey = { [Name in keyof Categories]: keyof Categories[Name] }[keyof Categories]

export const policyCatalog = Object.fromEntries(
  Object.entries(categories).flatMap(([category, policies]) =>
    Object.entries<string[]>(policies).map(([key, [name, description]]) => [key, { category, name, description }]),
  ),
) as Record<PolicyKey, { category: string; name: string; description: string }>

export const policyKeys = Object.keys(policyCatalog) as PolicyKey[]

export const roleDefaults = rights.roleDefaults as Record<1 | 2 | 3 | 4, readonly PolicyKey[]>

/** The name of a permission set as this reader sees it: default names are in the language of each reader until somebody renames the set. */
export function permissionSetNameFor(language: 'en' | 'ru', name: string): string {
  return defaultPermissionSets.find((set) => Object.values(set.name).includes(name))?.name[language] ?? name
}

export const defaultPermissionSets = rights.permissionSets as { name: { en: string; ru: string }; keys: readonly PolicyKey[] }[]
