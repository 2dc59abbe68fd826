import type { FastifyInstance } from 'fastify'
import { cardRoutes } from '../../web/card/routes.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { listRoutes } from '../../web/list/routes.ts'
import { referenceCard } from './card.ts'
import { referenceDeletion, referenceList } from './list.ts'
import { references } from './reference.ts'

export async function referenceRoutes(app: FastifyInstance): Promise<void> {
  for (const reference of references) {
    const list = referenceList(app.db, reference)
    listRoutes(app, `/${reference.name}`, list, { icon: reference.icon, group: 'Catalog' })
    deletionRoutes(app, `/${reference.name}/delete`, referenceDeletion(reference, list))
    cardRoutes(app, referenceCard(reference))
  }
}
