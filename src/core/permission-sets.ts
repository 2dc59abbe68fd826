import sets from './default-permission-sets.json' with { type: 'json' }
import type { PolicyKey } from './policies.ts'

export const defaultPermissionSets = sets as { key: string; name: { en: string; ru: string }; keys: readonly PolicyKey[] }[]

/** The name of a permission set as this reader sees it: default sets are named in the language of each reader. */
export function permissionSetNameFor(language: 'en' | 'ru', { name, seed_key }: { name: string; seed_key: string | null }): string {
  return defaultPermissionSets.find(({ key }) => key === seed_key)?.name[language] ?? name
}
