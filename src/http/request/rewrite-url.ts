import type { IncomingMessage } from 'node:http'

/** Escapes an address that cannot be decoded, so that it gets an ordinary 404. */
export function escapeMalformedUrl({ url = '/' }: IncomingMessage): string {
  if (!url.includes('%')) return url
  const path = url.split('?', 1)[0] as string
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}
