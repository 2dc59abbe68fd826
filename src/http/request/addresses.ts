import type { FastifyInstance, FastifyRequest } from 'fastify'
import { decodeAddress } from '../../core/decode-address.ts'

export function url(app: FastifyInstance, path: string): string {
  return app.config.baseUrl + path
}

/** Built from the settings only: a forged Host header must not lead readers elsewhere. */
export function publicUrl(app: FastifyInstance, path: string): string {
  const { publicOrigin, host, port } = app.config
  return (publicOrigin ?? (app.server.listening ? app.listeningOrigin : `http://${host}:${port}`)) + url(app, path)
}

/** The names that this service is known to go by: those of its settings, and the one that a request was sent to. */
export function ownHosts({ config }: FastifyInstance, request?: FastifyRequest): string[] {
  const { publicOrigin, host } = config
  return [...(publicOrigin ? [new URL(publicOrigin).hostname] : []), host, ...(request ? [request.hostname] : [])]
}

export function refererPath({ headers }: FastifyRequest): string | undefined {
  return pathOf(headers.referer)
}

/** The page from which a part of it, or a form, was sent. */
export function openPage(request: FastifyRequest): string | undefined {
  return pathOf(request.headers['hx-current-url']?.toString()) ?? refererPath(request)
}

function pathOf(address: string | undefined): string | undefined {
  if (!address || !URL.canParse(address)) return undefined
  const { pathname, search } = new URL(address)
  return pathname + search
}

/** The page behind a dialog, safe to redirect to; undefined where it is one of those named or part of one. */
export function pageBehind(request: FastifyRequest, ...own: string[]): string | undefined {
  const address = safePath(request.server, openPage(request), '')
  const [path] = address.split('?')
  return !path || own.some((page) => `${path}/`.startsWith(url(request.server, `${page}/`))) ? undefined : address
}

/** A path inside the cabinet that is safe to redirect to, or the fallback (open redirects, state-changing GETs). */
export function safePath(app: FastifyInstance, target: unknown, fallback: string): string {
  if (typeof target !== 'string' || !URL.canParse(target, 'http://cabinet.invalid')) return fallback
  const { host, pathname, search } = new URL(target, 'http://cabinet.invalid')
  // Browsers take a path that begins with two slashes for another host.
  const ours = host === 'cabinet.invalid' && target.startsWith('/') && !pathname.startsWith('//')
  const inside = ours && `${pathname}/`.startsWith(url(app, '/'))
  return inside && !changesState(app, pathname) ? pathname + search : fallback
}

/** Of a route that changes something, what stands before its first parameter is enough to know it by. */
function changesState(app: FastifyInstance, path: string): boolean {
  const plain = decodeAddress(path).toLowerCase()
  const routes = app.routeTable.filter((route) => route.changesState && route.method === 'GET' && !route.ownForms)
  return routes.some((route) => plain.startsWith((route.url.split(':')[0] as string).toLowerCase()))
}
