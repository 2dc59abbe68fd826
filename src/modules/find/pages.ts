import type { FastifyInstance } from 'fastify'
import { allows, maySee } from '../../core/access.ts'
import { saysAll, tellingWords } from '../../core/says-all.ts'
import type { Context } from '../../http/request/context.ts'
import { listPath } from '../../records/list/list.ts'
import type { Command, MenuItem } from '../../view/shell.ts'
import { hitOf, inBothLanguages, pageHit } from './hits.ts'
import { rankOf } from './rank.ts'
import { sourcesFor } from './sources.ts'

export function findPages(context: Context, query: string) {
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

const keysOf = ({ key_shortcuts }: Context['actor'], letter: string | undefined) =>
  letter && key_shortcuts ? ['G', letter.toUpperCase()] : []

/** Parts of pages, and what is done at once. */
export function findCommands(context: Context, query: string) {
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

/** Lists with a filter that is on or off. */
export function findFilters(context: Context, query: string) {
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
