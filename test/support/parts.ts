import type { Element } from 'domhandler'
import { elementsOf, parseHtml, textOf } from './html.ts'

export const textsIn = (html: string, selector: string) => elementsOf(html, selector).map(textOf)

export const attributesIn = (html: string, selector: string, ...names: string[]) =>
  parseHtml(html)<Element, string>(selector)
    .toArray()
    .map(({ attribs }) => names.map((name) => attribs[name]))

/** What a form sends besides what its reader types: hidden fields of it, wherever they stand. */
export const sentWith = (html: string, form: string) =>
  attributesIn(html, `#${form} input[type=hidden], input[type=hidden][form=${form}]`, 'name', 'value')
