/** Orders and the workflow that moves them. */
export const orders = {
  'Serial number': 'Серийный номер',
  Specification: 'Спецификация',
  'Payment confirmation': 'Подтверждение оплаты',
  Invoice: 'Счёт',
  'Production date': 'Дата производства',
  'Delivery date': 'Дата доставки',
  'Payment date': 'Дата оплаты',
  'Payment type': 'Вид оплаты',
  'Customer full name': 'ФИО клиента',
  'Delivery method': 'Способ доставки',
  'Deferred payment': 'Отсрочка платежа',
}
