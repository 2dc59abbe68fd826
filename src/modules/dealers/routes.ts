import type { FastifyInstance } from 'fastify'
import { showCreate, showEdit } from '../../web/card/show.ts'
import { create, save } from '../../web/card/submit.ts'
import { confirmDeletion, performDeletion } from '../../web/list/deletion.ts'
import { totalOf } from '../../web/list/rows.ts'
import { showList } from '../../web/list/show.ts'
import { toggleActive } from '../people/toggle.ts'
import { may } from './access.ts'
import { dealerCard } from './card.ts'
import { findDealer } from './dealer.ts'
import { dealerDeletion } from './deletion.ts'
import { exportDealers } from './export.ts'
import { dealerList } from './list.ts'

export async function dealerRoutes(app: FastifyInstance): Promise<void> {
  const list = dealerList(app.db)
  const deletion = dealerDeletion(list)
  const record = findDealer
  app.menu.push({ path: '/dealers', label: 'Dealers', icon: 'users', rule: may.list, total: totalOf(app.db, list) })

  app.get('/dealers', { access: may.list }, showList(list))
  app.get('/dealers/export', { access: may.list }, exportDealers(list))
  app.get('/dealers/delete', { access: may.delete }, confirmDeletion(deletion))
  app.post('/dealers/delete', { access: may.delete }, performDeletion(deletion))
  app.get('/dealers/add', { access: may.add }, showCreate(dealerCard))
  app.post('/dealers/add', { access: may.add }, create(dealerCard))
  app.get('/dealers/edit/:id', { access: may.view, record }, showEdit(dealerCard))
  app.post('/dealers/edit/:id', { access: may.edit, record }, save(dealerCard))
  app.post('/dealers/:id/active', { access: may.switch, record }, toggleActive(list))
}
