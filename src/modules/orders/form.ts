import { type Actor, isDealer } from '../../core/access.ts'
import type { OrderField, OrderFile } from '../../core/order-editable-fields.ts'
import { ofPrices } from '../../core/prices.ts'
import { lineLimits } from '../../core/pricing.ts'
import { requirableFields as names } from '../../core/transition-rules.ts'
import { orders } from '../../database/index.ts'
import {
  choice,
  date,
  email,
  externalId,
  type Field,
  money,
  number,
  option,
  paragraph,
  phone,
  readOnlyText,
  repeater,
  shownMoney,
  text,
  toggle,
  upload,
  uploads,
} from '../../records/fields/index.ts'
import { form, unseenFields } from '../../records/form/form.ts'
import { longestSide } from '../products/form.ts'

const paymentTypes = { cash: 'Cash', card: 'Bank card', transfer: 'Bank transfer' }
export const deliveryMethods = { pickup: 'Pickup', address: 'Delivery to address', carrier: 'Freight carrier' }

const side = { least: 1, most: longestSide }

const agreedDiscount = number('Agreed discount, %', { least: 0, most: 100, ...ofPrices })

const line = {
  category_id: choice('Category', { required: true, missing: 'Choose a category.' }),
  name: text('Product', { required: true, missing: 'Enter a name.' }),
  product_id: choice('Catalog product', { source: '/orders/products', searchHint: 'Article or name' }),
  width: number('Width, mm', side),
  height: number('Height, mm', side),
  quantity: number('Quantity', { required: true, missing: 'Enter a quantity.', least: 1, most: lineLimits.quantity }),
  price: money('Price', { required: true, missing: 'Enter a price.', most: lineLimits.price, ...ofPrices }),
  discount: readOnlyText('Discount', ofPrices),
  sum: readOnlyText('Amount', ofPrices),
  agreed: agreedDiscount,
  agreed_reason: readOnlyText('Reason of the agreed discount', ofPrices),
  remark: paragraph('Remark', { max: 500 }),
  files: uploads('Drawings and photos', { max: 5 }),
}

type EditableFields = Partial<Record<OrderField, Field>>

// The dealer of an existing order may have been deleted.
const dealer = {
  title: 'Dealer',
  fields: {
    dealer_id: choice('Dealer', {
      required: 'create',
      missing: 'Choose a dealer.',
      size: 60,
      source: '/orders/dealers',
      searchHint: 'Name or company',
    }),
  } satisfies EditableFields,
}

const lines = {
  title: 'Order lines',
  fields: {
    items: repeater('Order lines', line, { key: 'id', rowLabel: 'Line', ignoresBlank: true }),
    seen_total: shownMoney('Total', ofPrices),
    without_lines: toggle('Place the order without lines', { only: 'create', unplaced: true }),
  },
}

const agreement = {
  title: 'Discount on all products',
  folds: true as const,
  fields: {
    agreed: number('Agreed discount on all products, %', {
      least: 0,
      most: 100,
      hint: 'Replaces the discounts of the company, except on lines with an agreed discount of their own.',
      ...ofPrices,
    }),
    agreed_reason: text('Reason of the agreed discount', ofPrices),
    agreed_raises: toggle('Higher than before', {
      hint: 'An agreed discount may be lower than that of the company, so that the price rises.',
      ...ofPrices,
    }),
  },
}

/** What pages and sheets show of an order beside its lines and documents. */
export const orderGroups = {
  customer: {
    title: 'Customer',
    fields: {
      receiver: text(names.receiver, { missing: 'Enter the full name of the customer.' }),
      phone: phone(names.phone),
      email: email(names.email),
      comment: paragraph('Comment', { max: 2000 }),
    } satisfies EditableFields,
  },
  delivery: {
    title: 'Delivery and payment',
    fields: {
      delivery: option(names.delivery, deliveryMethods, { missing: 'Choose a delivery method.' }),
      address: text(names.address, {
        missing: 'Enter the address.',
        max: 500,
        size: 60,
        askedWith: { field: 'delivery', values: ['address', 'carrier'] },
      }),
      payment: option(names.payment, paymentTypes, { missing: 'Choose a payment type.', ...ofPrices }),
      deferred_payment: toggle('Deferred payment', ofPrices),
    } satisfies EditableFields,
  },
  production: {
    title: 'Production and dates',
    folds: 'create' as const,
    fields: {
      sn: text(names.sn, { missing: 'Enter the serial number.' }),
      date_payment: date(names.date_payment, { missing: 'Enter the payment date.', ...ofPrices }),
      date_make: date(names.date_make, { missing: 'Enter the production date.' }),
      date_delivery: date(names.date_delivery, { missing: 'Enter the delivery date.' }),
      external_id: externalId,
    } satisfies EditableFields,
  },
}

const documents = {
  title: 'Documents',
  folds: true as const,
  fields: {
    specification: upload(names.specification),
    invoice: upload(names.invoice, ofPrices),
    payment_order: upload(names.payment_order, ofPrices),
  } satisfies Record<OrderFile, Field>,
}

const notification = {
  title: 'Notification',
  fields: {
    reason: text('Reason', {
      only: 'edit',
      max: 1000,
      size: 80,
      hint: 'Told to the dealer when dates, lines, or the dealer change, and saved in the order history.',
    }),
    untold: toggle('Tell the dealer', { only: 'edit', inverted: true }),
  },
}

const { customer, delivery, production } = orderGroups
const { date_make, date_delivery, date_payment } = production.fields

const extras = ['items', 'seen_total', 'agreed', 'agreed_reason', 'agreed_raises', 'without_lines', 'reason', 'untold'] as const

export const orderForm = form(orders, [dealer, lines, agreement, customer, delivery, production, documents, notification], { extras })

/** What is edited at once on the page of an order, with the reason where its dealer is told. */
export const sectionForms = {
  lines: form(orders, [lines, agreement, notification], { extras }),
  production: form(orders, [production, notification], { extras }),
  customer: form(orders, [customer]),
  delivery: form(orders, [delivery]),
  documents: form(orders, [{ ...documents, folds: undefined }]),
  dealer: form(orders, [dealer, notification], { extras }),
  dates: form(orders, [{ title: 'Dates', fields: { date_make, date_delivery, date_payment } }, notification], { extras }),
}

/** What the form of an order does not ask somebody: what they may not see, and of dealers what the dealer is told. */
export const hiddenOf = (actor: Actor): string[] => [...unseenOf(actor), ...(isDealer(actor) ? ['reason', 'untold'] : [])]

/** What of an order somebody may not see. */
export const unseenOf = (actor: Actor): string[] => unseenFields(Object.entries(orderForm.fields), actor)
