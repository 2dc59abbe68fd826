import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { AttachmentSource } from './attachments.ts'

export const uploadPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('attachmentSources', [] as AttachmentSource[])
})
