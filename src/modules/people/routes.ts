import type { FastifyInstance } from 'fastify'
import { impersonationRoutes } from './impersonation.ts'

/** What the four kinds of people share. */
export async function peopleRoutes(app: FastifyInstance): Promise<void> {
  impersonationRoutes(app)
}
