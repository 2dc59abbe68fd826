import { access } from './ru/access.ts'
import { history } from './ru/history.ts'
import { frame } from './ru/interface.ts'
import { news } from './ru/news.ts'
import { notifications } from './ru/notifications.ts'
import { orderForm } from './ru/order-form.ts'
import { orders } from './ru/orders.ts'
import { policies } from './ru/policies.ts'
import { reasons } from './ru/reasons.ts'
import { records } from './ru/records.ts'
import { security } from './ru/security.ts'
import { session } from './ru/session.ts'
import { statuses } from './ru/statuses.ts'
import { workflow } from './ru/workflow.ts'

/** The Russian texts by their English ones; a text with `{count}` has its four forms as `_one`, `_few`, `_many` and `_other`. */
export const russian: Record<string, string> = {
  ...frame,
  ...history,
  ...records,
  ...news,
  ...notifications,
  ...access,
  ...orders,
  ...orderForm,
  ...reasons,
  ...policies,
  ...statuses,
  ...workflow,
  ...security,
  ...session,
}
