import { and, count, eq, isNull } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { anyOf, everyone, group, owned, superadministrator } from '../../core/access.ts'
import { stripControlCharacters } from '../../core/text.ts'
import { savedViews } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { forbidden, HttpError } from '../../http/request/errors.ts'
import { bodyOf, parseFields } from '../../http/request/input.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { readState, stateQuery } from '../../records/list/state.ts'
import { type SavedView, viewAddress } from './saved-view.ts'

const own = owned<SavedView>('your own views', (actor, view) => view.user_id === actor.id)

const mayDelete = anyOf<SavedView>(superadministrator, everyone(own))

const findView: FindRecord<SavedView> = (db, id) => db.select().from(savedViews).where(eq(savedViews.id, id)).get()

export async function viewRoutes(app: FastifyInstance): Promise<void> {
  app.post('/views', action({ access: 'signed-in' }, saveView))
  app.post('/views/:id/delete', action({ access: mayDelete, record: findView }, deleteView))
}

const limits = { name: 60, views: 20 }

/** POST of a view; it replaces the user's view of the same name. */
function saveView(request: FastifyRequest): Done {
  const { server, actor } = request
  const view = { ...readView(request), user_id: actor.id, created_at: Date.now() }
  const replaced = and(eq(savedViews.user_id, actor.id), eq(savedViews.list, view.list), eq(savedViews.name, view.name))
  server.db.delete(savedViews).where(replaced).run()
  const own = server.db.select({ views: count() }).from(savedViews).where(eq(savedViews.user_id, actor.id)).get()
  if ((own?.views ?? 0) >= limits.views) throw new HttpError(422, 'You can save up to {limit} views.', { limit: limits.views })
  if (view.is_default) clearDefaults(request, view)
  server.db.insert(savedViews).values(view).run()
  return { location: viewAddress(request, view), message: ['View "{name}" saved', { name: view.name }] }
}

function readView(request: FastifyRequest): Pick<SavedView, 'name' | 'list' | 'query' | 'group_id' | 'is_default'> {
  const body = bodyOf(request)
  const name = stripControlCharacters(body.get('name') ?? '').trim()
  if (!name || name.length > limits.name)
    throw new HttpError(422, 'Give the view a name of up to {limit} characters.', { limit: limits.name })
  return {
    name,
    ...readAddress(request, body.get('address') ?? ''),
    group_id: readGroup(request, body),
    is_default: body.get('is_default') === '1',
  }
}

function readAddress({ server, actor }: Context, address: string): Pick<SavedView, 'list' | 'query'> {
  const [path = '', query = ''] = address.split('?', 2)
  const name = path.startsWith(url(server, '/')) ? path.slice(url(server, '/').length) : ''
  const list = server.records.get(name)?.list
  if (!list) throw new HttpError(422, 'Only a list can be saved as a view.')
  authorize(list.may.list, actor)
  const state = readState(list, parseFields(query), actor)
  return { list: name, query: stateQuery(list, { ...state, page: 1 }).slice(1) }
}

function readGroup({ actor }: Context, body: URLSearchParams): number | null {
  const asked = body.get('group_id')
  if (!asked) return null
  const found = Object.values(group).find((id) => String(id) === asked)
  if (!found) throw new HttpError(422, 'Choose a value from the list.')
  if (actor.group_id !== group.administrator) throw forbidden('Only administrators can share views.')
  return found
}

/** A list opens in one view: one's own, or that of one's group. */
function clearDefaults({ server, actor }: Context, { list, group_id }: Pick<SavedView, 'list' | 'group_id'>): void {
  const same = group_id === null ? and(eq(savedViews.user_id, actor.id), isNull(savedViews.group_id)) : eq(savedViews.group_id, group_id)
  const others = and(eq(savedViews.list, list), same)
  server.db.update(savedViews).set({ is_default: false }).where(others).run()
}

function deleteView({ server }: Context, { id, list, name }: SavedView): Done {
  server.db.delete(savedViews).where(eq(savedViews.id, id)).run()
  return { location: url(server, server.records.has(list) ? `/${list}` : '/'), message: ['View "{name}" deleted', { name }] }
}
