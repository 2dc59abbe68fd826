import categories from './policies.json' with { type: 'json' }

type Categories = typeof categories
export type PolicyKey = { [Name in keyof Categories]: keyof Categories[Name] }[keyof Categories]

export const policyCatalog = Object.fromEntries(
  Object.entries(categories).flatMap(([category, policies]) =>
    Object.entries<string[]>(policies).map(([key, [name, description]]) => [key, { category, name, description }]),
  ),
) as Record<PolicyKey, { category: string; name: string; description: string }>

export const policyKeys = Object.keys(policyCatalog) as PolicyKey[]

const news: PolicyKey[] = ['news_can_view', 'news_can_add', 'news_can_edit', 'news_can_delete']
const orders: PolicyKey[] = ['order_can_view', 'order_can_add', 'order_can_edit', 'order_can_delete']

export const roleDefaults: Record<1 | 2 | 3 | 4, readonly PolicyKey[]> = {
  1: [...news, ...orders],
  2: ['news_can_view'],
  3: ['news_can_view'],
  4: ['news_can_view'],
}

const managerSet: PolicyKey[] = [
  'news_can_view',
  'dealer_manager_can_view',
  'dealer_manager_can_edit',
  'company_manager_can_view',
  'company_manager_can_edit',
  'production_can_view',
  'stock_can_view',
  'manufacture_can_view',
  'category_can_view',
]

export const defaultPermissionSets: readonly { name: { en: string; ru: string }; keys: readonly PolicyKey[] }[] = [
  { name: { en: 'Manager', ru: 'Менеджер' }, keys: managerSet },
  {
    name: { en: 'Senior manager', ru: 'Старший менеджер' },
    keys: [
      ...managerSet,
      'dealer_can_view',
      'dealer_can_add',
      'dealer_can_edit',
      'company_can_view',
      'company_can_add',
      'company_can_edit',
      'company_can_edit_discount',
      'manager_can_view',
      'manager_can_view_dealers',
    ],
  },
  {
    name: { en: 'Accountant', ru: 'Бухгалтер' },
    keys: ['news_can_view', 'company_can_view', 'company_can_edit', 'company_can_edit_discount', 'dealer_can_view', 'order_can_view'],
  },
  { name: { en: 'Viewer', ru: 'Наблюдатель' }, keys: policyKeys.filter((key) => key.endsWith('_can_view')) },
]
