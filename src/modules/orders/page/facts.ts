import { eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { companies, manufactures, orders, prepareOnce, stocks, users } from '../../../database/index.ts'

const managers = alias(users, 'managers')

export const findFacts = prepareOnce((db, given) =>
  db
    .select({
      stock: stocks.name,
      manufacture: manufactures.name,
      manager: {
        lastname: managers.lastname,
        name: managers.name,
        middlename: managers.middlename,
        phone: managers.phone,
        email: managers.email,
      },
    })
    .from(orders)
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .leftJoin(stocks, eq(stocks.id, companies.stock_id))
    .leftJoin(manufactures, eq(manufactures.id, companies.manufacture_id))
    .leftJoin(users, eq(users.id, orders.dealer_id))
    .leftJoin(managers, sql`${managers.id} = coalesce(${orders.owner_manager_id}, ${users.manager_id})`)
    .where(eq(orders.id, given.order))
    .prepare(),
)
