import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, group, isGroup } from '../../core/access.ts'
import { news } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { ownHosts } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { cardSteps } from '../../records/card/save.ts'
import { createPage } from '../../records/card/show.ts'
import type { FormSteps } from '../../records/form/steps.ts'
import { exportList } from '../../records/list/export.ts'
import { type SwitchCell, toggle } from '../../records/list/toggle.ts'
import { declareRecord } from '../../records/record.ts'
import { articleAccess, mayExport, mayWriteNews } from './access.ts'
import { newsCard } from './card.ts'
import { newsDeletion, newsList } from './list.ts'
import { findNews, type News, resanitizeNews, updateNews } from './news.ts'
import { showPicture, uploadPictures } from './pictures.ts'
import { newsResource } from './resource.ts'
import { newsWidget, openNews, showNews, withEditorPolicy } from './show-news.ts'

/** Large enough for a text slightly over the limit in any encoding, so that the form can reject it. */
const bodyLimit = 8 * 1024 * 1024

const gallery = /^images(?:\[\d+\])?\[file\]$/

const publishedCells = template<SwitchCell>('news/published-cells.njk')

export async function newsRoutes(app: FastifyInstance): Promise<void> {
  const list = newsList(app.db)
  const record = findNews
  const form = { gallery, bodyLimit }
  declareRecord(app, {
    list,
    card: newsCard,
    deletion: newsDeletion,
    search: { texts: (ids) => sql`select ${news.id}, ${news.name}, ${news.excerpt} from ${news} where ${news.id} in ${ids}` },
    api: newsResource,
    menu: { icon: 'news', may: articleAccess, letter: 'n' },
  })
  app.registry.widgets.push({ rule: allOf(articleAccess.list, anyOf(isGroup(group.dealer))), place: 'bottom', ...newsWidget })
  app.addHook('onReady', async () => resanitizeNews(app.db, ownHosts(app)))

  app.get('/news', { access: articleAccess.list }, showNews(list))
  app.get('/news/export', { access: mayExport, answers: 'spreadsheet' }, exportList(list))
  app.get(
    '/news/add',
    { access: articleAccess.add },
    withEditorPolicy((request, reply) => createPage(request, reply, newsCard)),
  )
  app.post('/news/add', action({ access: articleAccess.add, ...form }, withEditor(cardSteps(newsCard, 'create'))))
  app.get('/news/edit/:id', onRecord({ access: articleAccess.view, record }, openNews))
  app.post('/news/edit/:id', action({ access: articleAccess.edit, record, ...form }, withEditor(cardSteps(newsCard, 'edit'))))
  app.post('/news/:id/published', action({ access: articleAccess.edit, record }, toggle(list, 'published', publishedCells, publish)))
  app.post('/news/images', { access: mayWriteNews, gallery }, uploadPictures)
  app.get('/news/images/:key/:size', { access: articleAccess.list, answers: 'file' }, showPicture)
}

function withEditor<R, Prepared>({ showAgain, ...steps }: FormSteps<R, Prepared>): FormSteps<R, Prepared> {
  return { ...steps, showAgain: withEditorPolicy(showAgain) }
}

function publish(context: Context, message: News, published: boolean): void {
  updateNews(context.server.db, message, { published }, context.author)
}
