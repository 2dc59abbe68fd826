import type { FastifyReply } from 'fastify'
import { contentDisposition, downloadName } from '../http/uploads/file-name.ts'

/** A PDF that is kept nowhere. */
export function sendPdf(reply: FastifyReply, pdf: Buffer, name: string): FastifyReply {
  return reply
    .headers({
      'Content-Type': 'application/pdf',
      'Content-Disposition': contentDisposition(downloadName(name, '.pdf')),
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': 'sandbox',
    })
    .send(pdf)
}
