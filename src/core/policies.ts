interface PolicyText {
  category: string
  name: string
  description: string
}

export const policyCatalog = {
  ...inCategory('News', {
    news_can_view: ['View news', 'View and read the news.'],
    news_can_add: ['Add news', 'Create articles.'],
    news_can_edit: ['Edit news', 'Edit, publish, and unpublish articles.'],
    news_can_delete: ['Delete news', 'Delete articles.'],
  }),
  ...inCategory('Administrators', {
    admin_can_view: ['View administrators', 'View administrators and their details.'],
    admin_can_add: ['Add administrators', 'Add new administrators.'],
    admin_can_edit: ['Edit administrators', 'Edit, activate, and deactivate administrators.'],
    admin_can_delete: ['Delete administrators', 'Delete administrators.'],
    admin_can_auth: ['Sign in as an administrator', 'Impersonate other administrators.'],
    admin_can_edit_policy: ['Edit administrator permissions', 'Grant and revoke permissions of administrators.'],
  }),
  ...inCategory('Dealers', {
    dealer_can_view: ['View all dealers', 'View all dealers and their details.'],
    dealer_can_add: ['Add dealers', 'Add new dealers to any company.'],
    dealer_can_edit: ['Edit all dealers', 'Edit, activate, and deactivate any dealer.'],
    dealer_can_delete: ['Delete all dealers', 'Delete any dealer.'],
    dealer_can_auth: ['Sign in as a dealer', 'Impersonate dealers.'],
    dealer_manager_can_view: ['View own dealers', 'Managers can view dealers of their companies.'],
    dealer_manager_can_edit: ['Edit own dealers', 'Managers can edit, activate, and deactivate their dealers.'],
    dealer_manager_can_delete: ['Delete own dealers', 'Managers can delete their dealers.'],
  }),
  ...inCategory('Companies', {
    company_can_view: ['View all companies', 'View all companies and their details.'],
    company_can_add: ['Add companies', 'Add new companies.'],
    company_can_edit: ['Edit all companies', 'Edit any company.'],
    company_can_delete: ['Delete all companies', 'Delete any company.'],
    company_can_edit_discount: ['Edit base discount', 'Edit the base discount and the category discounts of a company.'],
    company_manager_can_view: ['View own companies', 'Managers can view their companies.'],
    company_manager_can_edit: ['Edit own companies', 'Managers can edit their companies.'],
    company_manager_can_delete: ['Delete own companies', 'Managers can delete their companies.'],
  }),
  ...inCategory('Managers', {
    manager_can_view: ['View managers', 'View managers and their details.'],
    manager_can_add: ['Add managers', 'Add new managers.'],
    manager_can_edit: ['Edit managers', 'Edit, activate, and deactivate managers.'],
    manager_can_delete: ['Delete managers', 'Delete managers.'],
    manager_can_auth: ['Sign in as a manager', 'Impersonate managers and production users.'],
    manager_can_edit_policy: ['Edit manager permissions', 'Grant and revoke permissions of managers.'],
    manager_can_view_dealers: ["View a manager's companies", 'View the companies assigned to a manager.'],
  }),
  ...inCategory('Production', {
    production_can_view: ['View production users', 'View production users and their details.'],
    production_can_add: ['Add production users', 'Add new production users.'],
    production_can_edit: ['Edit production users', 'Edit, activate, and deactivate production users.'],
    production_can_delete: ['Delete production users', 'Delete production users.'],
    production_can_edit_policy: ['Edit production user permissions', 'Grant and revoke permissions of production users.'],
  }),
  ...inCategory('Statuses', {
    status_can_view: ['Manage statuses', 'View, add, edit, and delete order statuses and transitions.'],
  }),
  ...inCategory('Orders', {
    order_can_view: ['View all orders', 'View every order.'],
    order_can_add: ['Add orders for any dealer', 'Add orders on behalf of any dealer.'],
    order_can_edit: ['Edit orders in any status', 'Edit an order regardless of its status.'],
    order_can_delete: ['Delete orders in any status', 'Delete an order regardless of its status.'],
  }),
  ...inCategory('Reference lists', {
    stock_can_view: ['View warehouses', 'View warehouses and their details.'],
    stock_can_edit: ['Edit warehouses', 'Add, edit, and delete warehouses.'],
    manufacture_can_view: ['View production sites', 'View production sites and their details.'],
    manufacture_can_edit: ['Edit production sites', 'Add, edit, and delete production sites.'],
    category_can_view: ['View product categories', 'View product categories and their details.'],
    category_can_edit: ['Edit product categories', 'Add, edit, and delete product categories.'],
  }),
  ...inCategory('Activity', {
    activity_can_view: ['View change history', 'See who changed what, and when.'],
  }),
}

export type PolicyKey = keyof typeof policyCatalog
export const policyKeys = Object.keys(policyCatalog) as PolicyKey[]

function inCategory<Key extends string>(
  category: string,
  policies: Record<Key, [name: string, description: string]>,
): Record<Key, PolicyText> {
  const entries = Object.entries<[string, string]>(policies).map(([key, [name, description]]) => [key, { category, name, description }])
  return Object.fromEntries(entries)
}

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
