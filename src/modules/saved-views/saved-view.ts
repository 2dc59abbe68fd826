import { asc, eq, or, sql } from 'drizzle-orm'
import { allows, group } from '../../core/access.ts'
import { cachedUntilWrite, prepareOnce, savedViews } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { countOf } from '../../records/list/count.ts'
import type { AnyList } from '../../records/list/list.ts'
import { readState, stateQuery } from '../../records/list/state.ts'
import type { SavedViews } from '../../view/shell.ts'

export type SavedView = Pick<typeof savedViews.$inferSelect, 'id' | 'user_id' | 'group_id' | 'list' | 'name' | 'query' | 'is_default'>

/** Views that everybody of a group has from the start: what waits for them. */
const builtIn: readonly SavedView[] = [
  { group_id: group.administrator, query: 'waiting=1' },
  { group_id: group.dealer, query: 'waiting=1' },
  { group_id: group.manager, query: 'waiting=1' },
  { group_id: group.production, query: 'waiting=1&sort=date_make&dir=asc&cols=date_make,since' },
].map((view) => ({ ...view, id: 0, user_id: 0, list: 'orders', name: 'Waiting for you', is_default: false }))

/** In the menu: counting them must stay cheap. */
const countLimit = 1000

const viewsByUser = prepareOnce((db, params) => {
  const visible = or(eq(savedViews.user_id, params.user), eq(savedViews.group_id, sql.placeholder('group')))
  return db.select().from(savedViews).where(visible).orderBy(asc(savedViews.name), asc(savedViews.id)).prepare()
})

/** The user's own views and those shared with their group, of lists that they may see. */
function viewsOf({ server, actor }: Context): SavedView[] {
  const saved = cachedUntilWrite(server.db, `views of ${actor.id}`, () =>
    viewsByUser(server.db).all({ user: actor.id, group: actor.group_id }),
  )
  const own = builtIn.filter(({ group_id }) => group_id === actor.group_id)
  return [...own, ...saved].filter(({ list }) => {
    const found = server.records.get(list)?.list
    return found !== undefined && allows(found.may.list, actor)
  })
}

/**
 * Menu items of a list's views with their row counts, and the default view's address.
 * @param open the address of the page that is shown
 */
function menuViews(context: Context, open: string) {
  const { actor, t } = context
  const views = viewsOf(context)
  return (path: string) => {
    const here = views.filter(({ list }) => `/${list}` === path)
    const defaults = here.filter(({ is_default }) => is_default)
    // What somebody shared with another group is no default of their own.
    const preferred = defaults.find(({ group_id }) => group_id === null) ?? defaults.findLast(({ group_id }) => group_id === actor.group_id)
    return {
      address: preferred && viewAddress(context, preferred),
      views: here.flatMap((view) => {
        const count = countRows(context, view)
        const href = viewAddress(context, view)
        const [current, isBuiltIn] = [open === href, view.id === 0]
        // Where nothing waits there is nothing to open.
        if (isBuiltIn && count === 0 && !current) return []
        return [{ name: isBuiltIn ? t(view.name) : view.name, href, current, count: formatCapped(count), waits: isBuiltIn && count > 0 }]
      }),
    }
  }
}

function countRows({ server, actor }: Context, { list, query }: SavedView): number {
  return countOf(server.db, server.records.get(list)?.list as AnyList, actor, query, countLimit)
}

const formatCapped = (count: number) => (count > countLimit ? `${countLimit}+` : String(count))

/** The saved view that a list in this state shows, if the user may delete it. */
function findSavedView(context: Context, list: string, query: string): { id: number; name: string } | undefined {
  if (query === '') return undefined
  const mine = viewsOf(context).filter(({ id, user_id }) => id > 0 && (user_id === context.actor.id || context.actor.superadmin))
  return mine.find((view) => view.list === list && viewAddress(context, view).endsWith(`/${list}${query}`))
}

/** The address of a view, without filters and columns that no longer exist. */
export function viewAddress({ server: app, actor }: Context, { list: name, query }: Pick<SavedView, 'list' | 'query'>): string {
  const list = app.records.get(name)?.list as AnyList
  return url(app, `/${name}`) + stateQuery(list, readState(list, new URLSearchParams(query), actor))
}

export const viewsOfLists: SavedViews = { menuViews, findSavedView }
