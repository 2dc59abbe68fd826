import type { FastifyInstance } from 'fastify'
import { administrators } from '../admins/kind.ts'
import { managers } from '../managers/kind.ts'
import { avatarRoutes } from '../people/avatars.ts'
import { impersonationRoutes } from '../people/impersonation.ts'
import { requestRoutes } from '../people/requests/routes.ts'
import { kindRoutes } from '../people/routes.ts'
import { productions } from '../productions/kind.ts'

/** Administrators, managers and production, and acting as any of the four kinds of people. */
export async function staffRoutes(app: FastifyInstance): Promise<void> {
  const kinds = [managers(), productions(app), administrators(app)]
  for (const kind of kinds) kindRoutes(app, kind)
  requestRoutes(app, kinds)
  impersonationRoutes(app)
  avatarRoutes(app)
}
