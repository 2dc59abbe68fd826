import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { template } from '../../http/request/template.ts'
import { serviceWorker } from '../../view/assets.ts'

const offlinePage = template<{ title: string }>('pages/offline.njk')

export async function offlineRoutes(app: FastifyInstance): Promise<void> {
  app.get('/offline', { access: 'public' }, (request, reply) => reply.page(offlinePage, { title: request.t('No connection') }))
  app.get('/service-worker.js', { access: 'public', answers: 'file' }, sendWorker)
}

function sendWorker(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.type('text/javascript; charset=utf-8').header('Cache-Control', 'no-cache').send(serviceWorker)
}
