/** The order statuses and transitions every installation starts with (specification, states; decisions, section 3). */

type Names = { en: string; ru: string }
type Party = 'manager' | 'admin' | 'dealer' | 'make'

interface DefaultStatus {
  id: number
  status_key: string
  name: Names
  color: string
  notify: Party[]
  policies: StatusPolicyKey[]
}

export const statusPolicyNames = {
  order_dealer_can_edit: { en: 'Dealer can edit the order', ru: 'Дилер изменяет заказ' },
  order_manager_can_edit: { en: 'Manager can edit the order', ru: 'Менеджер изменяет заказ' },
  order_production_can_edit: { en: 'Production can edit the order', ru: 'Производство изменяет заказ' },
  order_dealer_can_edit_items: { en: 'Dealer can edit order lines', ru: 'Дилер изменяет строки заказа' },
  order_manager_can_edit_items: { en: 'Manager can edit order lines', ru: 'Менеджер изменяет строки заказа' },
  order_dealer_can_attach: { en: 'Dealer can attach the payment confirmation', ru: 'Дилер прикладывает подтверждение оплаты' },
  order_manager_can_attach: { en: 'Manager can attach the specification and invoice', ru: 'Менеджер прикладывает спецификацию и счёт' },
  order_production_can_schedule: { en: 'Production can set dates', ru: 'Производство назначает даты' },
  order_dealer_can_delete: { en: 'Dealer can delete the order', ru: 'Дилер удаляет заказ' },
} satisfies Record<string, Names>

export type StatusPolicyKey = keyof typeof statusPolicyNames

const managerPolicies: StatusPolicyKey[] = ['order_manager_can_edit', 'order_manager_can_edit_items', 'order_manager_can_attach']
const productionPolicies: StatusPolicyKey[] = ['order_manager_can_edit', 'order_production_can_edit', 'order_production_can_schedule']
const dealerPolicies: StatusPolicyKey[] = [
  'order_dealer_can_edit',
  'order_dealer_can_edit_items',
  'order_dealer_can_attach',
  'order_dealer_can_delete',
]

export const defaultStatuses: DefaultStatus[] = [
  {
    id: 1,
    status_key: 'new',
    name: { en: 'New', ru: 'Новый' },
    color: '#4299e1',
    notify: ['manager'],
    policies: [...managerPolicies, ...dealerPolicies],
  },
  {
    id: 2,
    status_key: 'apply',
    name: { en: 'Awaiting signing', ru: 'Ожидает подписания' },
    color: '#ae3ec9',
    notify: ['dealer'],
    policies: [...managerPolicies, 'order_dealer_can_attach'],
  },
  {
    id: 3,
    status_key: 'payment',
    name: { en: 'Awaiting payment', ru: 'Ожидает оплаты' },
    color: '#f59f00',
    notify: ['dealer', 'manager'],
    policies: ['order_manager_can_edit', 'order_dealer_can_attach', 'order_manager_can_attach'],
  },
  {
    id: 4,
    status_key: 'paid',
    name: { en: 'Under review', ru: 'На проверке' },
    color: '#f76707',
    notify: ['manager', 'admin'],
    policies: ['order_manager_can_edit', 'order_manager_can_attach', 'order_production_can_schedule'],
  },
  {
    id: 5,
    status_key: 'production',
    name: { en: 'In production', ru: 'В производстве' },
    color: '#4263eb',
    notify: ['manager', 'make'],
    policies: productionPolicies,
  },
  {
    id: 6,
    status_key: 'delivery',
    name: { en: 'Delivery', ru: 'Доставка' },
    color: '#17a2b8',
    notify: ['dealer'],
    policies: productionPolicies,
  },
  {
    id: 10,
    status_key: 'pickup',
    name: { en: 'Awaiting pickup', ru: 'Ожидает самовывоза' },
    color: '#0ca678',
    notify: ['dealer'],
    policies: productionPolicies,
  },
  {
    id: 7,
    status_key: 'install',
    name: { en: 'Installation', ru: 'Монтаж' },
    color: '#74b816',
    notify: ['dealer', 'manager'],
    policies: productionPolicies,
  },
  {
    id: 8,
    status_key: 'completed',
    name: { en: 'Completed', ru: 'Завершён' },
    color: '#2fb344',
    notify: ['dealer', 'manager'],
    policies: [],
  },
  {
    id: 9,
    status_key: 'canceled',
    name: { en: 'Canceled', ru: 'Отменён' },
    color: '#d63939',
    notify: ['dealer', 'manager', 'make'],
    policies: [],
  },
]

