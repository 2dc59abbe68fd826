import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendKeptFile } from '../../web/spreadsheet/send-spreadsheet.ts'
import type { Notification } from './access.ts'

/** GET of a spreadsheet that took too long to be waited for. */
export function downloadFile(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { file, file_name } = request.record as Notification
  return sendKeptFile(reply, file, file_name ?? '')
}
