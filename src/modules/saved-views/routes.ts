import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { anyOf, everyone, type Ownership, superadministrator } from '../../core/access.ts'
import { savedViews } from '../../database/schema/index.ts'
import type { FindRecord } from '../../web/http.ts'
import { deleteView, saveView } from './save.ts'
import { findSavedView, menuViews, type SavedView } from './saved-view.ts'

const own: Ownership<SavedView> = {
  description: 'your own views',
  predicate: (actor, view) => view.user_id === actor.id,
}

const mayDelete = anyOf<SavedView>(superadministrator, everyone(own))

const findView: FindRecord<SavedView> = (db, id) => db.select().from(savedViews).where(eq(savedViews.id, id)).get()

export async function viewRoutes(app: FastifyInstance): Promise<void> {
  app.viewProviders.push({ menuViews, savedView: findSavedView })
  app.post('/views', { access: 'signed-in' }, saveView)
  app.post('/views/:id/delete', { access: mayDelete, record: findView }, deleteView)
}
