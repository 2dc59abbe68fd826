import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Actor, group } from '../../core/access.ts'
import { prepareOnce, secondFactors } from '../../database/index.ts'

export const hasSecondFactor = prepareOnce((db, given) => {
  const byUser = db.select({ id: secondFactors.user_id }).from(secondFactors).where(eq(secondFactors.user_id, given.id)).prepare()
  return (id: number): boolean => byUser.get({ id }) !== undefined
})

/** Whether this person has to set up a second factor before anything of the cabinet is theirs. */
export function mustSetUpFactor({ config, db }: FastifyInstance, { id, group_id }: Pick<Actor, 'id' | 'group_id'>): boolean {
  const { secondFactor } = config
  if (secondFactor === 'optional' || (secondFactor === 'staff' && group_id === group.dealer)) return false
  return !hasSecondFactor(db)(id)
}

/** Who impersonates has one: the session loader ends every other impersonation. */
export function lacksRequiredFactor({ actor, impersonating, server }: FastifyRequest): boolean {
  return !impersonating && mustSetUpFactor(server, actor)
}
