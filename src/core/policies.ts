import categories from './policies.json' with { type: 'json' }

type Categories = typeof categories
export type PolicyKey = { [Name in keyof Categories]: keyof Categories[Name] }[keyof Categories]

/** Each policy with the groups whose people have it by default. */
export const policyCatalog = Object.fromEntries(
  Object.entries(categories).flatMap(([category, policies]) =>
    Object.entries<string[]>(policies).map(([key, [name, description, ...groups]]) => [key, { category, name, description, groups }]),
  ),
) as Record<PolicyKey, { category: string; name: string; description: string; groups: string[] }>

export const policyKeys = Object.keys(policyCatalog) as PolicyKey[]
