import nunjucks from 'nunjucks'
import { highlight } from '../core/highlight.ts'

export type Markup = ReturnType<typeof markup>

/** Marks HTML as safe, so that templates do not escape it. */
export function markup(text: string) {
  return new nunjucks.runtime.SafeString(text)
}

/** HTML with values, which are escaped unless they are HTML; what is missing leaves nothing. */
export function html(texts: TemplateStringsArray, ...values: unknown[]): Markup {
  let whole = texts[0] as string
  for (let at = 0; at < values.length; at++) whole += escaped(values[at]) + texts[at + 1]
  return markup(whole)
}

function escaped(value: unknown): string {
  if (isMissing(value)) return ''
  const text = String(value)
  return value instanceof nunjucks.runtime.SafeString ? text : text.replace(/[&<>"']/g, (character) => escapes[character] as string)
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** An attribute with its value, or nothing without one: `{{ attr('aria-current', 'page' if tab.current) }}`. */
export const attr = (name: string, value: unknown): Markup | '' => (isMissing(value) ? '' : markup(` ${name}="${escaped(value)}"`))

/** A text with the words marked that a search found in it. */
export function marked(text: unknown, words: readonly string[] = []): unknown {
  if (words.length === 0 || isMissing(text)) return text
  const pieces = highlight(String(text), words).map(escaped)
  return markup(pieces.map((piece, index) => (index % 2 ? `<mark>${piece}</mark>` : piece)).join(''))
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
