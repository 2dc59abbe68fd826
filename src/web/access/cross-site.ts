import type { FastifyRequest } from 'fastify'
import { forbidden } from '../http.ts'

/** Refuses requests that another site makes with this person's cookie (decisions: cross-site requests). */
export function refuseCrossSite(request: FastifyRequest): void {
  const { changesState } = request.routeOptions.config
  const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  if (reads && !changesState) return
  const site = request.headers['sec-fetch-site']
  const foreign = site ? site !== 'same-origin' && site !== 'none' : foreignHost(request, request.headers.origin)
  if (foreign || (changesState && !isNavigation(request))) throw forbidden('Request blocked: it came from another site.')
}

/** A GET that changes state must be a navigation by the user from within the cabinet. */
function isNavigation(request: FastifyRequest): boolean {
  const { headers } = request
  const destination = headers['sec-fetch-dest']
  const purpose = `${headers['sec-purpose'] ?? ''}${headers.purpose ?? ''}${headers['x-moz'] ?? ''}`
  if (request.method === 'HEAD' || (destination && destination !== 'document')) return false
  return !purpose.includes('prefetch') && !foreignHost(request, headers.referer)
}

function foreignHost(request: FastifyRequest, address: string | undefined): boolean {
  if (!address) return false
  const host = hostOf(address)
  return host === undefined || host !== hostOf(`${request.protocol}://${request.host}`)
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined
}
