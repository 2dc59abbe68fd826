import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeRecord } from '../../web/access/policy-hook.ts'
import { parseSwitch } from '../../web/form/switch.ts'
import { authorOf, refererPath, safePath, url, wantsFragment } from '../../web/http.ts'
import type { List } from '../../web/list/state.ts'
import { addRowPermissions, type PermittedRow } from '../../web/list/view.ts'
import { bodyOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import type { NewsRow } from './list.ts'
import { type News, updateNews } from './news.ts'

const publishedCells = page<{ row: PermittedRow<NewsRow>; swapped: boolean }>('news/published-cells.njk')

/** POST /news/{id}/published: the wanted state, saved by the same rules as the form. */
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
    const [row] = list.rows([id]).map(addRowPermissions(list, request.actor)) as [PermittedRow<NewsRow>]
    return reply.page(publishedCells, { row, swapped: true })
  }
}
