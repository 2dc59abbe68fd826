import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, authorizer, maySee } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { isMarked } from '../../core/highlight.ts'
import { saysAll, tellingWords } from '../../core/says-all.ts'
import { fold, searchWords } from '../../core/text.ts'
import { selectRows } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { fragment, template } from '../../http/request/template.ts'
import type { Translate } from '../../i18n/translate.ts'
import { conditionOf, whereClause } from '../../records/list/conditions.ts'
import { joinById } from '../../records/list/ids.ts'
import { listPath } from '../../records/list/list.ts'
import type { SearchSource } from '../../records/list/search-source.ts'
import { emptyOf, pagesPath, readingQueryOf } from '../../records/list/view.ts'
import type { Command, MenuItem } from '../../view/shell.ts'
import { newestMatches } from './newest-matches.ts'
import { findSheets } from './sheets.ts'
import { showShortcuts } from './shortcuts.ts'

const findPage = template<{ title: string; q: string; on: string; groups: ReturnType<typeof search> }>('find/page.njk')

const searchButton = template<{ on: string | undefined }>('find/button.njk')

export async function findRoutes(app: FastifyInstance): Promise<void> {
  app.registry.topbar.push(fragment(searchButton, (request) => ({ on: openRecord(request) })))
  app.registry.commands.push({ path: '/shortcuts', label: ['Keyboard shortcuts'], says: ['hotkeys, keys, help'] })
  app.get('/find', { access: 'signed-in' }, showFind)
  app.get('/shortcuts', { access: 'signed-in' }, showShortcuts)
}

/** The address of the page that is open, where the search takes its record on. */
function openRecord(request: FastifyRequest): string | undefined {
  const [address = ''] = request.url.split('?')
  return searchSourcesOf(request.server).some((source) => source.acts && idOf(request, source, address)) ? address : undefined
}

/** The record of a list whose page has this address. */
function idOf(context: Context, { list }: SearchSource, address: string): number | undefined {
  const page = pagesPath(context, list)
  const id = address.startsWith(page) ? address.slice(page.length) : ''
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined
}

function showFind(request: FastifyRequest, reply: FastifyReply) {
  const q = (queryOf(request).get('q') ?? '').trim().slice(0, 200)
  const on = queryOf(request).get('on') ?? ''
  return reply.page(findPage, { title: request.t('Search'), q, on, groups: search(request, q, on) })
}

/** How many matches are ranked, and how many of the best are shown. */
const [candidateLimit, shownLimit] = [40, 5]

/**
 * Finds what can be done, pages and records that the user may see: what is called so before what only has the word somewhere. Each hit
 * has the words to mark in its name and details.
 *
 * @param on the address of the page behind the dialog
 */
function search(context: Context, query: string, on: string) {
  const words = searchWords(query)
  const lists = words.length === 0 ? [] : searchSourcesOf(context.server).flatMap((source) => searchList(context, source, query, words))
  const called = lists.toSorted((a, b) => a.rank - b.rank)
  const groups = [
    findActs(context, query, on),
    findActions(context, query),
    findPages(context, query),
    findCommands(context, query),
    { title: 'Import and export', icon: 'download', hits: findSheets(context, query).map((sheet) => pageHit(context, sheet, query)) },
    findFilters(context, query),
    ...called,
  ]
  return groups.filter(({ hits }) => hits.length > 0)
}

