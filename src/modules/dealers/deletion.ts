import { countPointing } from '../../database/among.ts'
import { orders, users } from '../../database/schema/index.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import { personLabel } from '../people/accounts.ts'
import { may } from './access.ts'
import { type Dealer, findDealer } from './dealer.ts'
import type { DealerRow } from './list.ts'

export function dealerDeletion(list: List<DealerRow>): Deletion<Dealer> {
  return {
    list,
    table: users,
    rule: may.delete,
    find: findDealer,
    labelOf: personLabel,
    question: 'Delete {count} dealers?',
    done: '{count} dealers deleted.',
    consequences: (db, ids) => [['{count} orders will be left without a dealer.', countPointing(db, orders.dealer_id, ids)]],
  }
}
