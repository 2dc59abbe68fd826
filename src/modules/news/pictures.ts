import { readFile } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fileForbidden, HttpError, notFound, toError } from '../../http/request/errors.ts'
import { bodyOf, paramOf, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { findPicture } from '../../http/uploads/folder.ts'
import { hasUploaded } from '../../http/uploads/uploaded.ts'
import { attachmentsOfCard } from '../../records/attachments.ts'
import { newsCard } from './card.ts'
import { publishDue } from './news.ts'

const pictureRows = template<{ rows: { key: string; index: number }[]; name: string }>('news/picture-rows.njk')

export async function showPicture(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = request.server
  const key = paramOf(request, 'key')
  const size = paramOf(request, 'size')
  const path = findPicture(config.dataDir, 'gallery', key, size)
  if (!path) throw notFound()
  publishDue(db)
  const seen = attachmentsOfCard(db, newsCard, key).some(({ mayRead }) => mayRead(request.actor))
  if (!seen && !hasUploaded(db, key, request.actor.id)) throw fileForbidden()
  reply.type('image/webp').header('Cache-Control', 'private, max-age=3600')
  return reply.send(await readFile(path))
}

export function uploadPictures(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = Object.values(request.uploadErrors)[0]
  if (problem) throw toError(problem)
  const keys = bodyOf(request).getAll('images[stored]')
  if (keys.length === 0) throw new HttpError(422, 'No image received.')
  const first = /^\d{1,4}$/.exec(queryOf(request).get('index') ?? '') ?? ['0']
  const rows = keys.map((key, at) => ({ key, index: Number(first[0]) + at }))
  return reply.page(pictureRows, { rows, name: 'images' })
}