const namesAsSeeded = new Map(defaultStatuses.flatMap(({ name }) => Object.values(name).map((one) => [one, name])))

/** The name of a status as this reader sees it: seeded names are in the language of each reader until somebody renames the status. */
export function statusNameFor(language: keyof Names, name: string): string {
  return namesAsSeeded.get(name)?.[language] ?? name
}

/** The label of a record as this reader sees it: that of a status may be a seeded name. */
export function recordLabelFor(language: keyof Names, table: string, label: string): string {
  return table === 'statuses' ? statusNameFor(language, label) : label
}

interface DefaultTransition {
  from: string
  to: string
  action: Names
  dealer_can: boolean
  manager_can: boolean
  production_can: boolean
  required_fields: string[]
}

const mainTransitions: Omit<DefaultTransition, 'manager_can'>[] = [
  {
    from: 'new',
    to: 'apply',
    action: { en: 'Send for signing', ru: 'Отправить на подписание' },
    dealer_can: true,
    production_can: false,
    required_fields: [],
  },
  {
    from: 'apply',
    to: 'payment',
    action: { en: 'Request payment', ru: 'Выставить счёт' },
    dealer_can: false,
    production_can: false,
    required_fields: ['specification', 'invoice'],
  },
  {
    from: 'payment',
    to: 'paid',
    action: { en: 'Report payment', ru: 'Сообщить об оплате' },
    dealer_can: true,
    production_can: false,
    required_fields: ['payment_order', 'payment'],
  },
  {
    from: 'paid',
    to: 'production',
    action: { en: 'Start production', ru: 'Запустить в производство' },
    dealer_can: false,
    production_can: false,
    required_fields: ['date_make'],
  },
  {
    from: 'production',
    to: 'delivery',
    action: { en: 'Hand over for delivery', ru: 'Передать в доставку' },
    dealer_can: false,
    production_can: true,
    required_fields: ['date_delivery', 'address', 'receiver', 'phone'],
  },
  {
    from: 'production',
    to: 'pickup',
    action: { en: 'Ready for pickup', ru: 'Готов к выдаче' },
    dealer_can: false,
    production_can: true,
    required_fields: ['receiver', 'phone'],
  },
  {
    from: 'delivery',
    to: 'install',
    action: { en: 'Start installation', ru: 'Начать монтаж' },
    dealer_can: false,
    production_can: true,
    required_fields: [],
  },
  {
    from: 'pickup',
    to: 'install',
    action: { en: 'Start installation', ru: 'Начать монтаж' },
    dealer_can: false,
    production_can: true,
    required_fields: [],
  },
  {
    from: 'install',
    to: 'completed',
    action: { en: 'Complete order', ru: 'Завершить заказ' },
    dealer_can: false,
    production_can: true,
    required_fields: [],
  },
]

const cancelable = ['new', 'apply', 'payment', 'paid', 'production', 'delivery', 'pickup', 'install']

const isProductionOnly = (to: string, from: string) => from === 'production' && to !== 'canceled'

export const defaultTransitions: DefaultTransition[] = [
  ...mainTransitions,
  ...cancelable.map((from) => ({
    from,
    to: 'canceled',
    action: { en: 'Cancel order', ru: 'Отменить заказ' },
    dealer_can: from === 'new',
    production_can: false,
    required_fields: [],
  })),
].map((transition) => ({ ...transition, manager_can: !isProductionOnly(transition.to, transition.from) }))

const actionsAsSeeded = new Map(defaultTransitions.flatMap(({ action }) => Object.values(action).map((one) => [one, action])))

/** The same for what performing a transition is called. */
export function actionNameFor(language: keyof Names, name: string): string {
  return actionsAsSeeded.get(name)?.[language] ?? name
}
