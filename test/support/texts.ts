import type { CheerioAPI } from 'cheerio'
import type { AnyNode, Element } from 'domhandler'
import { parseHtml } from './html.ts'

/** What a program writes where it had nothing to say, or forgot to fill something in. */
const leftover = /\bundefined\b|\bnull\b|\bNaN\b|\[object \w+\]|\bInvalid Date\b|\{\w+\}|\{\{|\}\}|\{%|#(?!\w)/

export function leftoverIn(text: string): string | undefined {
  return leftover.exec(text.replace(filledInNumbers, ''))?.[0]
}

/** What patterns of numbers name is shown as it is written. */
const filledInNumbers = '{n} {yyyy} {yy} {mm} {order}'

/** What scripts fill in, what the tests mark, addresses, and names of files, which are the same in every language. */
const sameEverywhere = /%\w+%|\{\w+\}|\S*@\S+|\bzq\d+q\b|https?:\S+|\b[\w-]+_(export|import)_\d\w*/gi

/** Words of at least three Latin letters. */
export function latinWords(text: string): string[] {
  return text.replace(sameEverywhere, '').match(/[a-z][a-z_]{2,}/gi) ?? []
}

/** Attributes that are read out or shown. */
const readOut = ['aria-label', 'aria-description', 'aria-roledescription', 'title', 'placeholder', 'alt', 'data-label', 'hx-confirm']

/** Every text that a page tells: what stands on it, what is read out, and what its scripts say; not code, and what is not to be translated. */
export function textsIn(html: string): string[] {
  const texts = parseHtml(html).root().contents().toArray().flatMap(told)
  return texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean)
}

function told(node: AnyNode): string[] {
  if (node.type === 'text') return [node.data]
  if (!('children' in node)) return []
  const { name, attribs = {} } = node as Element
  if (['script', 'style', 'code'].includes(name) || attribs.translate === 'no') return []
  const attributes = Object.entries(attribs).flatMap(([key, value]) => (readOut.includes(key) || isScripted(key, value) ? [value] : []))
  return [...attributes, ...node.children.flatMap(told)]
}

/** Texts for scripts are sentences in `data-` attributes, values are not. */
function isScripted(key: string, value: string): boolean {
  return key.startsWith('data-') && /^\p{Lu}\p{L}*[ .…]/u.test(value)
}

/** A head over the boxes of rows, which has a box of its own. */
const isNamedWithin = ($: CheerioAPI, element: Element) => element.name === 'th' && $(element).find('[aria-label]').length > 0

/** What Enter in a field presses, and nobody sees. */
const isUnreachable = ({ attribs }: Element) => attribs.tabindex === '-1' || attribs['aria-hidden'] === 'true'

/** What one can use and that has no name: fields, buttons and links that say nothing, on the screen or to a screen reader. */
export function namelessIn(html: string): string[] {
  const $ = parseHtml(html)
  const labels = new Map(
    $<Element, string>('label[for]')
      .toArray()
      .map((label) => [label.attribs.for, $(label).text().replace('*', '').trim()]),
  )
  const nameOf = (element: Element) =>
    element.attribs['aria-label'] ||
    element.attribs.title ||
    (element.attribs['aria-labelledby'] &&
      $(`[id="${element.attribs['aria-labelledby'].split(' ')[0]}"]`)
        .text()
        .trim()) ||
    labels.get(element.attribs.id ?? '') ||
    (/^(a|button|summary|th|h\d|dt|option|legend|caption)$/.test(element.name)
      ? $(element).text().trim()
      : $(element).closest('label').text().trim()) ||
    $(element).find('img[alt]').attr('alt')
  const used = 'input:not([type=hidden]), select, textarea, a[href], button, summary, h1, h2, h3, dt, th, legend, caption'
  return $<Element, string>(used)
    .toArray()
    .filter((element) => !nameOf(element) && !isNamedWithin($, element) && !isUnreachable(element))
    .map(({ name, attribs }) => `<${name} ${attribs.id ?? attribs.name ?? attribs.href ?? attribs.class ?? ''}>`)
}
