export interface Problem {
  message: string
  params?: Record<string, unknown>
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

export const toError = (problem: Problem): HttpError =>
  problem instanceof HttpError ? problem : new HttpError(problem.status ?? 422, problem.message, problem.params)

export const notFound = () => new HttpError(404, 'Record not found. It may have been deleted.')
export const pageNotFound = () => new HttpError(404, 'Page not found')
export const forbidden = (message = "You don't have access.") => new HttpError(403, message)
