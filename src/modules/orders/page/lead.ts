import { isDealer } from '../../../core/access.ts'
import { isFinal, statusById } from '../../../core/transition-rules.ts'
import { deputizedNames } from '../../../http/access/deputies.ts'
import type { Context } from '../../../http/request/context.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import type { Order } from '../order.ts'
import type { viewOfCompany } from './people.ts'

/** What stands below the number of an order, wherever it is the heading. */
export function viewOfLead(context: Context, order: Order, company: ReturnType<typeof viewOfCompany>) {
  const { server, actor } = context
  const workflow = loadWorkflow(server.db)
  const status = statusById(workflow, order.status_id)
  const ended = status !== undefined && isFinal(workflow, status.id)
  return {
    summary: {
      company: isDealer(actor) ? undefined : company,
      ready: ended ? undefined : readyDay(order),
    },
    forName: deputizedNames(server.db, actor).get(order.owner_manager_id),
  }
}

/** The day that everybody who looks at an open order asks for. */
function readyDay({ date_make, date_delivery }: Order) {
  if (date_make) return { label: 'Ready by', date: date_make }
  return date_delivery ? { label: 'Delivery on', date: date_delivery } : undefined
}
