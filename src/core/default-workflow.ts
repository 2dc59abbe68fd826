/** The order statuses and transitions every installation starts with (specification, states; decisions, section 3). */

type Names = { en: string; ru: string }
type Party = 'manager' | 'admin' | 'dealer' | 'make'
type Performer = 'dealer' | 'manager' | 'production'

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

export const defaultStatuses = [
  status(1, 'new', '#4299e1', { en: 'New', ru: 'Новый' }, ['manager'], [...managerPolicies, ...dealerPolicies]),
  status(
    2,
    'apply',
    '#ae3ec9',
    { en: 'Awaiting signing', ru: 'Ожидает подписания' },
    ['dealer'],
    [...managerPolicies, 'order_dealer_can_attach'],
  ),
  status(
    3,
    'payment',
    '#f59f00',
    { en: 'Awaiting payment', ru: 'Ожидает оплаты' },
    ['dealer', 'manager'],
    ['order_manager_can_edit', 'order_dealer_can_attach', 'order_manager_can_attach'],
  ),
  status(
    4,
    'paid',
    '#f76707',
    { en: 'Under review', ru: 'На проверке' },
    ['manager', 'admin'],
    ['order_manager_can_edit', 'order_manager_can_attach', 'order_production_can_schedule'],
  ),
  status(5, 'production', '#4263eb', { en: 'In production', ru: 'В производстве' }, ['manager', 'make'], productionPolicies),
  status(6, 'delivery', '#17a2b8', { en: 'Delivery', ru: 'Доставка' }, ['dealer'], productionPolicies),
  status(10, 'pickup', '#0ca678', { en: 'Awaiting pickup', ru: 'Ожидает самовывоза' }, ['dealer'], productionPolicies),
  status(7, 'install', '#74b816', { en: 'Installation', ru: 'Монтаж' }, ['dealer', 'manager'], productionPolicies),
  status(8, 'completed', '#2fb344', { en: 'Completed', ru: 'Завершён' }, ['dealer', 'manager'], []),
  status(9, 'canceled', '#d63939', { en: 'Canceled', ru: 'Отменён' }, ['dealer', 'manager', 'make'], []),
]

function status(id: number, status_key: string, color: string, name: Names, notify: Party[], policies: StatusPolicyKey[]) {
  return { id, status_key, color, name, notify, policies }
}

const namesAsSeeded = new Map(defaultStatuses.flatMap(({ name }) => Object.values(name).map((one) => [one, name])))

/** The name of a status as this reader sees it: seeded names are in the language of each reader until somebody renames the status. */
export function statusNameFor(language: keyof Names, name: string): string {
  return namesAsSeeded.get(name)?.[language] ?? name
}

export function recordLabelFor(language: keyof Names, table: string, label: string): string {
  return table === 'statuses' ? statusNameFor(language, label) : label
}

const startInstallation = { en: 'Start installation', ru: 'Начать монтаж' }
const cancel = { en: 'Cancel order', ru: 'Отменить заказ' }

export const defaultTransitions = [
  transition('new', 'apply', { en: 'Send for signing', ru: 'Отправить на подписание' }, ['dealer', 'manager']),
  transition('apply', 'payment', { en: 'Request payment', ru: 'Выставить счёт' }, ['manager'], ['specification', 'invoice']),
  transition('payment', 'paid', { en: 'Report payment', ru: 'Сообщить об оплате' }, ['dealer', 'manager'], ['payment_order', 'payment']),
  transition('paid', 'production', { en: 'Start production', ru: 'Запустить в производство' }, ['manager'], ['date_make']),
  transition(
    'production',
    'delivery',
    { en: 'Hand over for delivery', ru: 'Передать в доставку' },
    ['production'],
    ['date_delivery', 'address', 'receiver', 'phone'],
  ),
  transition('production', 'pickup', { en: 'Ready for pickup', ru: 'Готов к выдаче' }, ['production'], ['receiver', 'phone']),
  transition('delivery', 'install', startInstallation, ['manager', 'production']),
  transition('pickup', 'install', startInstallation, ['manager', 'production']),
  transition('install', 'completed', { en: 'Complete order', ru: 'Завершить заказ' }, ['manager', 'production']),
  transition('new', 'canceled', cancel, ['dealer', 'manager']),
  ...['apply', 'payment', 'paid', 'production', 'delivery', 'pickup', 'install'].map((from) =>
    transition(from, 'canceled', cancel, ['manager']),
  ),
]

function transition(from: string, to: string, action: Names, performers: Performer[], required_fields: string[] = []) {
  return {
    from,
    to,
    action,
    dealer_can: performers.includes('dealer'),
    manager_can: performers.includes('manager'),
    production_can: performers.includes('production'),
    required_fields,
  }
}

const actionsAsSeeded = new Map(defaultTransitions.flatMap(({ action }) => Object.values(action).map((one) => [one, action])))

export function actionNameFor(language: keyof Names, name: string): string {
  return actionsAsSeeded.get(name)?.[language] ?? name
}
