import type { FastifyInstance } from 'fastify'

/**
 * Ends the service: nothing new is taken, and what was begun is finished, a slow upload too.
 * @param patience in milliseconds; what takes longer is cut off
 */
export async function finish(app: FastifyInstance, patience = 60_000): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), patience)
  await app.close()
  clearTimeout(timer)
  app.db.$client.close()
}
