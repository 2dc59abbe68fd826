import type { AnyNode, Element } from 'domhandler'
import { version } from '../../src/version.ts'
import { icon, iconNames } from '../../src/view/icons.ts'
import { parseHtml } from './html.ts'

/** An element that tells something, with those in it. */
export interface Part {
  line: string
  /** Texts and values of attributes. */
  said: string[]
  within: Part[]
}

/**
 * What somebody meets on a part of a page: elements with their attributes, icons by their names, texts, and states that are shown.
 * Without what is new each time; of rows that are alike the first stands for all, with the number of the others.
 */
export function outlineOf(html: string, selector: string): Part[] {
  return withoutAlike({ line: '', said: [], within: fullOutlineOf(html, selector) }).within
}

/** The same with each row. */
export function fullOutlineOf(html: string, selector: string): Part[] {
  const $ = parseHtml(html)
  const chosen = $<Element, string>(selector).toArray()
  return chosen.filter((one) => $(one).parents(selector).length === 0).flatMap(partsOf)
}

/** An element that tells nothing gives place to those in it. */
function partsOf(element: Element): Part[] {
  const { name, attribs, children } = element
  if (attribs.popover === '' && /^(?!dealers-).*-menu$/.test(attribs.id ?? '')) return actionsOf(element)
  const { class: classes = '', translate, 'data-bs-popper': _, 'data-transition': __, ...others } = attribs
  const values = Object.entries(others).map(([key, value]) => [key, key === 'data-time' ? 'TIME' : steady(inServiceTime(value))] as const)
  const isMoment = steady(attribs.title ?? '') === 'MOMENT'
  const texts = translate === 'no' ? [] : children.flatMap((child) => saidBy(child, isMoment))
  const states = classes.split(' ').filter((one) => state.test(one))
  const within = children.filter((child): child is Element => 'attribs' in child && !isIcon(child)).flatMap(partsOf)
  const own = [...values.map(([key, value]) => (value === '' ? key : `${key}=${value}`)), ...texts, ...states.map((one) => `.${one}`)]
  if (own.length === 0 && !(within.length > 1 && kindOfRow.test(name))) return within
  return [{ line: [name, ...own].join(' '), said: [...values.map(([, value]) => value), ...texts], within }]
}

/** The menus of rows are made by one macro: they are told in full of dealers, and by name and address elsewhere. */
function actionsOf(menu: Element): Part[] {
  const $ = parseHtml('')(menu)
  const texts = $.children()
    .toArray()
    .map((one) =>
      [one.attribs['aria-label'] ?? one.attribs.title ?? parseHtml('')(one).text().trim(), one.attribs.href].filter(Boolean).join(' '),
    )
  return texts.length > 0 ? [{ line: `menu “${texts.map(steady).join('; ')}”`, said: texts, within: [] }] : []
}

/** Rows of tables and lists, choices, and what is numbered by its id. */
const kindOfRow = /^(?:(?:tr|li|option|g|line|circle)(?= |$)|\w+ id=[\w-]+-(?=\d+ )|button name=\w+ (?=value=\S+ form=))/

/** Rows whose elements all stood in rows before them are counted at the last that differed; the last option stays. */
function withoutAlike({ line, said, within }: Part): Part {
  const kept: { part: Part; alike: number }[] = []
  const met = new Map<string, { last: (typeof kept)[number]; shapes: Set<string> }>()
  for (const part of within) {
    const row = { part, alike: 0 }
    const kind = kindOfRow.exec(part.line)?.[0].trim()
    const shapes = kind ? shapesIn(part, kind === 'li' ? withoutNumbers : withoutValues) : []
    const earlier = met.get(kind ?? '')
    const isLastOption = kind === 'option' && part === within.at(-1)
    if (earlier && !isLastOption && shapes.every((one) => earlier.shapes.has(one))) {
      earlier.last.alike++
      continue
    }
    kept.push(row)
    if (kind) met.set(kind, { last: row, shapes: new Set([...(earlier?.shapes ?? []), ...shapes]) })
  }
  const rows = kept.map(({ part, alike }) => (alike > 0 ? { ...part, line: `${part.line} (and ${alike} alike)` } : part))
  return { line, said, within: rows.map(withoutAlike) }
}

