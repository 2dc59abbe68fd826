import type { FastifyRequest } from 'fastify'

export function queryOf(request: { url: string }): URLSearchParams {
  const start = request.url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : request.url.slice(start))
}

export function bodyOf(request: FastifyRequest): URLSearchParams {
  return (request.body as URLSearchParams | undefined) ?? new URLSearchParams()
}
