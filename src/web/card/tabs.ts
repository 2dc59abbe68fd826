import type { FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { authorize } from '../access/policy-hook.ts'
import { type Part, queryOf } from '../http.ts'

/** A tab of a card: hidden from people its rule denies, and 403 by address. Without a template it shows the form groups that name it. */
export interface Tab<R> extends Partial<Part<[FastifyRequest, R]>> {
  name: string
  label: string
  rule: Rule<R>
}

export function openTab<R>(request: FastifyRequest, tabs: readonly Tab<R>[], record: R, name: string | undefined): Tab<R> | undefined {
  const tab = tabs.find((one) => one.name === name)
  if (tab) authorize(tab.rule, request.actor, record)
  return tab
}

export function tabLinks<R>(request: FastifyRequest, tabs: readonly Tab<R>[], record: R, open: Tab<R> | undefined) {
  const visible = tabs.filter((tab) => allows(tab.rule, request.actor, record))
  if (visible.length === 0) return []
  return [{ name: 'data', label: 'Data' }, ...visible].map(({ name, label }) => ({
    name,
    label: request.t(label),
    href: `${cardAddress(request)}${tabQuery(request, name)}`,
    current: name === (open?.name ?? 'data'),
  }))
}

export function cardAddress({ url }: FastifyRequest): string {
  const [path = ''] = url.split('?')
  return /^.*\/edit\/[^/]+/.exec(path)?.[0] ?? path
}

export function tabQuery(request: FastifyRequest, tab: string | null): string {
  const back = queryOf(request).get('back')
  const query = new URLSearchParams({ ...(tab && tab !== 'data' && { tab }), ...(back && { back }) })
  return query.size > 0 ? `?${query}` : ''
}
