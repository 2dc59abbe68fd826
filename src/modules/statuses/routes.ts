import type { FastifyInstance } from 'fastify'
import { showRow } from '../../web/card/row.ts'
import { showCreate, showEdit } from '../../web/card/show.ts'
import { create, save } from '../../web/card/submit.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { showList } from '../../web/list/show.ts'
import { may } from './access.ts'
import { statusCard } from './card.ts'
import { statusDeletion } from './deletion.ts'
import { statusList } from './list.ts'
import { saveOrder, showOrder } from './order.ts'
import { switchPolicy } from './policies.ts'
import { findStatus, findStatusByKey } from './status.ts'

export async function statusRoutes(app: FastifyInstance): Promise<void> {
  const list = statusList(app.db)
  const deletion = statusDeletion(list)
  const named = { record: findStatus, recordByKey: findStatusByKey }
  app.cards.push(statusCard)
  app.menu.push({ path: '/statuses', label: 'Statuses', icon: 'route', rule: may.list, may, card: '/status' })

  app.get('/statuses', { access: may.list }, showList(list))
  app.get('/statuses/order', { access: may.edit }, showOrder)
  app.post('/statuses/order', { access: may.edit }, saveOrder)
  deletionRoutes(app, deletion)
  app.get('/status/add', { access: may.add }, showCreate(statusCard))
  app.post('/status/add', { access: may.add }, create(statusCard))
  app.get('/status/edit/:id', { access: may.view, ...named }, showEdit(statusCard))
  app.post('/status/edit/:id', { access: may.edit, ...named }, save(statusCard))
  app.post('/status/edit/:id/policies/:policy_key', { access: may.edit, ...named }, switchPolicy)
  app.get('/status/edit/:id/transitions/row', { access: may.edit, ...named, answers: 'fragment' }, showRow(statusCard, 'transitions'))
}
