import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findSettings } from '../../database/settings.ts'
import { notFound } from '../../web/http.ts'
import type { AttachmentSource } from '../../web/uploads/attachments.ts'
import { folderOf } from '../../web/uploads/folder.ts'
import { findPicture, pictureSizes } from '../../web/uploads/stored-picture.ts'

export function logoRoutes(app: FastifyInstance): void {
  app.attachmentSources.push(logoAttachments)
  app.get('/logo/:theme', { access: 'public', answers: 'file' }, sendLogo)
}

const logoAttachments: AttachmentSource = {
  find: (db, key) => {
    const { id, logo, logo_dark } = findSettings(db)
    return key === logo || key === logo_dark ? [{ record: { entity: 'settings', id }, mayRead: () => true }] : []
  },
}

async function sendLogo({ server, params }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { theme } = params as { theme: string }
  const { logo, logo_dark } = findSettings(server.db)
  const keys = new Map([
    ['light', logo ?? logo_dark],
    ['dark', logo_dark ?? logo],
  ])
  const key = keys.get(theme)
  if (!key) throw notFound()
  const { dataDir } = server.config
  // Backups leave out small copies.
  const file = await readFile(findPicture(dataDir, 'gallery', key, String(pictureSizes.gallery[1])) ?? join(folderOf(dataDir, key), key))
  return reply.type('image/webp').header('Cache-Control', 'public, max-age=31536000, immutable').send(file)
}
