import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** What every answer says to the browser about itself. */
export const headerPlugin = fp(async (app: FastifyInstance) => {
  await app.register(helmet, headers)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    // The cabinet speaks for its own host only, whatever else lives on the domain.
    if (request.protocol === 'https') reply.header('Strict-Transport-Security', 'max-age=31536000')
    done()
  })
})

const headers = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
  },
  strictTransportSecurity: false,
  frameguard: { action: 'deny' as const },
  // Leaving an impersonation and switching in a list lead back to where one came from.
  referrerPolicy: { policy: 'same-origin' as const },
}
