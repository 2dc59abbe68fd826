import type { FastifyInstance } from 'fastify'

/**
 * Ends the service: nothing new is taken, and what was begun is finished, a slow upload too.
 * @param timeout in milliseconds; what takes longer is cut off
 */
export async function shutDown(app: FastifyInstance, timeout = 60_000): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeout)
  await app.close()
  clearTimeout(timer)
  app.db.$client.close()
}