function searchList(context: Context, source: SearchSource, query: string, words: string[]) {
  const { server, actor } = context
  const { list } = source
  if (!allows(list.may.list, actor)) return []
  const exact = exactIds(context, source, query)
  const ids = [...new Set([...exact, ...newestMatches(server.db, list, actor, query, candidateLimit)])]
  if (ids.length === 0) return []
  const best = textsOf(context, source, ids)
    .map((row) => ({ ...row, rank: exact.includes(row.id) ? 0 : rankOf(row.texts[0] as string, query, words) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, shownLimit)
  const rows = rowsOf(context, source, best)
  const page = pagesPath(context, list)
  const reading = readingQueryOf(context, list)
  const hits = best.map(({ id, texts }) => ({
    hook: `${list.name}-${id}`,
    href: rows.get(id)?.mayView ? page + id + reading : undefined,
    status: rows.get(id)?.status,
    ...present(texts, words, source.telling),
  }))
  const more = ids.length > hits.length ? `${url(server, `/${list.name}`)}?${new URLSearchParams({ q: query })}` : undefined
  return [{ title: list.title, icon: source.icon, hits, more, rank: best[0]?.rank ?? 0 }]
}

function exactIds({ server, actor }: Context, { list, exact }: SearchSource, query: string): number[] {
  const condition = exact?.(query.trim())
  if (!condition) return []
  const ids = sql`select ${list.table.id} from ${list.table} where ${condition} limit -1`
  const where = whereClause(conditionOf(list, actor))
  return selectRows<[number]>(server.db, sql`select ${list.table.id} from ${joinById(list, ids)} ${where} limit ${shownLimit}`).map(
    ([id]) => id,
  )
}

function textsOf({ server, language }: Context, { list, texts }: SearchSource, ids: number[]): { id: number; texts: (string | null)[] }[] {
  const rows = selectRows<[number, ...(string | null)[]]>(server.db, texts(sql`(select value from json_each(${JSON.stringify(ids)}))`))
  const byId = new Map(rows.map(([id, name, ...texts]) => [id, [recordLabelFor(language, list.name, name ?? ''), ...texts]]))
  return ids.flatMap((id) => ({ id, texts: byId.get(id) ?? [] })).filter(({ texts }) => texts.length > 0)
}

/** Rows as the list has them. Users may see some whose cards they may not open. */
function rowsOf(context: Context, { list }: SearchSource, found: { id: number }[]) {
  const mayView = list.may.view ? authorizer(list.may.view, context.actor) : () => true
  const ids = found.map(({ id }) => id)
  return new Map(list.rows.load(ids, context).map((row) => [row.id as number, { mayView: mayView(row), status: row.status }]))
}

/** Lower is better: the whole name, its beginning, the beginning of a word, any part of it, another text. */
function rankOf(name: string, query: string, words: string[]): number {
  const [text, whole, first] = [fold(name), fold(query.trim()), words[0] as string]
  if (text === whole) return 0
  if (text.startsWith(whole)) return 1
  if (text.split(/[\s«"(]+/).some((word) => word.startsWith(first))) return 2
  return text.includes(first) ? 3 : 4
}

/** The first details identify the record; others are shown only where they match. */
function present([name, ...details]: (string | null)[], words: string[], telling = 1) {
  const texts = details.filter((text) => text !== null && text !== '') as string[]
  return { name: name ?? '', details: texts.filter((text, index) => index < telling || isMarked(text, words)), words }
}

/** What a query asks to do with a record, if only with the one that is open: where it is asked about, in the dialog too. */
function findActs(context: Context, query: string, on: string) {
  const words = tellingWords(query)
  const acts = sourcesFor(context).flatMap((source) => source.acts?.(context, query, idOf(context, source, on)) ?? [])
  const hits = acts.map(({ id, name, about, status, path }) => ({
    ...hitOf(context, `act-${id}`, path, name, words),
    details: [about],
    status,
    asks: true,
  }))
  return { title: 'Steps', icon: 'arrow-right', hits }
}

/** Forms for new records. */
function findActions(context: Context, query: string) {
  const { actor, t } = context
  const forms = workFirst(sourcesFor(context)).flatMap(({ list }) => {
    const { title, add, may } = list
    if (!add || !may.add || !allows(may.add, actor)) return []
    const isMeant = saysAll([add.label, t(add.label), title, t(title), t('new, add, create')], query)
    if (!isMeant) return []
    // What comes before the first record, such as the dealer before the first order.
    const first = emptyOf(context, list)?.add ?? { ...add, rule: may.add }
    return allows(first.rule, actor) ? first : []
  })
  const distinct = [...new Map(forms.map((form) => [form.path, form])).values()]
  const hits = distinct.map((form) => ({ ...pageHit(context, form, query), creates: actor.key_shortcuts }))
  return { title: 'Actions', icon: 'plus', hits }
}

/** What goes on in steps is what is added most. */
const workFirst = (sources: SearchSource[]) => sources.toSorted((a, b) => Number(Boolean(b.acts)) - Number(Boolean(a.acts)))

/** Lists with a filter that is on or off. */
function findFilters(context: Context, query: string) {
  const { actor, t } = context
  const all = query.trim() === '' ? [] : sourcesFor(context)
  const hits = all.flatMap(({ list }) => {
    const flags = (list.filters ?? []).filter((filter) => filter.input === 'flag' && maySee(actor)(filter))
    return flags
      .map(({ name, label, says = [], listTitle = label }) => ({
        path: `${listPath(list)}?${name}=1`,
        label: listTitle,
        says: inBothLanguages([listTitle, list.title, label, ...says], t),
      }))
      .filter(({ says }) => saysAll(says, query))
      .map((page) => pageHit(context, page, query))
  })
  return { title: 'Lists', icon: 'filter', hits }
}

function findPages(context: Context, query: string) {
  const { server, actor, t } = context
  const beside = commandsFor(query, server).filter(isPage)
  const all: Omit<MenuItem, 'icon'>[] = [...server.registry.menu, ...beside.map((command) => ({ ...command, label: command.label[0] }))]
  const pages = all.filter(
    ({ rule, label, section = '', says = [] }) =>
      (!rule || allows(rule, actor)) && saysAll(inBothLanguages([label, section, ...says], t), query),
  )
  const hits = pages.map((page) => ({ ...pageHit(context, page, query), keys: keysOf(actor, page.letter) }))
  return { title: 'Pages', icon: 'arrow-right', hits }
}

/** Parts of pages, and what is done at once. */
function findCommands(context: Context, query: string) {
  const { server, actor, t } = context
  const commands = commandsFor(query, server).filter((command) => !isPage(command))
  const words = tellingWords(query)
  const found = commands.flatMap(({ path, label, says = [], rule, sends }) => {
    if ((rule && !allows(rule, actor)) || !saysAll(inBothLanguages([...label, ...says], t), query)) return []
    const hook = ['command', path, ...Object.values(sends ?? {})].join('-')
    const name = label.map((text) => t(text)).join(': ')
    return { ...hitOf(context, hook, path, name, words), sends, rank: rankOf(name, query, words) }
  })
  return { title: 'Settings', icon: 'settings', hits: found.sort((a, b) => a.rank - b.rank) }
}

/** What is no page of the menu is offered only when asked for. */
const commandsFor = (query: string, { registry }: FastifyInstance) =>
  query.trim() === '' ? [] : registry.commands.filter(({ imports }) => !imports)

const isPage = ({ label, sends }: Command) => label.length === 1 && !sends

const inBothLanguages = (texts: readonly string[], t: Translate) => texts.flatMap((text) => [text, t(text)])

const keysOf = ({ key_shortcuts }: Context['actor'], letter: string | undefined) =>
  letter && key_shortcuts ? ['G', letter.toUpperCase()] : []

const sourcesFor = ({ server, actor }: Context) => searchSourcesOf(server).filter(({ list }) => allows(list.may.list, actor))

function pageHit(context: Context, { path, label }: { path: string; label: string }, query: string) {
  return hitOf(context, `page-${path}`, path, context.t(label), tellingWords(query))
}

function hitOf({ server }: Context, hook: string, path: string, name: string, words: string[]) {
  return { hook, href: url(server, path), name, words, details: [] as string[], status: undefined, asks: false }
}

function searchSourcesOf({ records }: Pick<FastifyInstance, 'records'>): SearchSource[] {
  return [...records.values()].flatMap(({ search }) => search ?? [])
}
