import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { submissions } from '../../database/index.ts'
import { HttpError } from '../request/errors.ts'
import { bodyOf, queryOf } from '../request/input.ts'

/** What was sent, by names; the key is its `once`. */
export type SentTexts = Iterable<[name: string, text: string]> & { get: (name: string) => string | null | undefined }

type Recorded = typeof submissions.$inferSelect

/** What a body has led to: an address with a record, or a report on many. */
export type Result = Pick<Recorded, 'location'> & Partial<Pick<Recorded, 'record_id' | 'report'>>

/** The same was sent before, with other values or another key, and saved: the form is shown again with these values and with a new key. */
export class SentOtherwise extends HttpError {
  readonly location: string
  constructor(location: string, message = otherValues) {
    super(409, message)
    this.location = location
  }
}

const otherValues = 'This form was already sent with other values, and those were saved. What stands here now is not saved yet.'

/**
 * What the first body with this `once` led to.
 * @throws SentOtherwise when other values were sent with this key, HttpError 409 when it belongs to another form
 */
export function findSubmission(request: FastifyRequest, body: SentTexts): Result | undefined {
  const { server, actor } = request
  const once = idempotencyKey(request, body)
  if (!once) return undefined
  const same = and(eq(submissions.user_id, actor.id), eq(submissions.once, once))
  const earlier = server.db.select().from(submissions).where(same).get()
  if (earlier && earlier.form !== formOf(request))
    throw new HttpError(409, 'Another form was sent with this key. Reload the page and try again.')
  if (earlier?.sent && earlier.sent !== fingerprint(body)) {
    const otherwise = new SentOtherwise(earlier.location)
    request.whyUnsaved = otherwise
    throw otherwise
  }
  return earlier
}

/** The report on many records that this person was given for a body with the key `report` of the address. */
export function findReport(request: FastifyRequest): Recorded['report'] | undefined {
  const { server, actor } = request
  const once = queryOf(request).get('report')
  const same = and(eq(submissions.user_id, actor.id), eq(submissions.once, once ?? ''), eq(submissions.form, formOf(request)))
  return server.db.select().from(submissions).where(same).get()?.report
}

/** Where `findReport` finds the report on what was sent. */
export function reportAddress(request: FastifyRequest): string {
  return `${formOf(request)}?${new URLSearchParams({ report: idempotencyKey(request, bodyOf(request)) ?? '' })}`
}

/** Of two that are done at the same time, the first one counts. */
export function recordSubmission(request: FastifyRequest, body: SentTexts, { location, record_id, report }: Result): void {
  const { server, actor } = request
  const once = idempotencyKey(request, body)
  if (!once) return
  const row = { user_id: actor.id, once, form: formOf(request), sent: fingerprint(body), location, record_id, report, at: Date.now() }
  server.db.insert(submissions).values(row).onConflictDoNothing().run()
}

const formOf = ({ url }: FastifyRequest) => url.split('?')[0] as string

/** Passwords are left out: whoever read this could try them. */
function fingerprint(body: SentTexts): string {
  const values = [...body].filter(([name]) => name !== 'once' && !name.includes('password')).sort()
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url')
}

/** Where nobody has signed in there is nobody whose form it could be. */
function idempotencyKey({ routeOptions }: FastifyRequest, body: SentTexts): string | undefined {
  return routeOptions.config.access === 'public' ? undefined : body.get('once')?.slice(0, 100)
}
