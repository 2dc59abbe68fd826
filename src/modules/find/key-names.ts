import type { FastifyRequest } from 'fastify'

const onMacs: Record<string, string> = { Ctrl: '⌘', Shift: '⇧', Enter: '↩' }

/** Keys that are held together, as the keyboard of the reader names them: Ctrl+Z, on a Mac ⌘Z. */
export function nameOfKeys({ headers }: FastifyRequest, keys: string | string[]): string {
  if (typeof keys === 'string') return keys
  const isMac = /Macintosh|Mac OS X/.test(headers['user-agent'] ?? '')
  return isMac ? keys.map((key) => onMacs[key] ?? key).join('') : keys.join('+')
}
