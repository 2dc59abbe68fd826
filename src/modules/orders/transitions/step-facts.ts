import { sql } from 'drizzle-orm'
import { type Actor, checkAccess, isDealer } from '../../../core/access.ts'
import { editableFields } from '../../../core/order-editable-fields.ts'
import type { StepFacts } from '../../../core/plan-transition.ts'
import { seesPrices } from '../../../core/prices.ts'
import { type Database, orders, prepareOnce } from '../../../database/index.ts'
import { countedSerial } from '../../../database/kept/order-serials.ts'
import type { Context } from '../../../http/request/context.ts'
import { today } from '../../../i18n/format.ts'
import type { Language } from '../../../i18n/translate.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { isIssuedFile } from '../documents/issue.ts'
import { missingFor } from '../documents/missing.ts'
import { unseenOf } from '../form.ts'
import type { Order } from '../order.ts'
import { findOutdatedPrices } from '../pricing/outdated-prices.ts'

/** What decides about the steps that somebody may take with an order, as it is now; names are those that are stored, or in a language. */
export function stepFacts({ server, actor, t }: Context, order: Order, language?: Language): StepFacts {
  const sees = seesPrices(actor)
  return {
    ...factsOfOrder(server.db, order, language),
    performer: actor,
    unseen: unseenOf(actor),
    seesPrices: sees,
    mayKeepPrices: mayKeepPrices(actor, order),
    mayExceed: sees && checkAccess(actor, 'order_can_exceed_limit'),
    issuing: {
      missingFor: (kind) => missingFor({ server, actor, t }, order, kind),
      isIssued: (file) => isIssuedFile(server.db, order, file),
    },
  }
}

/** What decides about its steps, whoever takes them; those that nobody takes issue nothing. */
export function factsOfOrder(db: Database, order: Order, language?: Language) {
  return {
    workflow: loadWorkflow(db, language),
    renewedCost: findOutdatedPrices(db, order)?.cost,
    today: today(),
    nextSerial: () => String((highestSerial(db).get()?.highest ?? 0) + 1),
  }
}

const highestSerial = prepareOnce((db) => {
  const rows = db.select({ highest: sql<number | null>`max(cast(sn as integer))` }).from(orders)
  return rows.where(sql.raw(countedSerial)).prepare()
})

/** Whether somebody may leave prices as written: staff who may edit the lines of this order. */
function mayKeepPrices(actor: Actor, { statusPermissions }: Order): boolean {
  return !isDealer(actor) && seesPrices(actor) && editableFields(actor, statusPermissions).has('items')
}
