import type { FastifyInstance } from 'fastify'
import { all, anyOf, group, isGroup } from '../../core/access.ts'
import { showCreate } from '../../web/card/show.ts'
import { create, save } from '../../web/card/submit.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { may, writing } from './access.ts'
import { newsCard } from './card.ts'
import { newsDeletion, newsList } from './list.ts'
import { findNews } from './news.ts'
import { newsPictures, showPicture, takePictures } from './pictures.ts'
import { forEditor, loadWidget, openNews, showNews } from './reading.ts'
import { renewShown } from './renewing.ts'
import { togglePublished } from './toggle.ts'

/** A text of the greatest length, however it is encoded, and one that is too long, so that the form can say so. */
const bodyLimit = 8 * 1024 * 1024

export async function newsRoutes(app: FastifyInstance): Promise<void> {
  const list = newsList(app.db)
  const deletion = newsDeletion(list)
  const record = findNews
  const form = { gallery: 'images', bodyLimit }
  app.fileOwners.push(newsPictures)
  app.cards.push(newsCard)
  app.menu.push({ path: '/news', label: 'News', icon: 'news', rule: may.list, may })
  app.widgets.push({ rule: all(may.list, anyOf(isGroup(group.dealer))), template: 'news/widget.njk', load: loadWidget })
  app.addHook('onReady', async () => renewShown(app.db))

  app.get('/news', { access: may.list }, showNews(list))
  deletionRoutes(app, deletion)
  app.get('/news/add', { access: may.add }, forEditor(showCreate(newsCard)))
  app.post('/news/add', { access: may.add, ...form }, forEditor(create(newsCard)))
  app.get('/news/edit/:id', { access: may.view, record }, openNews)
  app.post('/news/edit/:id', { access: may.edit, record, ...form }, forEditor(save(newsCard)))
  app.post('/news/:id/published', { access: may.edit, record }, togglePublished(list))
  app.post('/news/images', { access: writing, gallery: 'images' }, takePictures)
  app.get('/news/images/:key/:size', { access: may.list, answers: 'file' }, showPicture)
}
