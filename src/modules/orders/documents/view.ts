import { allows, authorizer } from '../../../core/access.ts'
import { documentKinds } from '../../../core/documents.ts'
import { documentKindLabels, documentStateLabels } from '../../../core/labels.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Order } from '../order.ts'
import { documentAccess, mayIssue } from './access.ts'
import type { Issued } from './document.ts'

/** Of the papers of an order those that this person may see, the ones that hold first, and what they may issue. */
export function viewOfIssued({ actor, t }: Context, order: Order, papers: Issued[]) {
  const rows = papers.filter(authorizer(documentAccess.view, actor))
  const may = allows(mayIssue, actor, order)
  return {
    rows: rows.map(viewOfOne(t)).sort((one, other) => Number(other.state === 'issued') - Number(one.state === 'issued')),
    kinds: may ? documentKinds.map((kind) => ({ kind, label: t(documentKindLabels[kind]) })) : [],
  }
}

const viewOfOne =
  (t: Context['t']) =>
  ({ id, kind, number, date, amount, state, actor_name }: Issued) => ({
    ...{ id, kind, number, date, amount, state, actor_name },
    label: t(documentKindLabels[kind]),
    stateLabel: t(documentStateLabels[state]),
  })
