import type { FastifyReply } from 'fastify'

/** Answers of the API are of one person and one moment: nothing on the way may keep them. */
export function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.header('Cache-Control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(body))
}

export const sendCreated = (reply: FastifyReply, location: string, body: object): FastifyReply =>
  sendJson(reply.code(201).header('Location', location), body)
