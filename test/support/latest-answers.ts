import type { FastifyReply, FastifyRequest } from 'fastify'
import { TestBase } from 'tap'
import { fullName } from '../../src/core/text.ts'
import { textsByRole } from './html.ts'

interface Told {
  request: FastifyRequest
  status: number
  payload: unknown
}

/** What the applications under test answered last, which an assertion that fails tells with it: who asked for what, and what was said. */
const latest: Told[] = []

const { fail } = TestBase.prototype

TestBase.prototype.fail = function (this: TestBase, ...args: Parameters<typeof fail>) {
  const extra = args.find((arg) => typeof arg === 'object')
  if (extra && latest.length > 0) Object.assign(extra, { answers: latest.map(tell) })
  return fail.apply(this, args)
}

const beside = /\/(assets|notifications\/stream)\b/

/** A hook of every application under test. */
export async function noteAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
  if (beside.test(request.url)) return
  latest.push({ request, status: reply.statusCode, payload })
  if (latest.length > 3) latest.shift()
}

export function forgetAnswers(): void {
  latest.length = 0
}

function tell({ request, status, payload }: Told): string {
  const person = request.signIn?.sessionId && request.actor ? fullName(request.actor) : 'nobody signed in'
  const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? String(payload) : ''
  const [alert] = body.includes('role="alert"') ? textsByRole({ body } as never, 'alert') : []
  return `${person}: ${request.method} ${request.url} → ${status}${alert ? ` “${alert.slice(0, 200)}”` : ''}`
}
