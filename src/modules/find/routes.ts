import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inOtherLayout } from '../../core/other-layout.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { fragment, template } from '../../http/request/template.ts'
import { originQuery } from '../../records/list/neighbors.ts'
import { findActions, findActs } from './actions.ts'
import { pageHit } from './hits.ts'
import { nameOfKeys } from './key-names.ts'
import { findCommands, findFilters, findPages } from './pages.ts'
import { findRecent, findRecords } from './records.ts'
import { findSheets } from './sheets.ts'
import { showShortcuts } from './shortcuts.ts'
import { idOf, searchSourcesOf } from './sources.ts'

interface FindPage {
  title: string
  q: string
  on: string
  groups: ReturnType<typeof search>
  /** What can be made of what was not found. */
  forms: ReturnType<typeof findActions>['hits']
  /** What was found instead, where the keyboard wrote other letters. */
  meant: string | undefined
}

const findPage = template<FindPage>('find/page.njk')

const searchButton = template<{ on: string | undefined; keys: string }>('find/button.njk')

export async function findRoutes(app: FastifyInstance): Promise<void> {
  app.registry.topbar.push(fragment(searchButton, (request) => ({ on: openRecord(request), keys: nameOfKeys(request, ['Ctrl', 'K']) })))
  app.registry.commands.push({ path: '/shortcuts', label: ['Keyboard shortcuts'], says: ['hotkeys, keys, help'] })
  app.get('/find', { access: 'signed-in' }, showFind)
  app.get('/shortcuts', { access: 'signed-in' }, showShortcuts)
}

/** The address of the page that is open, where the search takes its record on, with the list that somebody came from. */
function openRecord(request: FastifyRequest): string | undefined {
  const [address = ''] = request.url.split('?')
  const isActedOn = searchSourcesOf(request.server).some((source) => source.acts && idOf(request, source, address))
  return isActedOn ? address + originQuery(queryOf(request)) : undefined
}

function showFind(request: FastifyRequest, reply: FastifyReply) {
  const q = (queryOf(request).get('q') ?? '').trim().slice(0, 200)
  const on = queryOf(request).get('on') ?? ''
  const groups = search(request, q, on)
  const other = groups.length === 0 ? inOtherLayout(q) : q
  const found = other === q ? groups : search(request, other, on)
  return reply.page(findPage, {
    title: request.t('Search'),
    q,
    on,
    groups: found,
    forms: found.length === 0 ? findActions(request, '').hits.slice(0, 3) : [],
    meant: found === groups || found.length === 0 ? undefined : other,
  })
}

/**
 * Finds what can be done, pages and records that the user may see: what is called so before what only has the word somewhere. Each hit
 * has the words to mark in its name and details.
 *
 * @param on the address of the page behind the dialog
 */
function search(context: Context, query: string, on: string) {
  const groups = [
    findActs(context, query, on),
    ...(query === '' ? findRecent(context) : []),
    findActions(context, query),
    findPages(context, query),
    findCommands(context, query),
    { title: 'Import and export', icon: 'download', hits: findSheets(context, query).map((sheet) => pageHit(context, sheet, query)) },
    findFilters(context, query),
    ...findRecords(context, query),
  ]
  return groups.filter(({ hits }) => hits.length > 0)
}
