import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Actor, isDealer } from '../../core/access.ts'
import { passkeys, prepareOnce, secondFactors } from '../../database/index.ts'

type Account = Pick<Actor, 'id' | 'group_id'>

/** Whether somebody has an app that shows codes. */
export const hasSecondFactor = prepareOnce((db, params) => {
  const byUser = db.select({ id: secondFactors.user_id }).from(secondFactors).where(eq(secondFactors.user_id, params.id)).prepare()
  return (id: number): boolean => byUser.get({ id }) !== undefined
})

export const hasPasskey = prepareOnce((db, params) => {
  const byUser = db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.user_id, params.id)).limit(1).prepare()
  return (id: number): boolean => byUser.get({ id }) !== undefined
})

/** Whether this person has to set up a second factor, or a passkey, before anything of the cabinet is theirs. */
export function mustSetUpFactor(app: FastifyInstance, person: Account): boolean {
  return isFactorRequired(app, person) && !hasSecondFactor(app.db)(person.id) && !hasPasskey(app.db)(person.id)
}

/** Whether the right password alone does not sign somebody in. A passkey that nobody asked for leaves the password as it was. */
export function needsSecondStep(app: FastifyInstance, person: Account): boolean {
  return hasSecondFactor(app.db)(person.id) || (isFactorRequired(app, person) && hasPasskey(app.db)(person.id))
}

function isFactorRequired({ config: { secondFactor } }: FastifyInstance, person: Account): boolean {
  return secondFactor === 'everyone' || (secondFactor === 'staff' && !isDealer(person))
}

/** Who impersonates has one: the session loader ends every other impersonation. */
export function lacksRequiredFactor({ actor, signIn, server }: FastifyRequest): boolean {
  return !signIn.impersonating && mustSetUpFactor(server, actor)
}
