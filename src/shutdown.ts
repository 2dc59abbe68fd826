import type { FastifyInstance } from 'fastify'

export async function shutDown(app: FastifyInstance, timeout = 60_000): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeout)
  await app.close()
  clearTimeout(timer)
  app.db.$client.close()
}
