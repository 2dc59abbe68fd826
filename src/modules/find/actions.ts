import { allows } from '../../core/access.ts'
import { saysAll, tellingWords } from '../../core/says-all.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { parseFields } from '../../http/request/input.ts'
import { originQuery } from '../../records/list/neighbors.ts'
import type { SearchSource } from '../../records/list/search-source.ts'
import { emptyOf } from '../../records/list/view.ts'
import { hitOf, pageHit } from './hits.ts'
import { idOf, sourcesFor } from './sources.ts'

/** What a query asks to do with a record, if only with the one that is open: where it is asked about, in the dialog too. */
export function findActs(context: Context, query: string, on: string) {
  const words = tellingWords(query)
  const [open = '', from = ''] = on.split('?')
  const origin = originQuery(parseFields(from)).slice(1)
  const acts = sourcesFor(context).flatMap((source) => source.acts?.(context, query, idOf(context, source, open)) ?? [])
  const hits = acts.map(({ id, name, about, status, to, path }) => ({
    ...hitOf(context, `act-${id}`, path ?? '', name, words),
    ...(path === undefined && { href: undefined }),
    ...(origin && path && url(context.server, path).startsWith(`${open}?`) && { href: `${url(context.server, path)}&${origin}` }),
    details: [about],
    status,
    to,
    asks: true,
  }))
  return { title: 'Steps', icon: 'arrow-right', hits }
}

/** Forms for new records. */
export function findActions(context: Context, query: string) {
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
