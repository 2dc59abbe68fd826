import querystring from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import type { Author } from '../../database/index.ts'

export function wantsFragment(request: FastifyRequest): boolean {
  return request.headers['hx-request'] === 'true' && request.headers['hx-request-type'] !== 'full'
}

export function clientOf({ ip, headers }: FastifyRequest): Required<Pick<Author, 'address' | 'userAgent'>> {
  return { address: ip, userAgent: headers['user-agent'] ?? '' }
}

export function queryOf(request: { url: string }): URLSearchParams {
  const start = request.url.indexOf('?')
  return parseFields(start < 0 ? '' : request.url.slice(start))
}

/**
 * What a text that somebody sent says as fields, in time that grows with its length: what `URLSearchParams` makes of a text takes
 * seconds where names have no value or blanks are many.
 */
export function parseFields(text: string): URLSearchParams {
  const fields = new URLSearchParams()
  for (const part of blanksForPluses(text.replace(/^\?/, '')).split('&')) {
    const end = part.includes('=') ? part.indexOf('=') : part.length
    if (part !== '') fields.append(querystring.unescape(part.slice(0, end)), querystring.unescape(part.slice(end + 1)))
  }
  return fields
}

/** Byte by byte: of a million pluses a replaced text takes ten times as long. */
function blanksForPluses(text: string): string {
  if (!text.includes('+')) return text
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === plus) bytes[at] = blank
  return bytes.toString()
}

const [plus, blank] = [0x2b, 0x20]

/** What the address says at `:name` in the path of the route. */
export function paramOf({ params }: FastifyRequest, name: string): string {
  return (params as Record<string, string>)[name] ?? ''
}

export function bodyOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
}

/** What the address of a form and what was sent for it say, before anything is read: what a choice is searched for, which record to repeat. */
export interface FormInput {
  query: URLSearchParams
  /** By place, such as `items.0.price`. */
  texts: ReadonlyMap<string, string>
  /** That is what was kept of a form that is still being filled in. */
  isDraft?: true
}

export const noInput: FormInput = { query: new URLSearchParams(), texts: new Map() }

export function inputOf(request: FastifyRequest, texts: Iterable<[input: string, text: string]> = bodyOf(request)): FormInput {
  return { query: queryOf(request), texts: textsByPlace(texts) }
}

/** What a body says, by places in place of inputs; the last one of a name counts. */
export function textsByPlace(body: Iterable<[input: string, text: string]>): Map<string, string> {
  return new Map([...body].map(([input, text]) => [input.replaceAll(/\[(\w+)\]/g, '.$1'), text]))
}

export function parseId(text: string | null | undefined): number | undefined {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
