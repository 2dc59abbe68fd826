interface PolicyText {
  category: string
  name: string
  description: string
}

/** Every policy of the cabinet: key, category, name and description, in English; other languages translate these. */
export const policyCatalog = {
  news_can_view: { category: 'News', name: 'View news', description: 'Open the list of news and read them.' },
  news_can_add: { category: 'News', name: 'Add news', description: 'Write news.' },
  news_can_edit: { category: 'News', name: 'Edit news', description: 'Change news and publish or withdraw it.' },
  news_can_delete: { category: 'News', name: 'Delete news', description: 'Delete news.' },
  admin_can_view: {
    category: 'Administrators',
    name: 'View administrators',
    description: 'Open the list of administrators and their cards.',
  },
  admin_can_add: { category: 'Administrators', name: 'Add administrators', description: 'Register new administrators.' },
  admin_can_edit: {
    category: 'Administrators',
    name: 'Edit administrators',
    description: 'Switch administrators on and off and change their data.',
  },
  admin_can_delete: { category: 'Administrators', name: 'Delete administrators', description: 'Delete administrators.' },
  admin_can_auth: {
    category: 'Administrators',
    name: 'Sign in as an administrator',
    description: 'Act in the cabinet as another administrator.',
  },
  admin_can_edit_policy: {
    category: 'Administrators',
    name: 'Edit the rights of administrators',
    description: 'Grant and withdraw policies of administrators.',
  },
  dealer_can_view: { category: 'Dealers', name: 'View all dealers', description: 'Open the list of all dealers and their cards.' },
  dealer_can_add: { category: 'Dealers', name: 'Add dealers', description: 'Register new dealers for any company.' },
  dealer_can_edit: {
    category: 'Dealers',
    name: 'Edit all dealers',
    description: 'Change the data of any dealer and switch them on and off.',
  },
  dealer_can_delete: { category: 'Dealers', name: 'Delete all dealers', description: 'Delete any dealer.' },
  dealer_can_auth: { category: 'Dealers', name: 'Sign in as a dealer', description: 'Act in the cabinet as a dealer.' },
  dealer_manager_can_view: { category: 'Dealers', name: 'View own dealers', description: 'A manager sees the dealers of their companies.' },
  dealer_manager_can_edit: {
    category: 'Dealers',
    name: 'Edit own dealers',
    description: 'A manager changes the data of their dealers and switches them on and off.',
  },
  dealer_manager_can_delete: { category: 'Dealers', name: 'Delete own dealers', description: 'A manager deletes their dealers.' },
  company_can_view: { category: 'Companies', name: 'View all companies', description: 'Open the list of all companies and their cards.' },
  company_can_add: { category: 'Companies', name: 'Add companies', description: 'Register new companies.' },
  company_can_edit: { category: 'Companies', name: 'Edit all companies', description: 'Change the data of any company.' },
  company_can_delete: { category: 'Companies', name: 'Delete all companies', description: 'Delete any company.' },
  company_can_edit_discount: {
    category: 'Companies',
    name: 'Edit the base discount',
    description: 'Change the base discount of a company.',
  },
  company_manager_can_view: {
    category: 'Companies',
    name: 'View own companies',
    description: 'A manager sees the companies they supervise.',
  },
  company_manager_can_edit: {
    category: 'Companies',
    name: 'Edit own companies',
    description: 'A manager changes the data of the companies they supervise.',
  },
  company_manager_can_delete: {
    category: 'Companies',
    name: 'Delete own companies',
    description: 'A manager deletes companies they supervise.',
  },
  manager_can_view: { category: 'Managers', name: 'View managers', description: 'Open the list of managers and their cards.' },
  manager_can_add: { category: 'Managers', name: 'Add managers', description: 'Register new managers.' },
  manager_can_edit: { category: 'Managers', name: 'Edit managers', description: 'Change the data of managers and switch them on and off.' },
  manager_can_delete: { category: 'Managers', name: 'Delete managers', description: 'Delete managers.' },
  manager_can_auth: {
    category: 'Managers',
    name: 'Sign in as a manager',
    description: 'Act in the cabinet as a manager or as a production user.',
  },
  manager_can_edit_policy: {
    category: 'Managers',
    name: 'Edit the rights of managers',
    description: 'Grant and withdraw policies of managers.',
  },
  manager_can_view_dealers: {
    category: 'Managers',
    name: "View a manager's companies",
    description: 'See on the card of a manager the companies assigned to them.',
  },
  production_can_view: {
    category: 'Production',
    name: 'View production users',
    description: 'Open the list of production users and their cards.',
  },
  production_can_add: { category: 'Production', name: 'Add production users', description: 'Register new production users.' },
  production_can_edit: {
    category: 'Production',
    name: 'Edit production users',
    description: 'Change the data of production users and switch them on and off.',
  },
  production_can_delete: { category: 'Production', name: 'Delete production users', description: 'Delete production users.' },
  production_can_edit_policy: {
    category: 'Production',
    name: 'Edit the rights of production users',
    description: 'Grant and withdraw policies of production users.',
  },
  status_can_view: {
    category: 'Statuses',
    name: 'Manage statuses',
    description: 'See, create, change and delete order statuses and their transitions.',
  },
  order_can_view: { category: 'Orders', name: 'View all orders', description: 'See every order.' },
  order_can_add: { category: 'Orders', name: 'Add orders for any dealer', description: 'Create orders on behalf of any dealer.' },
  order_can_edit: { category: 'Orders', name: 'Edit orders in any status', description: 'Change an order whatever its status allows.' },
  order_can_delete: { category: 'Orders', name: 'Delete orders in any status', description: 'Delete an order whatever its status allows.' },
  stock_can_view: { category: 'Reference lists', name: 'View stocks', description: 'Open the list of stocks.' },
  stock_can_edit: { category: 'Reference lists', name: 'Edit stocks', description: 'Add, change and delete stocks.' },
  manufacture_can_view: { category: 'Reference lists', name: 'View production sites', description: 'Open the list of production sites.' },
  manufacture_can_edit: {
    category: 'Reference lists',
    name: 'Edit production sites',
    description: 'Add, change and delete production sites.',
  },
  category_can_view: { category: 'Reference lists', name: 'View product categories', description: 'Open the list of product categories.' },
  category_can_edit: {
    category: 'Reference lists',
    name: 'Edit product categories',
    description: 'Add, change and delete product categories.',
  },
  activity_can_view: {
    category: 'Activity',
    name: 'View the change history',
    description: 'Search who changed what and when in the whole cabinet.',
  },
} satisfies Record<string, PolicyText>

export type PolicyKey = keyof typeof policyCatalog
export const policyKeys = Object.keys(policyCatalog) as PolicyKey[]

const news: PolicyKey[] = ['news_can_view', 'news_can_add', 'news_can_edit', 'news_can_delete']
const orders: PolicyKey[] = ['order_can_view', 'order_can_add', 'order_can_edit', 'order_can_delete']

/** Role defaults: the policies a new user of each group receives as ordinary records (Authentication, point 4). */
export const roleDefaults: Record<1 | 2 | 3 | 4, readonly PolicyKey[]> = {
  1: [...news, ...orders],
  2: ['news_can_view'],
  3: ['news_can_view'],
  4: ['news_can_view'],
}
