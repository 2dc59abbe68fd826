import type { CheerioAPI } from 'cheerio'
import type { Element } from 'domhandler'
import { encode, type Fields } from './cabinet.ts'
import { parseHtml } from './html.ts'

export interface Offer {
  method: 'GET' | 'POST'
  address: string
  body: string
  /** What the page calls it. */
  label: string
}

const methods = new Map<string, Offer['method']>([
  ...['href', 'src', 'hx-get', 'data-panel', 'data-count', 'data-people', 'data-picture'].map((name) => [name, 'GET'] as const),
  ...['hx-post', 'data-read-by'].map((name) => [name, 'POST'] as const),
])
const linked = [...methods].map(([name, method]) => (method === 'GET' ? `[${name}]` : `[${name}]:not(form)`)).join()

/** Of what a page lets its reader open or send, links, pictures, fragments, forms with each of their buttons, what is wanted. */
export function offersOf(html: string, address: string, isWanted: (offer: Offer) => boolean): Offer[] {
  const $ = parseHtml(html)
  const here = new URL(address, 'http://localhost')
  const local = (value: string | undefined) => {
    const { origin, pathname, search } = new URL(value || here.href, here)
    return origin === here.origin ? pathname + search : undefined
  }
  const links = $<Element, string>(linked)
    .toArray()
    .filter((element) => !isDisabled($, element) && isTriggered($, element))
    .flatMap((element) => linksOf(element).map(([method, target]) => ({ method, address: local(target), body: '', element })))
  const forms = $<Element, string>('form')
    .toArray()
    .flatMap((form) => sendingsOf($, form).map(({ address, ...sending }) => ({ ...sending, address: local(address) })))
  return [...links, ...forms].flatMap(({ element, address, ...more }) => {
    const offer = address !== undefined && { ...more, address, label: '' }
    return offer && isWanted(offer) ? [{ ...offer, label: labelOf($, element) }] : []
  })
}

function linksOf({ name: kind, attribs }: Element): [Offer['method'], string][] {
  return Object.entries(attribs).flatMap(([name, target]): [Offer['method'], string][] => {
    const method = methods.get(name)
    return !method || target.startsWith('#') || (method === 'POST' && kind === 'form') ? [] : [[method, target]]
  })
}

function sendingsOf($: CheerioAPI, form: Element) {
  const { id, action, method } = form.attribs
  const owned = id ? $<Element, string>(`[form="${id}"]`).toArray() : []
  const inside = $(form)
    .find('input, select, textarea, button')
    .toArray()
    .filter(({ attribs }) => attribs.form === undefined)
  const controls = [...inside, ...owned].filter((control) => !isDisabled($, control))
  const buttons = controls.filter(({ name, attribs }) => name === 'button' && (attribs.type ?? 'submit') === 'submit')
  const fields = controls.flatMap((control) => valuesOf($, control))
  return buttons.map((button) => {
    const { name, value = '', formaction, formmethod } = button.attribs
    const target = formaction ?? action
    // Of all rows that are ticked, those are deleted that offer it.
    const deleted = (id: string) => $(`a[href*="/delete?id=${id}&"], a[href$="/delete?id=${id}"]`).length > 0
    const chosen = target?.endsWith('/delete') ? fields.filter(([field, id]) => field !== 'id' || deleted(id)) : fields
    const sent = encode(gather(name ? [...chosen, [name, value]] : chosen))
    if ((formmethod ?? method ?? 'get') === 'post') return { method: 'POST' as const, address: target, body: sent, element: button }
    return { method: 'GET' as const, address: `${target?.split('?')[0] ?? ''}?${sent}`, body: '', element: button }
  })
}

function gather(pairs: [string, string][]): Fields {
  const fields: Record<string, string[]> = {}
  for (const [name, value] of pairs) fields[name] = [...(fields[name] ?? []), value]
  return fields
}

/** What a browser sends of a control, every box of a list ticked. */
function valuesOf($: CheerioAPI, { name: kind, attribs, ...control }: Element): [string, string][] {
  const { name, value = '', type } = attribs
  if (!name || kind === 'button' || type === 'file') return []
  if ((type === 'checkbox' || type === 'radio') && !('checked' in attribs) && name !== 'id') return []
  if (kind === 'textarea') return [[name, $({ name: kind, attribs, ...control } as Element).text()]]
  if (kind !== 'select') return [[name, value]]
  const options = $({ name: kind, attribs, ...control } as Element)
    .find('option')
    .toArray()
  const chosen = options.filter((option) => 'selected' in option.attribs)
  const sent = chosen.length > 0 || 'multiple' in attribs ? chosen : options.slice(0, 1)
  return sent.map((option) => [name, option.attribs.value ?? $(option).text()])
}

function isDisabled($: CheerioAPI, element: Element): boolean {
  return 'disabled' in element.attribs || $(element).closest('fieldset[disabled]').length > 0
}

/** What waits for a field that cannot be changed never asks. */
function isTriggered($: CheerioAPI, { attribs }: Element): boolean {
  const [, source] = /\bfrom:(#[\w-]+)/.exec(attribs['hx-trigger'] ?? '') ?? []
  return source === undefined || $(source).is('input, select, textarea')
}

function labelOf($: CheerioAPI, element: Element): string {
  return (element.attribs['aria-label'] ?? $(element).text()).trim().replace(/\s+/g, ' ').slice(0, 60)
}

/** Whether it only narrows, sorts, exports or deletes from a list that is narrowed already. */
export function isRefinement({ address }: Offer, from: string): boolean {
  const [here, there] = [new URL(from, 'http://localhost'), new URL(address, 'http://localhost')]
  const isNarrowed = [...here.searchParams.keys()].some((name) => !opening.has(name))
  return isNarrowed && [here.pathname, `${here.pathname}/export`, `${here.pathname}/delete`].includes(there.pathname)
}

const opening = new Set(['tab', 'id', 'transition_id', 'edit', 'back'])

/** Of addresses that differ only in how a list is sorted or where one came from, one is enough. */
export function shapeOf({ method, address, body }: Offer): string {
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  const parts = (query: URLSearchParams) =>
    [
      ...new Set([...query].flatMap(([name, value]) => (passing.has(name) || !value ? [] : telling.has(name) ? `${name}=${value}` : name))),
    ].sort()
  return `${method} ${pathname}?${parts(searchParams)} ${parts(new URLSearchParams(body))}`
}

const passing = new Set(['back', 'next', 'once', 'seen', 'version', 'referer'])
const telling = new Set(['tab', 'id', 'transition_id', 'edit', 'value', 'decision', 'role', 'format', 'step', 'set', 'policy', 'category'])
