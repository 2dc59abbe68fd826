import { companyResource } from './companies.ts'
import { dealerResource } from './dealers.ts'
import { newsResource } from './news.ts'
import { orderResource } from './orders.ts'
import { paymentResource } from './payments.ts'
import { productResource } from './products.ts'
import { referenceResources } from './references.ts'
import type { AnyResource } from './resource.ts'
import { statusResource } from './statuses.ts'

export const resources: readonly AnyResource[] = [
  orderResource,
  paymentResource,
  companyResource,
  dealerResource,
  productResource,
  statusResource,
  ...referenceResources,
  newsResource,
]
