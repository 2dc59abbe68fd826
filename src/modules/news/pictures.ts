import { readFile } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { news, prepareOnce } from '../../database/index.ts'
import { bodyOf, forbidden, HttpError, notFound, page, paramOf, queryOf } from '../../web/http.ts'
import { type AttachmentSource, hasUploaded } from '../../web/uploads/attachments.ts'
import { findPicture } from '../../web/uploads/folder.ts'
import { may } from './access.ts'
import { publishDue } from './news.ts'

export const newsAttachments: AttachmentSource = (db, key) =>
  newsWithImage(db)
    .all({ key })
    .map((message) => ({
      record: { entity: 'news', id: message.id },
      name: message.name,
      mayRead: (actor) => allows(may.view, actor, message),
    }))

const pictureRows = page<{ rows: { key: string; index: number }[]; name: string }>('news/picture-rows.njk')

export async function showPicture(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = request.server
  const key = paramOf(request, 'key')
  const size = paramOf(request, 'size')
  const path = findPicture(config.dataDir, 'gallery', key, size)
  if (!path) throw notFound()
  publishDue(db)
  const seen = newsWithImage(db)
    .all({ key })
    .some((message) => allows(may.view, request.actor, message))
  if (!seen && !hasUploaded(db, key, request.actor.id)) throw forbidden()
  reply.type('image/webp').header('Cache-Control', 'private, max-age=3600')
  return reply.send(await readFile(path))
}

export function uploadPictures(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = Object.values(request.uploadErrors)[0]
  if (problem) throw new HttpError(problem.status ?? 422, problem.message, problem.params)
  const keys = bodyOf(request).getAll('images[stored]')
  if (keys.length === 0) throw new HttpError(422, 'No image received.')
  const first = /^\d{1,4}$/.exec(queryOf(request).get('index') ?? '') ?? ['0']
  const rows = keys.map((key, at) => ({ key, index: Number(first[0]) + at }))
  return reply.page(pictureRows, { rows, name: 'images' })
}

// The second condition lets SQLite use the index of articles with pictures.
const newsWithImage = prepareOnce((db, given) => {
  const rows = db.select({ id: news.id, name: news.name, published: news.published }).from(news)
  return rows.where(sql`instr(${news.images}, ${given.key}) > 0 and images <> '[]'`).prepare()
})
