import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Problem {
  message: string
  params?: Record<string, unknown>
  /** Where one reads on, for who may. */
  link?: { href: string; text: string }
  status?: number
  /** Seconds until there is room again, where a limit was met. */
  wait?: number
}

export class HttpError extends Error {
  readonly status: number
  readonly params: Record<string, unknown>
  constructor(status: number, message: string, params: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.params = params
  }
}

/** Errors by field that only the writing transaction can find; thrown inside it, so that it rolls back. */
export class ValidationFailed extends HttpError {
  readonly errors: Record<string, Problem>
  constructor(errors: Record<string, string | Problem>) {
    const problems = Object.entries(errors).map(
      ([name, problem]) => [name, typeof problem === 'string' ? { message: problem } : problem] as const,
    )
    const [first] = problems.map(([, problem]) => problem)
    super(first?.status ?? 422, first?.message ?? 'Invalid request', first?.params)
    this.errors = Object.fromEntries(problems)
  }
}

/** A refusal that stands at the top of a page that there is anyway, rather than alone. */
export class RefusedOnPage extends HttpError {
  readonly show: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>
  constructor(status: number, message: string, show: RefusedOnPage['show']) {
    super(status, message)
    this.show = show
  }
}

export const toError = (problem: Problem): HttpError =>
  problem instanceof HttpError ? problem : new HttpError(problem.status ?? 422, problem.message, problem.params)

export const notFound = () => new HttpError(404, 'Record not found. It may have been deleted.')
export const pageNotFound = () => new HttpError(404, 'Page not found')
export const tooLargeMessage = 'The request is too large. Nothing was saved. Go back and send less at once.'
export const tooLarge = () => new HttpError(413, tooLargeMessage)
/** @param message why: nobody is refused without a reason */
export const forbidden = (message: string) => new HttpError(403, message)
/** Of a file that belongs to nothing that whoever asks may see. */
export const fileForbidden = () => forbidden('This file belongs to a record that you cannot see.')
