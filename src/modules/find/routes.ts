import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { page, part, queryOf } from '../../web/http.ts'
import { search } from './search.ts'

const findPage = page<{ title: string; q: string; groups: ReturnType<typeof search> }>('find/page.njk')
const searchButton = page<object>('find/button.njk')

export async function findRoutes(app: FastifyInstance): Promise<void> {
  app.topbar.push(part(searchButton, () => ({})))
  app.get('/find', { access: 'signed-in' }, showFind)
}

function showFind(request: FastifyRequest, reply: FastifyReply) {
  const q = (queryOf(request).get('q') ?? '').trim().slice(0, 200)
  return reply.page(findPage, { title: request.t('Search'), q, groups: search(request, q) })
}