const shapesIn = (part: Part, shapeOf: (line: string) => string): string[] => [
  shapeOf(part.line),
  ...part.within.flatMap((one) => shapesIn(one, shapeOf)),
]
/** That of rows that are alike stays. */
export const withoutNumbers = (line: string) => line.replace(/\d+(?!\d* alike\))/g, '0')
const withoutValues = (line: string) => line.replace(/“[^”]*”/g, '“”').replace(/=.*?(?= [\w:.-]+=| [“*.]|$)/g, '')

/** What is told to programs in Greenwich's time, in that of the service. */
function inServiceTime(value: string): string {
  return value.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, (moment) => new Date(moment).toLocaleString('sv'))
}

/** Classes that show a state, or to whom something is shown. */
const state =
  /^(?:(?:is|has|tint|sheet|badge)-.*|active|badge|btn-primary|btn-(?:outline-)?danger|money|overdue|text-danger|visually-hidden|needs-js|without-(?:js|scripts)|row-link)$/

/** Tokens, codes of recovery, secrets and what is sent once. */
const keys = new RegExp(
  [
    '(?<![\\w-])(?:cabinet_)?(?![\\da-f]{43})[\\w-]{43}(?![\\w-])',
    '^[A-Z2-9]{5}-[A-Z2-9]{5}$',
    '\\b[A-Z2-7]{32}\\b',
    '\\b[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}\\b',
  ].join('|'),
  'g',
)

/** Without days and moments of today, versions of files and of the program, keys and pictures that are made for each answer. */
function steady(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<=\/assets\/)(?:hugerte\/)?[\w-]{10}\//g, '')
    .replace(/^data:.{20,}/, 'PICTURE')
    .replace(keys, 'KEY')
    .replace(/\d+\.\d{5,}/g, (number) => String(Math.round(Number(number) * 1e4) / 1e4))
    .replace(/\b(\d{4})-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?|\b\d\d\.\d\d\.(\d{4}),? \d\d:\d\d/g, unlessPlanted('MOMENT'))
    .replace(/\b(\d{4})-\d\d-\d\d\b|\b\d\d\.\d\d\.(\d{4})\b/g, unlessPlanted('DAY'))
    .replace(version.program, 'VERSION')
    .replace(new RegExp(`(?<=schema |база данных )${version.schema}\\b`), 'SCHEMA')
}

/** `28 Nov`, `1 – 28 Nov`, `28 November`, `28 нояб.`, and with the year where it is another. */
const shortDays =
  /\b(?:\d{1,2} ?– ?)?\d{1,2} (?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|(?:янв|февр|мар|апр|мая|июн|июл|авг|сент|окт|нояб|дек)[а-я]*\.?)(?: (\d{4})\b)?/g

/** What happened before 2026 was planted by a test and is told; what is later may be of today. */
function unlessPlanted(name: string) {
  return (found: string, ...years: unknown[]) =>
    years.some((year) => typeof year === 'string' && Number(year) > 2000 && Number(year) < 2026) ? found : name
}

const relative = /^(now|just now|\d\d:\d\d|.*\bago|in \d.*|(yesterday|today|tomorrow).*|\d+\s[A-Z][a-z]{2,8}( \d{4})?)$/
const relativeInRussian = /^(сейчас|только что|.*назад|через \d.*|(вчера|сегодня|завтра).*|\d+\s[а-я]{3,8}\.?(\s\d{4}(\sг\.)?)?)$/

function saidBy(node: AnyNode, isMoment: boolean): string[] {
  if (node.type !== 'text') return 'attribs' in node && isIcon(node) ? [`*${nameOf(node)}*`] : []
  const text = steady(node.data)
  if (!text) return []
  return [`“${isMoment && (relative.test(text) || relativeInRussian.test(text)) ? 'WHEN' : text.replace(shortDays, unlessPlanted('DAY'))}”`]
}

const isIcon = ({ name, attribs }: Element) => name === 'svg' && attribs.class === 'icon'

const pathOf = (svg: string) => / d="([^"]*)"/.exec(svg)?.[1] ?? ''
const icons = new Map(iconNames.map((name) => [pathOf(icon(name)), name]))

function nameOf({ children }: Element): string {
  const [path] = children.filter((child): child is Element => 'attribs' in child && child.name === 'path')
  return icons.get(path?.attribs.d ?? '') ?? 'another'
}
