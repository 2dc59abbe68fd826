import type { IncomingMessage } from 'node:http'

/** An address that cannot be decoded names nothing: taken to the letter, it is answered like every other that names nothing. */
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
