import { readFile } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fileForbidden, notFound } from '../../http/request/errors.ts'
import { paramOf } from '../../http/request/input.ts'
import { findPicture } from '../../http/uploads/folder.ts'
import { attachmentsOfCard } from '../../records/attachments.ts'
import { productCard } from './card.ts'

/** The picture of a product as lists show it, 480 pixels wide. */
export async function showPicture(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { server, actor } = request
  const key = paramOf(request, 'key')
  const path = findPicture(server.config.dataDir, 'gallery', key, '480')
  if (!path) throw notFound()
  if (!attachmentsOfCard(server.db, productCard, key).some(({ mayRead }) => mayRead(actor))) throw fileForbidden()
  reply.type('image/webp').header('Cache-Control', 'private, max-age=3600')
  return reply.send(await readFile(path))
}
