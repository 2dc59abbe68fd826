import { and, eq } from 'drizzle-orm'
import { group } from '../../../core/access.ts'
import { fullName } from '../../../core/text.ts'
import type { Database } from '../../../database/open.ts'
import { users } from '../../../database/schema/index.ts'
import type { Choice } from '../../../web/form/fields.ts'

export function successorsOf(db: Database, leaving: number[] = []): Choice[] {
  return db
    .select({ id: users.id, lastname: users.lastname, name: users.name, middlename: users.middlename })
    .from(users)
    .where(and(eq(users.group_id, group.manager), eq(users.active, true)))
    .orderBy(users.search, users.id)
    .all()
    .filter(({ id }) => !leaving.includes(id))
    .map((manager) => ({ id: manager.id, name: fullName(manager) }))
}
