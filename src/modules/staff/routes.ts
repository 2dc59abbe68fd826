import type { FastifyInstance } from 'fastify'
import { administrators } from '../admins/kind.ts'
import { managers } from '../managers/kind.ts'
import { avatarRoutes } from '../people/avatars.ts'
import { impersonationRoutes } from '../people/impersonation.ts'
import { kindRoutes } from '../people/routes.ts'
import { productions } from '../productions/kind.ts'

/** Administrators, managers and production, and acting as any of the four kinds of people. */
export async function staffRoutes(app: FastifyInstance): Promise<void> {
  kindRoutes(app, managers())
  kindRoutes(app, productions(app))
  kindRoutes(app, administrators(app))
  impersonationRoutes(app)
  avatarRoutes(app)
}
