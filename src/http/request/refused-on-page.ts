import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from './errors.ts'

/** A refusal that stands at the top of a page that there is anyway, rather than alone. */
export class RefusedOnPage extends HttpError {
  readonly show: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>
  constructor(status: number, message: string, show: RefusedOnPage['show']) {
    super(status, message)
    this.show = show
  }
}
