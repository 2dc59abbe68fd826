import { allows, authorizer } from '../../../core/access.ts'
import { documentKinds } from '../../../core/documents.ts'
import { documentKindLabels, documentStateLabels } from '../../../core/labels.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Order } from '../order.ts'
import { documentAccess, mayIssue } from './access.ts'
import { documentsOf, type Issued } from './document.ts'

/** The documents of an order that this person may see, those that hold first, and those that they may issue. */
export function viewOfIssued({ server: { db }, actor, t }: Context, order: Order) {
  const sees = authorizer(documentAccess.view, actor)
  const rows = documentsOf(db, order.id).filter(sees)
  const may = allows(mayIssue, actor, order)
  return {
    rows: rows.map(viewOfOne(t)).sort((one, other) => Number(other.state === 'issued') - Number(one.state === 'issued')),
    kinds: may ? documentKinds.map((kind) => ({ kind, label: t(documentKindLabels[kind]) })) : [],
  }
}

const viewOfOne =
  (t: Context['t']) =>
  ({ id, kind, number, date, amount, state, actor_name, file }: Issued) => ({
    ...{ id, kind, number, date, amount, state, actor_name, file },
    label: t(documentKindLabels[kind]),
    stateLabel: t(documentStateLabels[state]),
  })
