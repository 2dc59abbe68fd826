import type { FastifyReply } from 'fastify'
import { cleanName, contentDisposition } from './uploads/file-name.ts'

/**
 * A PDF that is kept nowhere.
 * @param name what it is called, without an extension
 */
export function sendPdf(reply: FastifyReply, pdf: Buffer, name: string): FastifyReply {
  return reply.headers(pdfHeaders(`${cleanName(name)}.pdf`)).send(pdf)
}

/** @param name with its extension */
export const pdfHeaders = (name: string) => ({
  'Content-Type': 'application/pdf',
  'Content-Disposition': contentDisposition(name),
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': 'sandbox',
})
