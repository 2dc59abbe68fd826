import { group } from '../../../core/access.ts'
import { type Database, prepareOnce } from '../../../database/index.ts'
import type { Order } from '../order.ts'

export interface Reader {
  id: number
  group_id: number
  lastname: string
  name: string
  middlename: string | null
}

export interface Audience {
  internal: boolean
  candidates?: readonly number[]
}

export function readersOf(db: Database, order: Order, { internal, candidates }: Audience): Reader[] {
  return readers(db).all({
    company: order.owner_company_id,
    manager: order.owner_manager_id,
    site: order.company_manufacture_id,
    stock: order.company_stock_id,
    internal: Number(internal),
    candidates: candidates ? JSON.stringify(candidates) : null,
  }) as Reader[]
}

// The same rule as `may.view`, in SQL; a test compares the two.
const readers = prepareOnce((db) =>
  db.$client.prepare(
    `select id, group_id, lastname, name, middlename from users where id in (
        select id from users where company_id = @company and group_id = ${group.dealer}
        union select id from users where id = @manager and group_id = ${group.manager}
        union select id from users where manufacture_id = @site and group_id = ${group.production}
        union select id from users where stock_id = @stock and group_id = ${group.production}
        union select id from users where group_id = ${group.administrator} and superadmin
        union select user_id from user_policies join policies on policies.id = policy_id where key = 'order_can_view' and value)
      and active and (group_id <> ${group.dealer} or not @internal)
      and (@candidates is null or id in (select value from json_each(@candidates)))
      order by group_id, lastname, name, id limit 1000`,
  ),
)
