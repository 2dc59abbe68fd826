import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { publicUrl } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { notFound } from '../../../http/request/errors.ts'

export interface RelyingParty {
  id: string
  origin: string
}

/** Whom passkeys are made for: the public address, else `localhost`; none where that is a bare IP address, for which browsers make none. */
export function findRelyingParty(request: FastifyRequest): RelyingParty | undefined {
  const { publicOrigin } = request.server.config
  if (!publicOrigin && request.hostname !== 'localhost') return undefined
  const origin = publicOrigin ?? localOrigin(request)
  const { hostname } = new URL(origin)
  return isIP(hostname.replace(/^\[|\]$/g, '')) ? undefined : { id: hostname, origin }
}

export function requireRelyingParty(request: FastifyRequest): RelyingParty {
  const party = findRelyingParty(request)
  if (!party) throw notFound()
  return party
}

function localOrigin({ server }: Context): string {
  const address = new URL(publicUrl(server, '/'))
  address.hostname = 'localhost'
  return address.origin
}
