import { dateFields } from '../../../core/order-editable-fields.ts'
import type { Acting } from '../../../web/acting.ts'
import type { Order } from '../order.ts'
import { type Property, presentProperties } from './contents.ts'

/** What is filled in, dates first, and the labels of what is not. */
export function presentDetails(acting: Acting, order: Order) {
  const { production, customer, delivery } = presentProperties(acting, order)
  const dates = { ...production, properties: [...production.properties].sort((a, b) => Number(isDate(b)) - Number(isDate(a))) }
  const groups = { dates: fold(dates), customer: fold(customer), delivery: fold(delivery) }
  const empty = [dates, customer, delivery].flatMap(({ properties }) => properties.filter(({ value }) => !value))
  return { ...groups, empty: empty.map(({ label }) => label) }
}

const isDate = ({ name }: Property) => dateFields.some((field) => field === name)

function fold(group: { title: string; properties: Property[] }) {
  return { ...group, properties: group.properties.filter(({ value }) => value) }
}
