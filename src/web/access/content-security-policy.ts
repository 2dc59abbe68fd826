import type { FastifyReply } from 'fastify'

const header = 'Content-Security-Policy'

export function extendContentSecurityPolicy(reply: FastifyReply, additions: Record<string, string>): void {
  const directives = String(reply.getHeader(header)).split(';')
  const sources = new Map(directives.map((directive) => directive.trim().split(/\s+/)).map(([name = '', ...list]) => [name, list]))
  for (const [name, added] of Object.entries(additions)) sources.set(name, [...(sources.get(name) ?? []), added])
  reply.header(header, [...sources].map(([name, list]) => [name, ...list].join(' ')).join(';'))
}
