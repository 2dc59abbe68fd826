import { allows, maySee } from '../../core/access.ts'
import { highlight } from '../../core/highlight.ts'
import { saysAll, tellingWords } from '../../core/says-all.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { searchSourcesOf } from '../../records/kind/registry.ts'
import { listPath } from '../../records/list/list.ts'
import { emptyOf } from '../../records/list/view.ts'

/** What a query asks to do with a record: where it is asked about, in the dialog too. */
export function findActs(context: Context, query: string) {
  const words = tellingWords(query)
  const acts = sourcesFor(context).flatMap(({ acts }) => acts?.(context, query) ?? [])
  const hits = acts.map(({ id, name, about, status, path }) => ({
    ...hitOf(context, `act-${id}`, path, name, words),
    details: [highlight(about, words)],
    status,
    asks: true,
  }))
  return { title: 'Steps', icon: 'arrow-right', hits }
}

/** Forms for new records. */
export function findActions(context: Context, query: string) {
  const { actor, t } = context
  const forms = sourcesFor(context).flatMap(({ list }) => {
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

/** Lists with a filter that is on or off. */
export function findFilters(context: Context, query: string) {
  const { actor, t } = context
  const all = query.trim() === '' ? [] : sourcesFor(context)
  const hits = all.flatMap(({ list }) => {
    const flags = (list.filters ?? []).filter((filter) => filter.input === 'flag' && maySee(actor)(filter))
    return flags
      .map(({ name, label, otherLabel = label }) => ({
        path: `${listPath(list)}?${name}=1`,
        label: `${t(list.title)}: ${t(label)}`,
        says: [list.title, label, otherLabel, t(otherLabel)],
      }))
      .filter(({ label, says }) => saysAll([label, ...says], query))
      .map((page) => pageHit(context, page, query))
  })
  return { title: 'Lists', icon: 'filter', hits }
}

export function findPages(context: Context, query: string) {
  const { server, actor, t } = context
  const pages = server.registry.menu.filter(({ rule, label }) => (!rule || allows(rule, actor)) && saysAll([label, t(label)], query))
  const hits = pages.map((page) => ({ ...pageHit(context, page, query), keys: keysOf(actor, page.letter) }))
  return { title: 'Pages', icon: 'arrow-right', hits }
}

const keysOf = ({ key_shortcuts }: Context['actor'], letter: string | undefined) =>
  letter && key_shortcuts ? ['G', letter.toUpperCase()] : []

const sourcesFor = ({ server, actor }: Context) => searchSourcesOf(server).filter(({ list }) => allows(list.may.list, actor))

function pageHit(context: Context, { path, label }: { path: string; label: string }, query: string) {
  return hitOf(context, `page-${path}`, path, context.t(label), tellingWords(query))
}

function hitOf({ server }: Context, hook: string, path: string, name: string, words: string[]) {
  return { hook, href: url(server, path), name: highlight(name, words), details: [] as string[][], status: undefined, asks: false }
}
