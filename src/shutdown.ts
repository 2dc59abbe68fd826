import type { FastifyInstance } from 'fastify'

/**
 * Stops accepting requests and lets running ones finish, slow uploads included.
 * @param timeout in milliseconds, after which connections are cut
 */
export async function shutDown(app: FastifyInstance, timeout = 60_000): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeout)
  await app.close()
  clearTimeout(timer)
  app.db.$client.close()
}
