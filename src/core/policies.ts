interface PolicyText {
  category: string
  name: string
  description: string
}

export const policyCatalog = {
  news_can_view: { category: 'News', name: 'View news', description: 'View and read the news.' },
  news_can_add: { category: 'News', name: 'Add news', description: 'Create articles.' },
  news_can_edit: { category: 'News', name: 'Edit news', description: 'Edit, publish, and unpublish articles.' },
  news_can_delete: { category: 'News', name: 'Delete news', description: 'Delete articles.' },
  admin_can_view: {
    category: 'Administrators',
    name: 'View administrators',
    description: 'View administrators and their details.',
  },
  admin_can_add: { category: 'Administrators', name: 'Add administrators', description: 'Add new administrators.' },
  admin_can_edit: {
    category: 'Administrators',
    name: 'Edit administrators',
    description: 'Edit, activate, and deactivate administrators.',
  },
  admin_can_delete: { category: 'Administrators', name: 'Delete administrators', description: 'Delete administrators.' },
  admin_can_auth: {
    category: 'Administrators',
    name: 'Sign in as an administrator',
    description: 'Impersonate other administrators.',
  },
  admin_can_edit_policy: {
    category: 'Administrators',
    name: 'Edit administrator permissions',
    description: 'Grant and revoke permissions of administrators.',
  },
  dealer_can_view: { category: 'Dealers', name: 'View all dealers', description: 'View all dealers and their details.' },
  dealer_can_add: { category: 'Dealers', name: 'Add dealers', description: 'Add new dealers to any company.' },
  dealer_can_edit: {
    category: 'Dealers',
    name: 'Edit all dealers',
    description: 'Edit, activate, and deactivate any dealer.',
  },
  dealer_can_delete: { category: 'Dealers', name: 'Delete all dealers', description: 'Delete any dealer.' },
  dealer_can_auth: { category: 'Dealers', name: 'Sign in as a dealer', description: 'Impersonate dealers.' },
  dealer_manager_can_view: { category: 'Dealers', name: 'View own dealers', description: 'Managers can view dealers of their companies.' },
  dealer_manager_can_edit: {
    category: 'Dealers',
    name: 'Edit own dealers',
    description: 'Managers can edit, activate, and deactivate their dealers.',
  },
  dealer_manager_can_delete: { category: 'Dealers', name: 'Delete own dealers', description: 'Managers can delete their dealers.' },
  company_can_view: { category: 'Companies', name: 'View all companies', description: 'View all companies and their details.' },
  company_can_add: { category: 'Companies', name: 'Add companies', description: 'Add new companies.' },
  company_can_edit: { category: 'Companies', name: 'Edit all companies', description: 'Edit any company.' },
  company_can_delete: { category: 'Companies', name: 'Delete all companies', description: 'Delete any company.' },
  company_can_edit_discount: {
    category: 'Companies',
    name: 'Edit base discount',
    description: 'Edit the base discount and the category discounts of a company.',
  },
  company_manager_can_view: {
    category: 'Companies',
    name: 'View own companies',
    description: 'Managers can view their companies.',
  },
  company_manager_can_edit: {
    category: 'Companies',
    name: 'Edit own companies',
    description: 'Managers can edit their companies.',
  },
  company_manager_can_delete: {
    category: 'Companies',
    name: 'Delete own companies',
    description: 'Managers can delete their companies.',
  },
  manager_can_view: { category: 'Managers', name: 'View managers', description: 'View managers and their details.' },
  manager_can_add: { category: 'Managers', name: 'Add managers', description: 'Add new managers.' },
  manager_can_edit: { category: 'Managers', name: 'Edit managers', description: 'Edit, activate, and deactivate managers.' },
  manager_can_delete: { category: 'Managers', name: 'Delete managers', description: 'Delete managers.' },
  manager_can_auth: {
    category: 'Managers',
    name: 'Sign in as a manager',
    description: 'Impersonate managers and production users.',
  },
  manager_can_edit_policy: {
    category: 'Managers',
    name: 'Edit manager permissions',
    description: 'Grant and revoke permissions of managers.',
  },
  manager_can_view_dealers: {
    category: 'Managers',
    name: "View a manager's companies",
    description: 'View the companies assigned to a manager.',
  },
  production_can_view: {
    category: 'Production',
    name: 'View production users',
    description: 'View production users and their details.',
  },
  production_can_add: { category: 'Production', name: 'Add production users', description: 'Add new production users.' },
  production_can_edit: {
    category: 'Production',
    name: 'Edit production users',
    description: 'Edit, activate, and deactivate production users.',
  },
  production_can_delete: { category: 'Production', name: 'Delete production users', description: 'Delete production users.' },
  production_can_edit_policy: {
    category: 'Production',
    name: 'Edit production user permissions',
    description: 'Grant and revoke permissions of production users.',
  },
  status_can_view: {
    category: 'Statuses',
    name: 'Manage statuses',
    description: 'View, add, edit, and delete order statuses and transitions.',
  },
  order_can_view: { category: 'Orders', name: 'View all orders', description: 'View every order.' },
  order_can_add: { category: 'Orders', name: 'Add orders for any dealer', description: 'Add orders on behalf of any dealer.' },
  order_can_edit: { category: 'Orders', name: 'Edit orders in any status', description: 'Edit an order regardless of its status.' },
  order_can_delete: { category: 'Orders', name: 'Delete orders in any status', description: 'Delete an order regardless of its status.' },
  stock_can_view: { category: 'Reference lists', name: 'View warehouses', description: 'View warehouses and their details.' },
  stock_can_edit: { category: 'Reference lists', name: 'Edit warehouses', description: 'Add, edit, and delete warehouses.' },
  manufacture_can_view: {
    category: 'Reference lists',
    name: 'View production sites',
    description: 'View production sites and their details.',
  },
  manufacture_can_edit: {
    category: 'Reference lists',
    name: 'Edit production sites',
    description: 'Add, edit, and delete production sites.',
  },
  category_can_view: {
    category: 'Reference lists',
    name: 'View product categories',
    description: 'View product categories and their details.',
  },
  category_can_edit: {
    category: 'Reference lists',
    name: 'Edit product categories',
    description: 'Add, edit, and delete product categories.',
  },
  activity_can_view: {
    category: 'Activity',
    name: 'View change history',
    description: 'See who changed what, and when.',
  },
} satisfies Record<string, PolicyText>

export type PolicyKey = keyof typeof policyCatalog
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

/** The permission sets every installation starts with. */
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
