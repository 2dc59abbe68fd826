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
  const { paths, may, title, icon } = reference
  const list = referenceList(app.db, reference)
  const deletion = referenceDeletion(reference, list)
  const card = referenceCard(reference)
  const record = findReferenceRecord(reference)
  app.cards.push(card)
  app.menu.push({ path: paths.list, label: title, icon, group: 'Catalog', rule: may.list, may })

  app.get(paths.list, { access: may.list }, showList(list))
  app.get(`${paths.list}/export`, { access: may.list, answers: 'file' }, exportList(list))
  deletionRoutes(app, paths.delete, deletion)
  app.get(paths.add, { access: may.add }, showCreate(card))
  app.post(paths.add, { access: may.add }, create(card))
  app.get(paths.edit, { access: may.view, record }, showEdit(card))
  app.post(paths.edit, { access: may.edit, record }, save(card))
}
