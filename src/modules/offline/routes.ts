import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { template } from '../../http/request/template.ts'
import { root } from '../../root.ts'
import { assetPath } from '../../view/assets.ts'

const offlinePage = template<{ title: string }>('pages/offline.njk')

/** A worker with other text is taken for a new one, which fetches the page again: when what it looks like has changed. */
const worker = `// ${assetPath('cabinet.css')}\n${readFileSync(new URL('static/service-worker.js', root), 'utf8')}`

export async function offlineRoutes(app: FastifyInstance): Promise<void> {
  app.get('/offline', { access: 'public' }, (request, reply) => reply.page(offlinePage, { title: request.t('No connection') }))
  app.get('/service-worker.js', { access: 'public', answers: 'file' }, sendWorker)
}

function sendWorker(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.type('text/javascript; charset=utf-8').header('Cache-Control', 'no-cache').send(worker)
}
