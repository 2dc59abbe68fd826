import type { RouteEntry } from '../../src/http/request/route-policy.ts'
import type { Browser, Cabinet } from './cabinet.ts'
import { takingBack } from './taking-back.ts'

export const unknown = 999_999

export interface Address {
  path: string
  asked: boolean
  found?: unknown
}

const known = new WeakMap<Cabinet, Map<RouteEntry, Address[]>>()

/** Everything an address could name: each record of its kind, an id that nobody has, and words. Nobody changes them for good. */
export function addressesOf(cabinet: Cabinet, route: RouteEntry): Address[] {
  const addresses = known.get(cabinet) ?? new Map<RouteEntry, Address[]>()
  known.set(cabinet, addresses)
  const found = addresses.get(route) ?? findAddresses(cabinet, route)
  addresses.set(route, found)
  return found
}

function findAddresses(cabinet: Cabinet, route: RouteEntry): Address[] {
  const path = route.url.replace(/:(?!id\b)\w+/g, 'nothing').replaceAll('*', 'nothing')
  if (!path.includes(':id')) return [{ path, asked: Boolean(route.record), found: route.record?.(cabinet.db, 0) }]
  const ids = Array.from({ length: 15 }, (_, index) => index + 1)
  const records = ids.flatMap((id) => {
    const found = route.record?.(cabinet.db, id)
    return found === undefined ? [] : [{ path: path.replace(':id', String(id)), asked: true, found }]
  })
  const nothing = ['0', String(unknown), 'word'].map((id) => ({ path: path.replace(':id', id), asked: Boolean(route.record) }))
  return [...records, ...nothing]
}

/** Asks without leaving a trace: whatever an allowed request does is taken back. */
export function ask(
  cabinet: Cabinet,
  browser: Browser,
  { method }: RouteEntry,
  path: string,
  headers: Record<string, string> = {},
  before = () => {},
  body = '',
) {
  const form = method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : undefined
  const send = () => {
    before()
    return browser.send(method, path, { ...form, ...headers }, method === 'POST' ? body : undefined)
  }
  return takingBack(cabinet, send, browser)
}
