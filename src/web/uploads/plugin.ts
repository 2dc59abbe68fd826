import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { FileOwner } from './named.ts'

/** Knows who names files. */
export const uploadPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('fileOwners', [] as FileOwner[])
})
