import type { FastifyInstance } from 'fastify'
import { create, save } from '../../web/card/save.ts'
import { showCreate, showEdit } from '../../web/card/show.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { exportList } from '../../web/list/export.ts'
import { showList } from '../../web/list/show.ts'
import { findReferenceRecord, referenceCard } from './card.ts'
import { referenceDeletion, referenceList } from './list.ts'
import { type Reference, references } from './reference.ts'

export async function referenceRoutes(app: FastifyInstance): Promise<void> {
  for (const reference of references) registerReference(app, reference)
}

function registerReference(app: FastifyInstance, reference: Reference): void {
  const { name, may, title, icon } = reference
  const path = `/${name}`
  const list = referenceList(app.db, reference)
  const card = referenceCard(reference)
  const record = findReferenceRecord(reference)
  app.cards.push(card)
  app.menu.push({ path, label: title, icon, group: 'Catalog', rule: may.list, may })

  app.get(path, { access: may.list }, showList(list))
  app.get(`${path}/export`, { access: may.list, answers: 'file' }, exportList(list))
  deletionRoutes(app, `${path}/delete`, referenceDeletion(reference, list))
  app.get(`${path}/add`, { access: may.add }, showCreate(card))
  app.post(`${path}/add`, { access: may.add }, create(card))
  app.get(`${path}/edit/:id`, { access: may.view, record }, showEdit(card))
  app.post(`${path}/edit/:id`, { access: may.edit, record }, save(card))
}
