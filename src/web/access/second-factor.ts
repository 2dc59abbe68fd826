import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { prepareOnce, secondFactors } from '../../database/index.ts'

export const hasSecondFactor = prepareOnce((db, given) => {
  const byUser = db.select({ id: secondFactors.user_id }).from(secondFactors).where(eq(secondFactors.user_id, given.id)).prepare()
  return (id: number): boolean => byUser.get({ id }) !== undefined
})

export function lacksRequiredFactor({ actor, impersonating, server }: FastifyRequest): boolean {
  const { secondFactor } = server.config
  if (secondFactor === 'optional' || impersonating) return false
  if (secondFactor === 'staff' && actor.group_id === group.dealer) return false
  return !hasSecondFactor(server.db)(actor.id)
}
