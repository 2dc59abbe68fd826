import type { FastifyRequest } from 'fastify'
import { forbidden } from '../request/errors.ts'

/** Refuses requests that another site makes with this person's cookie. */
export function refuseCrossSite(request: FastifyRequest): void {
  const { changesState } = request.routeOptions.config
  const reads = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  if (reads && !changesState) return
  if (isForeign(request) || (changesState && !isNavigation(request)))
    throw forbidden('Request blocked: it came from another site. Nothing was changed. Open the page here and try again.')
}

function isForeign(request: FastifyRequest): boolean {
  const { 'sec-fetch-site': site, origin, referer } = request.headers
  if (!site) return foreignHost(request, origin)
  // What nobody's page has asked for comes from no page.
  if (site === 'none') return foreignHost(request, origin) || foreignHost(request, referer)
  return site !== 'same-origin'
}

const downloading = ['document', 'empty', 'iframe']

/** A spreadsheet is asked for by a person or a script, never by what somebody wrote into a text: that would export in its readers' names. */
export function refuseEmbedding(request: FastifyRequest): void {
  const destination = request.headers['sec-fetch-dest']
  if (request.routeOptions.config.answers !== 'spreadsheet' || !destination) return
  if (!downloading.includes(String(destination))) throw forbidden('Request blocked: a spreadsheet cannot be part of a page.')
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
