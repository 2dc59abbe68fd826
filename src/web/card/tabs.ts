import type { FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { queryOf } from '../list/state.ts'
import { decide } from '../policy.ts'

/** A tab of a card beside its data: absent for those who may not open it, and 403 by its address. */
export interface Tab<R> {
  name: string
  label: string
  rule: Rule<R>
  template: string
  /** What the template draws. */
  load: (request: FastifyRequest, record: R) => Record<string, unknown>
}

/**
 * The tab that the address names; none for the data.
 * @throws Forbidden when the person may not open it
 */
export function openTab<R>(request: FastifyRequest, tabs: readonly Tab<R>[], record: R): Tab<R> | undefined {
  const name = queryOf(request).get('tab')
  const tab = tabs.find((one) => one.name === name)
  if (tab) decide(tab.rule, request.actor, record)
  return tab
}

/** The tabs this person may open, as links; none when the data is all there is. */
export function tabLinks<R>(request: FastifyRequest, tabs: readonly Tab<R>[], record: R, open: Tab<R> | undefined) {
  const shown = tabs.filter((tab) => allows(tab.rule, request.actor, record))
  if (shown.length === 0) return []
  return [{ name: 'data', label: 'Data' }, ...shown].map(({ name, label }) => ({
    label: request.t(label),
    href: addressOf(request, name),
    current: name === (open?.name ?? 'data'),
  }))
}

function addressOf(request: FastifyRequest, tab: string): string {
  const back = queryOf(request).get('back')
  const query = new URLSearchParams({ ...(tab !== 'data' && { tab }), ...(back && { back }) })
  return `${request.url.split('?')[0]}${query.size > 0 ? `?${query}` : ''}`
}
