/** What people are told of orders: messages, inbox, deliveries. */
export const notifications = {
  'Order {number}: {status}': 'Заказ {number}: {status}',
  'Order {number} of {company} has entered the status «{status}».': 'Заказ {number} компании {company} перешёл в статус «{status}».',
  'Specification number: {number}': 'Номер спецификации: {number}',
  'Status before: {status}': 'Прежний статус: {status}',
  'Changed by: {name}, {time}': 'Изменил: {name}, {time}',
}
