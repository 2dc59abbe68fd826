import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { findPage } from '../../records/list/page.ts'
import { loadRows } from '../../records/list/rows.ts'
import { readState } from '../../records/list/state.ts'
import { countReported, type PaymentRow, paymentList, reportedAddress } from './list.ts'

interface Reported {
  rows: PaymentRow[]
  count: number
  more: number
  /** The list that shows all of them. */
  address: string
}

const reportedPart = template<{ widget: Reported | undefined }>('payments/reported.njk')

const shown = 5

/** What somebody may confirm, on their dashboard: the latest of the payments that wait for it. */
export const reportedWidget = fragment(reportedPart, (context: Context) => {
  const { server, actor } = context
  const count = countReported(server.db, actor)
  if (count === 0) return { widget: undefined }
  const list = paymentList(server.db)
  const state = readState(list, new URLSearchParams(reportedAddress), actor)
  const rows = loadRows(context, list, findPage(context, list, state).ids.slice(0, shown))
  return { widget: { rows, count, more: count - rows.length, address: `/payments${reportedAddress}` } }
})
