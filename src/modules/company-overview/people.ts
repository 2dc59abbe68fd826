import { desc } from 'drizzle-orm'
import { allows, authorizer } from '../../core/access.ts'
import { users } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import { conditionOf } from '../../records/list/query.ts'
import type { Company } from '../companies/company.ts'
import { dealerAccess, findDealer } from '../users/dealers/access.ts'

const shown = 6

/** The dealers of a company whom somebody sees in the list, those with access first. */
export function viewOfPeople({ server: { db, records }, actor }: Context, { id }: Company) {
  const list = records.get('dealers')?.list
  if (!list || !allows(dealerAccess.list, actor)) return undefined
  const where = conditionOf(list, actor, { filters: { company: String(id) } })
  const { lastname, name, middlename, image, phone, active } = users
  const named = db.select({ id: users.id, lastname, name, middlename, image, phone, active }).from(users).where(where)
  const rows = named.orderBy(desc(active), users.search, users.id).limit(shown).all()
  const mayView = authorizer(dealerAccess.view, actor)
  return {
    count: countUpToLimit(db, users, where),
    address: `/dealers?company=${id}`,
    add: allows(dealerAccess.add, actor) ? `/dealers/add?company=${id}` : undefined,
    rows: rows.map((person) => {
      const dealer = findDealer(db, person.id)
      return { ...person, href: dealer && mayView(dealer) ? `/dealers/edit/${person.id}` : undefined }
    }),
  }
}
