import type { FastifyRequest } from 'fastify'

/** The query of an address, read the same way everywhere: the first of repeated names counts. */
export function queryOf(request: { url: string }): URLSearchParams {
  const start = request.url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : request.url.slice(start))
}

/** The form a request carries; empty when it carries none. */
export function bodyOf(request: FastifyRequest): URLSearchParams {
  return (request.body as URLSearchParams | undefined) ?? new URLSearchParams()
}
