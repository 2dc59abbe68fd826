import type { FastifyReply } from 'fastify'
import { cleanName, contentDisposition } from './uploads/file-name.ts'

/**
 * A PDF that is kept nowhere.
 * @param name what it is called, without an extension
 */
export function sendPdf(reply: FastifyReply, pdf: Buffer, name: string): FastifyReply {
  return reply
    .headers({
      'Content-Type': 'application/pdf',
      'Content-Disposition': contentDisposition(`${cleanName(name)}.pdf`),
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': 'sandbox',
    })
    .send(pdf)
}
