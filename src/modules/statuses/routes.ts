import type { FastifyInstance } from 'fastify'
import { showRepeaterRow } from '../../web/card/repeater-row.ts'
import { create, save } from '../../web/card/save.ts'
import { showCreate, showEdit } from '../../web/card/show.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { exportList } from '../../web/list/export.ts'
import { showList } from '../../web/list/show.ts'
import { statusCard } from './card.ts'
import { statusDeletion } from './deletion.ts'
import { statusList } from './list.ts'
import { switchPolicy } from './policies.ts'
import { saveReorder, showReorder } from './reorder.ts'
import { findStatus, findStatusByKey, may } from './status.ts'

export async function statusRoutes(app: FastifyInstance): Promise<void> {
  const list = statusList(app.db)
  const deletion = statusDeletion(list)
  const lookup = { record: findStatus, recordByKey: findStatusByKey }
  app.cards.push(statusCard)
  app.menu.push({
    path: '/statuses',
    label: 'Statuses',
    icon: 'route',
    group: 'Catalog',
    rule: may.list,
    may,
    also: ['/status', '/orders/try'],
  })

  app.get('/statuses', { access: may.list }, showList(list))
  app.get('/statuses/export', { access: may.list, answers: 'file' }, exportList(list))
  app.get('/statuses/order', { access: may.edit }, showReorder)
  app.post('/statuses/order', { access: may.edit }, saveReorder)
  deletionRoutes(app, '/statuses/delete', deletion)
  app.get('/status/add', { access: may.add }, showCreate(statusCard))
  app.post('/status/add', { access: may.add }, create(statusCard))
  app.get('/status/edit/:id', { access: may.view, ...lookup }, showEdit(statusCard))
  app.post('/status/edit/:id', { access: may.edit, ...lookup }, save(statusCard))
  app.post('/status/edit/:id/policies/:policy_key', { access: may.edit, ...lookup }, switchPolicy)
  app.get(
    '/status/edit/:id/transitions/row',
    { access: may.edit, ...lookup, answers: 'fragment' },
    showRepeaterRow(statusCard, 'transitions'),
  )
}
