import { prepareOnce } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'

/** What the balance of its company was after each of these entries, by the days of its entries. */
export function balancesAfter(ids: number[], { server }: Context): Map<number, number> {
  const found = balances(server.db).all({ ids: JSON.stringify(ids) })
  return new Map(found.map(({ id, balance }) => [id, balance]))
}

/** Earlier months by their tallies. */
const balances = prepareOnce((db) =>
  db.$client.prepare<{ ids: string }, { id: number; balance: number }>(
    `select id, (
        select ifnull(sum(charges + payments + corrections), 0) from ledger_tallies
        where company_id = entry.company_id and month < substr(entry.date, 1, 7)
      ) + (
        select sum(amount) from ledger_entries as earlier where company_id = entry.company_id
          and date >= substr(entry.date, 1, 7) and (date, id) <= (entry.date, entry.id)
      ) as balance
      from ledger_entries as entry where id in (select value from json_each(@ids))`,
  ),
)
