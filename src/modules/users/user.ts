import type { Group } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { type Database, findUser, users } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'

export type User = typeof users.$inferSelect

/** Whether the installation has been set up: there is nobody before. */
export const hasUsers = (db: Database): boolean => db.select({ id: users.id }).from(users).limit(1).get() !== undefined

export function findUserInGroup(group: Group): FindRecord<User> {
  return (db, id) => {
    const user = findUser(db, id)
    return user?.group_id === group ? user : undefined
  }
}

export function findSelf({ server, actor }: Context, id = actor.id): User {
  const self = findUser(server.db, id)
  if (!self) throw notFound()
  return self
}

export const noPassword = ''

export function userLabel(row: object): string {
  return fullName(row as { lastname: string; name: string; middlename: string | null })
}
