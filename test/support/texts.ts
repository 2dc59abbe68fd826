import type { AnyNode, Element } from 'domhandler'
import { parseHtml } from './html.ts'

/** What a program writes where it had nothing to say, or forgot to fill something in. */
const leftover = /\bundefined\b|\bnull\b|\bNaN\b|\[object \w+\]|\bInvalid Date\b|\{\w+\}|\{\{|\}\}|\{%|#(?!\w)/

export function leftoverIn(text: string): string | undefined {
  return leftover.exec(text)?.[0]
}

/** What scripts fill in, what the tests mark, addresses, and names of files, which are the same in every language. */
const sameEverywhere = /%\w+%|\S*@\S+|\bzq\d+q\b|https?:\S+|\b[\w-]+_(export|import)_\d\w*/gi

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
