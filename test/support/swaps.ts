import type { CheerioAPI } from 'cheerio'
import { type Element, isTag } from 'domhandler'
import type { Browser, Cabinet } from './cabinet.ts'
import { htmx } from './cabinet.ts'
import { ask } from './every-route.ts'
import { parseHtml } from './html.ts'

/** What an element asks for with scripts, and where the answer goes. */
export interface Exchange {
  method: 'GET' | 'POST'
  address: string
  body: string
  target: string
  swap: string
  select: string | undefined
  /** The row or cell that is replaced. */
  place: string
  label: string
}

/** Its own, or what an element around it says for everything within. */
function inherited($: CheerioAPI, element: Element, name: string): string | undefined {
  const around = $(element).closest(`[${name}\\:inherited]`)
  return element.attribs[name] ?? around.attr(`${name}:inherited`)
}

function placeOf($: CheerioAPI, element: Element, target: string): string {
  if (!target.startsWith('closest ')) return target
  const place = $(element).closest(target.slice(8))
  return `${place.prop('tagName')?.toLowerCase()} ${place.attr('id') ?? place.attr('data-col') ?? ''}`
}

/** What is sent with its first button that is not disabled. */
function fieldsOf($: CheerioAPI, form: Element): string {
  const buttons = [
    ...$(form).find('button[name]:not([disabled])').toArray(),
    ...$(`button[form="${form.attribs.id}"]`).toArray(),
  ] as Element[]
  const fields = [...($(form).find('input[type=hidden], textarea').toArray() as Element[]), ...buttons.slice(0, 1)]
  return new URLSearchParams(fields.map(({ attribs }): [string, string] => [attribs.name ?? '', attribs.value ?? ''])).toString()
}

/** Whatever scripts exchange with the service on this page: elements that ask, and links in what is boosted. */
export function exchangesOf(html: string): Exchange[] {
  const $ = parseHtml(html)
  const boosted = $<Element, string>('[hx-boost\\:inherited] a[href], a[hx-boost], form[hx-boost]').toArray()
  const asking = $<Element, string>('[hx-get], [hx-post]').toArray()
  const of = (element: Element): Exchange => {
    const { attribs } = element
    const target = inherited($, element, 'hx-target') ?? 'this'
    const posted = attribs['hx-post'] ?? (attribs['hx-boost'] && attribs.action)
    const asked = posted ?? attribs['hx-get'] ?? attribs.href ?? ''
    const sent = element.name === 'form' ? fieldsOf($, element) : ''
    return {
      method: posted ? 'POST' : 'GET',
      address: sent && !posted ? `${asked}?${sent}` : asked,
      body: sent,
      target,
      swap: inherited($, element, 'hx-swap') ?? 'innerHTML',
      select: inherited($, element, 'hx-select'),
      place: placeOf($, element, target === 'this' ? `#${attribs.id}` : target),
      label: `<${element.name} ${attribs.id ?? attribs.class ?? ''}>`,
    }
  }
  return [...asking, ...boosted].map(of).filter(({ address }) => address.startsWith('/'))
}

/** What is wrong with how the answer to an exchange fits where it goes. */
export async function misfitOf(cabinet: Cabinet, browser: Browser, exchange: Exchange): Promise<string | undefined> {
  const { method, address, body, swap, select, place } = exchange
  const { statusCode, headers, body: html } = await ask(cabinet, browser, { method } as never, address, htmx, undefined, body)
  if (statusCode !== 200 || headers['hx-redirect'] || !String(headers['content-type']).startsWith('text/html')) return undefined
  const $ = parseHtml(html)
  const roots = (select ? $(select) : $.root().children()).toArray().filter(isTag) as Element[]
  const put = roots.filter(({ name, attribs }) => !('hx-swap-oob' in attribs) && name !== 'script')
  const isPlace = ({ name, attribs }: Element) =>
    place === `#${attribs.id}` || place === `${name} ${attribs.id ?? attribs['data-col'] ?? ''}`
  if (swap === 'none') return put.length > 0 && !put.every(({ attribs }) => attribs.id) ? 'goes nowhere' : undefined
  if (html.includes('<html')) return 'is a whole page'
  if (swap.startsWith('outer'))
    return put.length === 1 && put.every(isPlace) ? undefined : `replaces ${place} with ${put.map(shown).join() || 'nothing'}`
  if (place === '#dialog') return $('#dialog-title').length === 1 ? undefined : 'is no dialog'
  return put.length > 0 && !put.some(isPlace) ? undefined : `puts ${put.map(shown).join() || 'nothing'} into ${place}`
}

const shown = ({ name, attribs }: Element) => `<${name} id="${attribs.id ?? ''}">`
