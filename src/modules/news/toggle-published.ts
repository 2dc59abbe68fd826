import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeRecord } from '../../web/access/policy-hook.ts'
import { parseSwitch } from '../../web/form/fields.ts'
import { authorOf, refererPath, safePath, url, wantsFragment } from '../../web/http.ts'
import type { List } from '../../web/list/state.ts'
import { presentSwitch, type SwitchCell } from '../../web/list/view.ts'
import { bodyOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import type { NewsRow } from './list.ts'
import { type News, updateNews } from './news.ts'

const publishedCells = page<SwitchCell & { swapped: boolean }>('news/published-cells.njk')

export function togglePublished(list: List<NewsRow>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { db } = request.server
    const published = parseSwitch(bodyOf(request).get('value'))
    const id = writeRecord(request, (message: News) => {
      updateNews(db, message, { published }, authorOf(request))
      return message.id
    })
    if (!wantsFragment(request))
      return reply.redirect(safePath(request.server, refererPath(request), url(request.server, `/${list.name}`)), 303)
    return reply.page(publishedCells, { ...presentSwitch(request, list, id, 'published'), swapped: true })
  }
}
