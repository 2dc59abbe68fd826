import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'

export const headerPlugin = fp(async (app: FastifyInstance) => {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('X-Request-Id', request.id)
    // Without includeSubDomains: the domain may host other services.
    if (request.protocol === 'https') reply.header('Strict-Transport-Security', 'max-age=31536000')
    done()
  })
})

const contentSecurityPolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
}

const headers = {
  'Content-Security-Policy': Object.entries(contentSecurityPolicy)
    .map((directive) => directive.join(' '))
    .join(';'),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Frame-Options': 'DENY',
}

export function extendContentSecurityPolicy(reply: FastifyReply, additions: Record<string, string>): void {
  const directives = String(reply.getHeader('Content-Security-Policy')).split(';')
  const sources = new Map(directives.map((directive) => directive.trim().split(/\s+/)).map(([name = '', ...list]) => [name, list]))
  for (const [name, added] of Object.entries(additions)) sources.set(name, [...(sources.get(name) ?? []), added])
  reply.header('Content-Security-Policy', [...sources].map(([name, list]) => [name, ...list].join(' ')).join(';'))
}
