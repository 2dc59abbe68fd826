import { type CheerioAPI, load } from 'cheerio'
import type { AnyNode, Element } from 'domhandler'
import type { Answer } from './cabinet.ts'

type Attributes = Record<string, string>

export interface Row {
  id: number
  cells: Record<string, string>
  html: string
}

export interface Control {
  name: string
  id: string
  type: string
  value: string
  disabled: boolean
  required: boolean
  invalid: boolean
  describedBy: string[]
  options: { value: string; text: string; selected: boolean }[]
}

const parsed = new Map<string, CheerioAPI>()

/** The last few are kept, because tests query a page several times, and its elements in between. */
export function parseHtml(html: string): CheerioAPI {
  const query = parsed.get(html) ?? load(html, { xml: { xmlMode: false, withStartIndices: true, withEndIndices: true } }, false)
  parsed.delete(html)
  parsed.set(html, query)
  if (parsed.size > 10) parsed.delete(parsed.keys().next().value as string)
  return query
}

export function textOf(html: string): string {
  return textOfNodes(parseHtml(html).root().contents().toArray())
}

/** Keeps the texts of neighboring elements apart, as on the screen, but not what is marked within a word. */
function textOfNodes(nodes: AnyNode[]): string {
  return nodes
    .flatMap(textsIn)
    .join(' ')
    .replace(/ ?(<mark>|<\/mark>) ?/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function textsIn(node: AnyNode): string[] {
  if (node.type === 'text') return [node.data]
  const texts = 'children' in node ? node.children.flatMap(textsIn) : []
  return 'name' in node && node.name === 'mark' ? ['<mark>', ...texts, '</mark>'] : texts
}

export function attributesOf(html: string): Attributes {
  return parseHtml(html)('*').first().attr() ?? {}
}

export function elementById({ body }: Answer, id: string): string | undefined {
  const [element] = parseHtml(body)(`[id="${id}"]`)
  return element && sourceOf(body, element)
}

/** The source of every element that a CSS selector finds. */
export function elementsOf(html: string, selector: string): string[] {
  return parseHtml(html)(selector)
    .toArray()
    .map((element) => sourceOf(html, element as Element))
}

function sourceOf(html: string, { startIndex, endIndex }: Element): string {
  return html.slice(startIndex ?? 0, (endIndex ?? html.length) + 1)
}

export function rowsOf({ body }: Answer, list: string): Row[] {
  const $ = parseHtml(body)
  const rows = $(`tr[id^="${list}-"]`).toArray()
  return rows.flatMap((row) => {
    const id = new RegExp(`^${list}-(\\d+)$`).exec(row.attribs.id ?? '')?.[1]
    return id ? [{ id: Number(id), cells: cellsIn($(row).find('td[data-col]').toArray()), html: sourceOf(body, row) }] : []
  })
}

export function cellsOf(html: string): Record<string, string> {
  return cellsIn(parseHtml(html)('td[data-col]').toArray())
}

function cellsIn(cells: Element[]): Record<string, string> {
  return Object.fromEntries(cells.map((cell) => [cell.attribs['data-col'], textOfNodes(cell.children)]))
}

/** Without parsing, because some pages have thousands of rows. */
export function idsOf({ body }: Answer, list: string): number[] {
  return [...body.matchAll(new RegExp(`<tr id="${list}-(\\d+)"`, 'g'))].map(([, id]) => Number(id))
}

export function columnsOf({ body }: Answer): string[] {
  return tagsOf(body, 'th').flatMap((attributes) => attributes['data-col'] ?? [])
}

export function totalOf({ body }: Pick<Answer, 'body'>, list: string): number | undefined {
  const start = body.search(new RegExp(`<section\\s+id="${list}-table"`))
  const total = start < 0 ? undefined : parseHtml(body.slice(start, start + 2000))('section').attr('data-total')
  return total === undefined ? undefined : Number(total)
}

export function switchOf(html: string): { checked: boolean; disabled: boolean } | undefined {
  const button = tagsOf(html, 'button').find(({ role }) => role === 'switch')
  return button && { checked: button['aria-checked'] === 'true', disabled: 'disabled' in button }
}

export function controlsOf(html: string): Control[] {
  const $ = parseHtml(html)
  const elements = $('input, select, textarea, button').toArray()
  return elements.filter(({ attribs }) => attribs.name).map((element) => toControl($, element, sourceOf(html, element)))
}

export function fieldOf({ body }: Answer, name: string): Control | undefined {
  const controls = controlsOf(body).filter((one) => one.name === name)
  return controls.find((one) => one.type !== 'hidden') ?? controls[0]
}

export function hiddenOf({ body }: Answer, name: string): string[] {
  return controlsOf(body)
    .filter((one) => one.name === name && one.type === 'hidden')
    .map((one) => one.value)
}

/** The fields marked as invalid, with their messages: only those with every hook of the contract. */
export function errorsOf({ body }: Answer): Record<string, string> {
  const $ = parseHtml(body)
  const entries = controlsOf(body).flatMap(({ invalid, describedBy }) => {
    const id = invalid && describedBy.find((described) => described.endsWith('-error'))
    const [message] = id ? $(`[id="${id}"]`) : []
    if (!id || !message) return []
    // Where a value is taken, a link to what has it follows.
    const said = $(message).clone()
    said.find('a').remove()
    return [[id.slice(0, -'-error'.length), textOfNodes(said.contents().toArray())]]
  })
  return Object.fromEntries(entries)
}

export function textsByRole({ body }: Answer, role: 'alert' | 'status'): string[] {
  const elements = parseHtml(body)(`[role="${role}"]`).toArray()
  return elements.map(({ children }) => textOfNodes(children)).filter(Boolean)
}

export function isDocument({ body }: Answer): boolean {
  return /^\s*<!doctype html>/i.test(body) && body.includes('</html>')
}

export function tagsOf(html: string, name: string): Attributes[] {
  return parseHtml(html)<Element, string>(name)
    .toArray()
    .map(({ attribs }) => attribs)
}

function toControl($: CheerioAPI, element: Element, source: string): Control {
  const { name: kind, attribs } = element
  const options = $(element).find('option').toArray().map(toOption)
  return {
    name: attribs.name ?? '',
    id: attribs.id ?? '',
    type: kind === 'input' ? (attribs.type ?? 'text') : kind,
    value: displayedValue(element, source, options),
    disabled: 'disabled' in attribs,
    required: 'required' in attribs,
    invalid: attribs['aria-invalid'] === 'true',
    describedBy: (attribs['aria-describedby'] ?? '').split(' ').filter(Boolean),
    options,
  }
}

function displayedValue({ name: kind, attribs }: Element, source: string, options: Control['options']): string {
  if (kind === 'select') return options.find((option) => option.selected)?.value ?? ''
  // Only a parser of whole documents reads textareas as browsers do.
  if (kind === 'textarea') return load(source)('textarea').text()
  if (attribs.type === 'checkbox') return 'checked' in attribs ? '1' : '0'
  return attribs.value ?? ''
}

function toOption({ attribs, children }: Element): Control['options'][number] {
  const text = textOfNodes(children)
  return { value: attribs.value ?? text, text, selected: 'selected' in attribs }
}
